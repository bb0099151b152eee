/** JSON data: what is taken, what it weighs, and that a copy is a copy. */

import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import {
  canonicalJson,
  canonicalText,
  copyJson,
  cutText,
  cutToBytes,
  fitsBytes,
  type JsonValue,
  requireJson,
  sameJson,
} from './json.ts';

const roomy = { bytes: 10 * 2 ** 20, depth: 64 };
const small = { bytes: 2 ** 17, depth: 64 };

function copied(value: unknown, limits = roomy): JsonValue {
  const copy = copyJson(value, limits);
  if (copy.problem !== undefined) throw new RangeError(copy.problem);
  return copy.value;
}

const problemOf = (value: unknown, limits = roomy): string | undefined => copyJson(value, limits).problem;

/** Any JSON data, with all kinds of text, numbers, keys and holes. */
const data = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        null,
        true,
        false,
        0,
        -0,
        1e21,
        1e-7,
        Number.MAX_VALUE,
        Number.MIN_VALUE,
        '',
        '"\\\n\u0000\u2028',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', '10', '9', 'constructor', 'toString')),
        fc.option(tie('value'), { nil: undefined }),
        { maxKeys: 5, noNullPrototype: false },
      ),
    ),
  }))
  .value.filter((value) => value !== undefined && !JSON.stringify(value).includes('"__proto__":'));

/** The same data with its keys in another order. */
function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversedKeys(item)]),
  );
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

describe('a copy', () => {
  it(proves('G01')('is what JSON makes of the data, deeply frozen, and no part of the original'), () => {
    fc.assert(
      fc.property(data, (value) => {
        const copy = copied(value);
        expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
        expect(isDeeplyFrozen(copy)).toBe(true);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
        expect(Object.isFrozen(value)).toBe(typeof value !== 'object' || value === null);
      }),
      { numRuns: runs(3000) },
    );
  });

  it(proves('G12')('weighs exactly what its JSON text takes in UTF-8'), () => {
    fc.assert(
      fc.property(data, (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(problemOf(value, { bytes, depth: 64 })).toBeUndefined();
        expect(problemOf(value, { bytes: bytes - 1, depth: 64 })).toContain(`larger than ${bytes - 1} bytes`);
      }),
      { numRuns: runs(3000) },
    );
  });

  it(proves('P20')('keeps the order of keys'), () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(JSON.stringify(copied(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: runs(2000) },
    );
    expect(JSON.stringify(copied({ b: 1, a: { d: 1, c: 2 } }))).toBe('{"b":1,"a":{"d":1,"c":2}}');
  });

  it(proves('P20', 'Q01')('has one canonical text, independent of the key order'), () => {
    fc.assert(
      fc.property(data, data, (value, other) => {
        const [one, two] = [copied(value), copied(reversedKeys(value))];
        expect(canonicalText(two)).toBe(canonicalText(one));
        expect(JSON.stringify(canonicalJson(two))).toBe(canonicalText(one));
        expect(JSON.parse(canonicalText(one))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(sameJson(one, two)).toBe(true);
        const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(value)), JSON.parse(JSON.stringify(other)));
        expect(sameJson(one, copied(other))).toBe(isSame);
        expect(isDeeplyFrozen(canonicalJson(one))).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
    expect(canonicalText(copied({ b: 1, a: { d: 1, c: 2 } }))).toBe('{"a":{"c":2,"d":1},"b":1}');
  });

  it(proves('P20')('has its canonical text built once; of data that can change it is built each time'), () => {
    const copy = copied({ b: 1, a: 2 });
    const stringify = vi.spyOn(JSON, 'stringify');
    expect(canonicalText(copy)).toBe('{"a":2,"b":1}');
    expect(canonicalText(copy)).toBe('{"a":2,"b":1}');
    expect(stringify).toHaveBeenCalledTimes(1);
    stringify.mockRestore();
    const sorted = canonicalJson(copy);
    expect(canonicalJson(sorted)).toBe(sorted);
    const open = { b: 1, a: 2 };
    expect(canonicalText(open)).toBe('{"a":2,"b":1}');
    open.b = 3;
    expect(canonicalText(open)).toBe('{"a":2,"b":3}');
  });

  it(proves('G01')('is not affected by later changes or by getters with changing values'), () => {
    let reads = 0;
    const shifty = Object.defineProperty({}, 'x', { enumerable: true, get: () => ++reads });
    expect(copied(shifty)).toEqual({ x: 1 });
    expect(reads).toBe(1);
    const target = { a: [1] };
    const proxy = new Proxy(target, {});
    const copy = copied(proxy);
    target.a.push(2);
    expect(copy).toEqual({ a: [1] });
    expect(Object.is(copied(-0), 0)).toBe(true);
  });

  it(proves('G01')('of an object from another realm or without a prototype is plain'), () => {
    const elsewhere: unknown = runInNewContext('({ a: [1, { b: null }] })');
    expect(copied(elsewhere)).toEqual({ a: [1, { b: null }] });
    expect(Object.getPrototypeOf(copied(elsewhere))).toBe(Object.prototype);
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(Object.getPrototypeOf(copied(bare))).toBe(Object.prototype);
  });

  it(proves('G01')('leaves out what JSON leaves out: keys without a value, symbols, what is hidden'), () => {
    const value = { a: undefined, b: 1, [Symbol('c')]: 2 };
    Object.defineProperty(value, 'hidden', { value: 3, enumerable: false });
    expect(copied(value)).toEqual({ b: 1 });
    expect(copied(Object.assign([1], { extra: 2 }))).toEqual([1]);
  });
});

const fail = (): never => {
  throw new RangeError('no');
};

describe('a value that is not JSON data', () => {
  class Mine {
    readonly x = 1;
  }
  const holey: unknown[] = [1];
  holey[2] = 3;
  const cases: readonly [string, unknown, string][] = [
    ['undefined', undefined, 'contains undefined, which is not JSON'],
    ['NaN', Number.NaN, 'contains NaN, which is not JSON'],
    ['infinity', { a: [Number.NEGATIVE_INFINITY] }, 'contains -Infinity, which is not JSON at .a[0]'],
    ['a bigint', 1n, 'contains a bigint, which is not JSON'],
    ['a function', { f: () => 1 }, 'contains a function, which is not JSON at .f'],
    ['a symbol', [Symbol('s')], 'contains a symbol, which is not JSON at [0]'],
    ['a date', { at: new Date(0) }, 'contains a Date, which is not JSON at .at'],
    ['a map', new Map([[1, 2]]), 'contains a Map, which is not JSON'],
    ['a set', new Set([1]), 'contains a Set, which is not JSON'],
    ['a pattern', /x/, 'contains a RegExp, which is not JSON'],
    ['an error', new RangeError('x'), 'contains a RangeError, which is not JSON'],
    ['a promise', Promise.resolve(1), 'contains a Promise, which is not JSON'],
    ['bytes', new Uint8Array(2), 'contains a Uint8Array, which is not JSON'],
    ['an instance', [{ deep: new Mine() }], 'contains a Mine, which is not JSON at [0].deep'],
    ['a boxed number', Object(1), 'contains a Number, which is not JSON'],
    [
      'an object with a prototype of its own',
      Object.create({ a: 1 }),
      'contains an object with a prototype, which is not JSON',
    ],
    ['a hole', holey, 'contains undefined, which is not JSON at [1]'],
    ['a lone surrogate', { a: '\ud800' }, 'contains a lone surrogate at .a'],
    ['a key with a lone surrogate', { '\udc00': 1 }, 'contains a lone surrogate'],
    ['an odd key on the way', { 'a b': { '': () => 1 } }, 'contains a function, which is not JSON at ["a b"][""]'],
  ];

  it.each(cases)(proves('G12', 'G16')('is refused with the place: %s'), (_what, value, problem) => {
    expect(problemOf(value)).toBe(problem);
    expect(() => requireJson(value, roomy, 'the thing')).toThrow(
      expect.objectContaining({ code: 'NOT_JSON', message: `the thing ${problem}` }),
    );
  });

  it(proves('G12')('is refused if it cannot be read'), () => {
    const getter = Object.defineProperty({}, 'x', { enumerable: true, get: fail });
    for (const value of [getter, [getter], new Proxy({}, { ownKeys: fail }), new Proxy([], { get: fail })]) {
      expect(problemOf(value)).toBe('cannot be read: no');
    }
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(problemOf({ a: proxy })).toContain('cannot be read');
  });

  it(proves('G11', 'G12')('is a key named __proto__, which never pollutes anything'), () => {
    const value: unknown = JSON.parse('{"a": {"__proto__": {"polluted": true}}}');
    expect(problemOf(value)).toBe('contains a key named __proto__ at .a');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const others: unknown = JSON.parse('{"constructor": {"prototype": {"polluted": true}}, "toString": 1}');
    expect(copied(others)).toEqual(others);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.hasOwn(copied(others) as object, 'toString')).toBe(true);
  });
});

const nested = (levels: number, [open, close]: readonly [string, string]): unknown =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);

describe('limits', () => {
  it.each([['[', ']'] as const, ['{"a":', '}'] as const])(proves('G12')('count levels exactly: %s'), (...brackets) => {
    expect(problemOf(nested(64, brackets))).toBeUndefined();
    expect(problemOf(nested(65, brackets))).toContain('is deeper than 64 levels');
    expect(problemOf(nested(5000, brackets))).toContain('is deeper than 64 levels');
    expect(problemOf(7, { bytes: 10, depth: 0 })).toBeUndefined();
    expect(problemOf([], { bytes: 10, depth: 0 })).toContain('deeper than 0');
  });

  it(proves('G12')('end cycles and bombs'), () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(problemOf(cycle)).toContain('is deeper than 64 levels');
    const wide: unknown[] = [];
    for (let i = 0; i < 100; i++) wide.push(wide);
    expect(problemOf(wide, small)).toBeDefined();
    // 2 to the power of 60, in 60 objects.
    let bomb: unknown = 1;
    for (let i = 0; i < 60; i++) bomb = { a: bomb, b: bomb };
    expect(problemOf(bomb, small)).toContain('larger than');
    expect(problemOf(Array.from({ length: 3 }), { bytes: 100, depth: 5 })).toContain('contains undefined');
    const endless: unknown[] = [];
    endless.length = 2 ** 32 - 1;
    expect(problemOf(endless)).toContain('larger than');
  });

  it(proves('G12')('also end what takes time but no bytes'), () => {
    const hollow = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, undefined]));
    const bomb = Array.from({ length: 50_000 }, () => hollow);
    expect(problemOf(bomb)).toContain('contains more than 100000 keys without a value at [5]');
    expect(problemOf(hollow, { bytes: 2, depth: 1 })).toBeUndefined();
  });

  it(proves('G12')('refuse ten megabytes without looking at them'), () => {
    const long = 'x'.repeat(10 * 2 ** 20);
    expect(problemOf(long, { bytes: 2 ** 20, depth: 64 })).toBe('is larger than 1048576 bytes of JSON');
    expect(problemOf({ [long]: 1 }, { bytes: 2 ** 20, depth: 64 })).toBe('is larger than 1048576 bytes of JSON');
    expect(problemOf(long, { bytes: long.length + 2, depth: 64 })).toBeUndefined();
    expect(problemOf('é'.repeat(100), { bytes: 201, depth: 1 })).toBe('is larger than 201 bytes of JSON');
  });

  it(proves('G12')('bound what is said about the place'), () => {
    const long = 'k'.repeat(10_000);
    const problem = problemOf({ [long]: { [long]: Number.NaN } });
    expect(problem?.length).toBeLessThan(400);
  });
});

describe('cutting', () => {
  /** With surrogates that have lost their other half. */
  const lone = fc
    .array(fc.constantFrom('a', 'é', '\u{1F600}', '\ud83d', '\ude00', '\uffff'))
    .map((units) => units.join(''));
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), lone);

  it(proves('G12')('knows how many bytes a text takes'), () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const bytes = Buffer.byteLength(text);
        expect(fitsBytes(text, bytes)).toBe(true);
        expect(bytes === 0 || !fitsBytes(text, bytes - 1)).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  it(proves('G12')('keeps a limited number of characters or bytes and notes how many are missing'), () => {
    const note = /… \[cut: (\d+) more characters\]$/;
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, limit) => {
        for (const [cut, size] of [
          [cutText(text, limit), text.length],
          [cutToBytes(text, limit), Buffer.byteLength(text)],
        ] as const) {
          if (size <= limit) expect(cut).toBe(text);
          else {
            const [whole, missing] = note.exec(cut) ?? ['', 'none'];
            const kept = cut.slice(0, cut.length - whole.length);
            expect(kept.length + Number(missing)).toBe(text.length);
            expect(kept.isWellFormed()).toBe(true);
            expect(kept).toBe(text.slice(0, kept.length).toWellFormed());
          }
        }
        const keptBytes = cutToBytes(text, limit).replace(note, '');
        if (Buffer.byteLength(text) > limit) expect(Buffer.byteLength(keptBytes)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: runs(2000) },
    );
  });
});
