/** The kit that reads everything from outside: what it copies, what it refuses, and how it says so. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { defaultLimits } from './limits.ts';
import * as is from './shapes.ts';

const read = <T>(shape: is.Shape<T>, value: unknown): T | string[] => {
  const result = shape(value, defaultLimits);
  return result instanceof is.Invalid ? result.texts() : result;
};

const order = is.record({
  item: is.nonEmptyText,
  count: is.optional(is.wholeNumber(1)),
  tags: is.optional(is.list(is.text)),
});

describe('a record', () => {
  it('is a frozen copy with the known fields only', () => {
    const given = { item: 'tea', count: undefined, tags: ['a'] };
    const copy = read(order, given) as typeof given;
    expect(copy).toEqual({ item: 'tea', tags: ['a'] });
    expect(Object.keys(copy)).toEqual(['item', 'tags']);
    expect([Object.isFrozen(copy), Object.isFrozen(copy.tags)]).toEqual([true, true]);
    given.tags.push('b');
    expect(copy.tags).toEqual(['a']);
  });

  it(proves('H09')('reads each field once, so that the checked value is the one that is used'), () => {
    let reads = 0;
    const shifty = {
      get item() {
        return reads++ === 0 ? 'tea' : 7;
      },
    };
    expect(read(order, shifty)).toEqual({ item: 'tea' });
    expect(reads).toBe(1);
  });

  it('reads inherited fields, and refuses unknown ones with the nearest name', () => {
    expect(read(order, Object.create({ item: 'tea' }))).toEqual({ item: 'tea' });
    expect(read(order, { item: 'tea', cuont: 1 })).toEqual(['"cuont" is not known; did you mean "count"?']);
    expect(read(order, JSON.parse('{"item":"tea","__proto__":{"count":1}}'))).toEqual(['"__proto__" is not known']);
  });

  it('lists all problems with their paths', () => {
    const nested = is.options({ order, orders: is.list(order) }, { needed: ['order'] });
    expect(read(nested, { orders: [{ item: 'x' }, { item: '', count: 0.5 }], other: 1 })).toEqual([
      '"other" is not known; did you mean "order"?',
      '"order" is missing',
      '"orders[1].item" is empty',
      '"orders[1].count" is 0.5, not a whole number from 1 up',
    ]);
  });

  it('that is open reports only misspelled fields', () => {
    const open = is.options({ timeoutMs: is.finitePositive }, { open: true });
    expect(read(open, { timeoutMs: 1, whatever: true })).toEqual({ timeoutMs: 1 });
    expect(read(open, { timeoutMS: 1 })).toEqual(['"timeoutMS" is not known; did you mean "timeoutMs"?']);
  });

  it('does not take fields of a polluted prototype for shapes', () => {
    const polluted = Object.prototype as { stray?: unknown };
    polluted.stray = 'x';
    try {
      expect(read(order, { item: 'tea' })).toEqual({ item: 'tea' });
    } finally {
      delete polluted.stray;
    }
  });
});

describe('a list', () => {
  it(proves('H09')('is read by index: a custom iterator has no effect, and a hole is a problem'), () => {
    const lying = Object.assign(['a'], { [Symbol.iterator]: () => ['b', 'c'].values() });
    expect(read(is.list(is.text), lying)).toEqual(['a']);
    // oxlint-disable-next-line no-sparse-arrays
    expect(read(is.list(is.text), [, 'a'])).toEqual(['"[0]" is missing']);
    expect(read(is.nonEmptyList(is.text), [])).toEqual(['is empty']);
  });

  it('is bounded, and so are its problems', () => {
    expect(read(is.list(is.any), { length: 3 })).toEqual(['is an object, not a list']);
    expect(read(is.list(is.any), Array.from({ length: defaultLimits.answerBytes + 1 }))).toEqual(['is too long']);
    expect(
      read(
        is.list(is.text),
        Array.from({ length: 5000 }, () => 7),
      ),
    ).toHaveLength(100);
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]));
    expect((read(is.record<object>({}), wide) as string[]).length).toBeLessThanOrEqual(100);
    expect((read(is.map(is.text), wide) as string[]).length).toBeLessThanOrEqual(100);
  });
});

describe('a map', () => {
  it('keeps every key as its own, also __proto__', () => {
    const given: unknown = JSON.parse('{"__proto__":["x"],"a":["y"]}');
    const copy = read(is.map(is.nameList), given) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.entries(copy)).toEqual([
      ['__proto__', ['x']],
      ['a', ['y']],
    ]);
  });
});

describe('a problem', () => {
  it('shows no text, because it may be a secret, except names and the words of a fixed list', () => {
    const secret = 'hunter2';
    const shapes = [is.flag, is.count, is.func, order, is.nameList, is.jsonObject, is.methods('run'), is.absent];
    for (const shape of shapes) expect(JSON.stringify(read<unknown>(shape, secret))).not.toContain(secret);
    expect(read(is.oneOf('a', 'b', 'c'), 'd')).toEqual(['is "d", not "a", "b" or "c"']);
    expect(read(is.name, 'a*')).toEqual(['is "a*", which contains a "*"']);
  });

  it('says what is wrong', () => {
    expect(read(is.text, 'x'.repeat(defaultLimits.promptBytes + 1))).toEqual(['is larger than 4194304 bytes']);
    expect(read(is.flag, '')).toEqual(['is an empty string, not true or false']);
    expect(read(is.methods('load', 'save'), { load: () => 1 })).toEqual(['has no method save']);
    expect(read(is.json, { when: new Date(0) })).toEqual([expect.stringContaining('not JSON')]);
    expect(read(is.any, null)).toBeNull();
    expect(read(is.any, undefined)).toEqual(['is missing']);
    const answer = is.record({ value: order })({ value: { item: 1 } }, defaultLimits) as is.Invalid;
    expect(answer.textAbout('the answer')).toBe('"value.item" of the answer is 1, not a string');
    expect((order(1, defaultLimits) as is.Invalid).textAbout('the answer')).toBe('the answer is 1, not an object');
  });
});

describe('options', () => {
  it(proves('G12')('are returned as a copy, or all problems are in one error'), () => {
    const shape = is.options({ timeoutMs: is.finitePositive, clock: is.clock });
    expect(is.readOptions('start', { timeoutMs: 5 }, shape)).toEqual({ timeoutMs: 5 });
    expect(() => is.readOptions('start', 7, shape)).toThrow('start takes an object of options, not a number');
    expect(() => is.readOptions('start', { timeoutMs: 0, clok: 1 }, shape)).toThrow(
      'start: option "clok" is not known; did you mean "clock"?; start: option "timeoutMs" is 0, not a finite number above 0',
    );
  });
});
