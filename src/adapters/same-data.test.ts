/** Data of frameworks is compared as it would be written. */

import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { canonicalText, type JsonValue } from '../kernel/json.ts';
import { sameData } from './same-data.ts';

function sameText(one: unknown, other: unknown): boolean {
  return canonicalText(one as JsonValue) === canonicalText(other as JsonValue);
}

describe('data is the same', () => {
  it(proves('G01')('if its canonical text is'), () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(sameData(one, other)).toBe(sameText(one, other));
        expect(sameData(one, structuredClone(one))).toBe(true);
      }),
    );
  });

  it('also if it is not JSON data', () => {
    const dates: readonly unknown[] = ['a', new Date(0), new Date(1), new Date(0).toJSON()];
    const objects: readonly unknown[] = [
      {},
      new Map([[1, 1]]),
      Object.create({ a: 1 }),
      runInNewContext('({})'),
      { 0: 1 },
    ];
    const lists: readonly unknown[] = [[], [undefined], [null], Object.assign([], { length: 1 }), [1], [2]];
    const fields: readonly unknown[] = [
      { a: undefined },
      { a: null },
      { b: undefined },
      { toJSON: () => 1 },
      { constructor: 1 },
    ];
    const named: readonly unknown[] = [JSON.parse('{"__proto__":1}'), { ['__proto__']: null }, { hasOwnProperty: 1 }];
    const numbers: readonly unknown[] = [Number.NaN, null, Number.POSITIVE_INFINITY, 0, -0, '0', 1];
    const all = [dates, objects, lists, fields, named, numbers].flat();
    for (const one of all)
      for (const other of all)
        expect(sameData(one, other), `${String(one)} ${String(other)}`).toBe(one === other || sameText(one, other));
  });
});
