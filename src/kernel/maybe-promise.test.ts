import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { messageOf } from './errors.ts';
import { isPromise } from './maybe-promise.ts';
import { closestName, editDistance } from './similar-names.ts';

const refuse = (): never => {
  throw new RangeError('no');
};

describe('telling a promise', () => {
  it(proves('H02', 'H09')('goes by its then, and never fails'), () => {
    /* oxlint-disable unicorn/no-thenable */
    for (const promise of [Promise.resolve(), { then: () => {} }]) expect(isPromise<unknown>(promise)).toBe(true);
    const odd = [undefined, null, 7, 'then', {}, { then: 7 }, [], new Proxy({}, { get: refuse })];
    /* oxlint-enable unicorn/no-thenable */
    for (const value of odd) expect(isPromise<unknown>(value)).toBe(false);
  });
});

describe('the text of what was thrown', () => {
  it.each([
    [new RangeError('broke'), 'broke'],
    [new RangeError(''), 'RangeError'],
    [Object.assign(new RangeError(''), { name: null }), 'null'],
    [Object.assign(new RangeError(''), { message: 7 }), '7'],
    [Object.assign(new RangeError(''), { name: Symbol('odd') }), 'Symbol(odd)'],
    ['broke', 'broke'],
    [undefined, 'undefined undefined'],
    [null, 'object null'],
    [7, 'number 7'],
    [Symbol('s'), 'symbol Symbol(s)'],
    [Object.create(null), 'something that cannot be printed was thrown'],
    [new Proxy({}, { get: refuse, getPrototypeOf: refuse }), 'something that cannot be printed was thrown'],
  ])(proves('H09')('is always a text: %#'), (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });
});

describe('the nearest name', () => {
  it(proves('H10')('is the closest of those close enough'), () => {
    const known = ['view_file', 'edit_file', 'run_command'];
    expect(closestName('veiw_file', known)).toBe('view_file');
    expect(closestName('VIEW_FILE', known)).toBe('view_file');
    expect(closestName('run_comand', known)).toBe('run_command');
    expect(closestName('delete', known)).toBeUndefined();
    expect(closestName('', known)).toBeUndefined();
    expect(closestName('x'.repeat(100_000), known)).toBeUndefined();
    expect(closestName('view_file', [])).toBeUndefined();
  });

  it(proves('H10')('is counted in letters put in, left out or swapped'), () => {
    expect([
      editDistance('', ''),
      editDistance('abc', 'abc'),
      editDistance('abc', 'abd'),
      editDistance('abc', 'ab'),
      editDistance('', 'abc'),
    ]).toEqual([0, 0, 1, 1, 3]);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });
});
