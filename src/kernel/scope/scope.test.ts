/** A scope by itself: reading outward, writing here, atomic updates, frozen JSON data, typed keys. */

import { BridleError, createScope, type JsonValue, stateKey, type Scope, type StandardSchema } from 'bridle';
import { fakeClock } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { hang } from '../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { deadlinesOf } from '../deadlines.ts';

/** Three nested scopes. */
function nested(): { session: Scope; turn: Scope; operation: Scope } {
  const session = createScope();
  const turn = createScope(session);
  return { session, turn, operation: createScope(turn) };
}

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const codeOf = (code: string): unknown => expect.objectContaining({ code });

describe('reading and writing', () => {
  it(proves('S01', 'S02')('looks outward, writes here, and shadows without changing'), () => {
    const { session, turn, operation } = nested();
    session.set('a', 'session');
    turn.set('b', 'turn');
    expect([operation.get('a'), operation.get('b'), operation.get('c')]).toEqual(['session', 'turn', undefined]);
    operation.set('a', 'operation');
    expect([operation.get('a'), turn.get('a'), session.get('a')]).toEqual(['operation', 'session', 'session']);
    expect(turn.get('b')).toBe('turn');
    expect(session.get('b')).toBeUndefined();
    expect(operation.delete('a')).toBe(true);
    expect(operation.delete('a')).toBe(false);
    expect(operation.get('a')).toBe('session');
    expect(session.has('a')).toBe(true);
  });

  it(proves('S01')('gives the default for a missing key only'), () => {
    const scope = createScope(createScope());
    expect(scope.get('n', 7)).toBe(7);
    for (const stored of [0, '', false, null]) {
      scope.set('n', stored);
      expect(scope.get('n', 7)).toBe(stored);
    }
  });

  it(proves('S02')('knows its own keys, and those it can see'), () => {
    const { session, turn, operation } = nested();
    session.set('a', 1);
    operation.set('b', 2);
    expect([session.keys(), turn.keys(), operation.keys()]).toEqual([['a'], [], ['b']]);
    expect([operation.has('a'), operation.has('b'), turn.has('b'), operation.has('c')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([session.hasParent, turn.hasParent, operation.hasParent]).toEqual([false, true, true]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'length', ''])(
    proves('S01', 'S06')('takes "%s" for a name like any other'),
    async (name) => {
      const { session, operation } = nested();
      expect(operation.get(name)).toBeUndefined();
      expect(operation.has(name)).toBe(false);
      session.set(name, { mine: true });
      expect(operation.get(name)).toEqual({ mine: true });
      expect(await operation.update(name, (current) => [current ?? 'none'])).toEqual(['none']);
      expect(operation.keys()).toEqual([name]);
      expect(createScope().get(name)).toBeUndefined();
      expect(({} as Record<string, unknown>)['mine']).toBeUndefined();
    },
  );

  it.each([undefined, null, 7, {}, { name: 7 }, Symbol('k')])(
    proves('S02')('refuses a key that is %s'),
    async (odd) => {
      const scope = createScope();
      const wrong = odd as unknown as string;
      for (const use of [() => scope.get(wrong), () => scope.set(wrong, 1), () => scope.has(wrong)]) {
        expect(use).toThrow(codeOf('OPTION_INVALID'));
      }
      expect(scope.keys()).toEqual([]);
    },
  );

  it(proves('S01', 'S02')('behaves like a chain of plain maps under random operations'), () => {
    const scopeIndex = fc.integer({ min: 0, max: 2 });
    const name = fc.constantFrom('a', 'b', '__proto__', 'constructor');
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), at: scopeIndex, name, value: fc.jsonValue() }),
      fc.record({ do: fc.constant('delete' as const), at: scopeIndex, name }),
      fc.record({ do: fc.constant('get' as const), at: scopeIndex, name }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const { session, turn, operation } = nested();
        const scopes = [session, turn, operation];
        const model = scopes.map(() => new Map<string, unknown>());
        for (const each of steps) {
          const scope = scopes[each.at] as Scope;
          const own = model[each.at] as Map<string, unknown>;
          if (each.do === 'set') {
            const copy: unknown = JSON.parse(JSON.stringify(each.value));
            if (JSON.stringify(copy).includes('"__proto__":')) continue;
            scope.set(each.name, each.value);
            own.set(each.name, copy);
          } else if (each.do === 'delete') expect(scope.delete(each.name)).toBe(own.delete(each.name));
          else {
            const found = model.slice(0, each.at + 1).findLast((map) => map.has(each.name));
            expect(scope.get(each.name)).toEqual(found?.get(each.name));
            expect(scope.has(each.name)).toBe(found !== undefined);
          }
        }
        for (const [index, scope] of scopes.entries()) expect(scope.keys()).toEqual([...(model[index]?.keys() ?? [])]);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('values', () => {
  it(proves('S05')('are copied and frozen when stored'), () => {
    const scope = createScope();
    const mine = { list: [1, { deep: true }] };
    scope.set('v', mine);
    mine.list.push(2);
    const stored = scope.get('v') as { list: unknown[] };
    expect(stored).toEqual({ list: [1, { deep: true }] });
    expect(() => stored.list.push(3)).toThrow(TypeError);
    expect(() => Object.assign(stored.list[1] as object, { deep: false })).toThrow(TypeError);
    expect(scope.get('v')).toEqual({ list: [1, { deep: true }] });
  });

  it.each([
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    () => 1,
    Symbol('s'),
    new Date(0),
    new Map(),
    new Set(),
    /x/,
    Buffer.from('x'),
    [undefined],
    { f: () => 1 },
    new AbortController(),
    '\ud800',
  ])(proves('S05')('that are not JSON data are an error immediately: %s'), async (value) => {
    const scope = createScope();
    expect(() => scope.set('v', value)).toThrow(codeOf('NOT_JSON'));
    expect(() => scope.set('v', value)).toThrow(/"v"/);
    await expect(scope.update('v', () => value)).rejects.toThrow(codeOf('NOT_JSON'));
    expect(scope.has('v')).toBe(false);
  });

  it(proves('S05', 'G12')('have a size and a depth'), () => {
    const scope = createScope();
    scope.set('v', 'x'.repeat(2 ** 20 - 2));
    expect(() => scope.set('v', 'x'.repeat(2 ** 20 - 1))).toThrow(codeOf('NOT_JSON'));
    scope.set('d', deep(64));
    expect(() => scope.set('d', deep(65))).toThrow(codeOf('NOT_JSON'));
  });

  it(proves('S05', 'G12')('have the size and depth limits of their scope'), async () => {
    const scope = createScope(undefined, { limits: { stateBytes: 10, depth: 2 } });
    scope.set('v', 'x'.repeat(8));
    scope.set('d', deep(2));
    expect(() => scope.set('v', 'x'.repeat(9))).toThrow(codeOf('NOT_JSON'));
    expect(() => scope.set('d', deep(3))).toThrow(codeOf('NOT_JSON'));
    await expect(scope.update('v', () => 'x'.repeat(9))).rejects.toThrow(codeOf('NOT_JSON'));
    expect(scope.get('v')).toBe('x'.repeat(8));
  });

  it(proves('S05')('stay as they were if a new one is refused'), async () => {
    const scope = createScope();
    scope.set('v', 1);
    expect(() => scope.set('v', new Map())).toThrow(BridleError);
    await expect(scope.update('v', () => new Map() as unknown as JsonValue)).rejects.toThrow(BridleError);
    expect(scope.get('v')).toBe(1);
  });
});

describe('update', () => {
  const count = 1000;

  it(proves('S04')('loses none of 1,000 concurrent updates, synchronous'), async () => {
    const scope = createScope();
    const results = await Promise.all(Array.from({ length: count }, () => scope.update('n', (n) => Number(n) + 1, 0)));
    expect(scope.get('n')).toBe(count);
    expect(results).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it(
    proves('S04')('loses none of 1,000 concurrent updates, asynchronous or mixed, with failures in between'),
    async () => {
      const scope = createScope();
      const tasks = Array.from({ length: count }, (_, index) => {
        if (index % 10 === 3) {
          return scope.update('n', () => Promise.reject(new RangeError('broke'))).catch(() => 'failed');
        }
        if (index % 10 === 5) {
          return scope
            .update('n', () => {
              throw new RangeError('broke');
            })
            .catch(() => 'failed');
        }
        return scope.update(
          'n',
          index % 2 === 0
            ? (n) => Number(n) + 1
            : async (n) => {
                await Promise.resolve();
                if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
                return Number(n) + 1;
              },
          0,
        );
      });
      const results = await Promise.all(tasks);
      expect(results.filter((result) => result === 'failed')).toHaveLength(count / 5);
      expect(scope.get('n')).toBe((count * 4) / 5);
    },
  );

  it(proves('S04')('runs in the order of the calls; other keys and scopes do not wait'), async () => {
    const parent = createScope();
    const scope = createScope(parent);
    const log: string[] = [];
    let open!: () => void;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const add = (name: string) => async () => {
      if (name === 'a') await gate;
      log.push(name);
      return name;
    };
    const first = Promise.all([scope.update('k', add('a')), scope.update('k', add('b')), scope.update('k', add('c'))]);
    await scope.update('other', add('x'));
    await parent.update('k', add('y'));
    expect(log).toEqual(['x', 'y']);
    open();
    await first;
    expect(log).toEqual(['x', 'y', 'a', 'b', 'c']);
    expect([scope.get('k'), parent.get('k')]).toEqual(['c', 'y']);
  });

  it(proves('S04', 'S01')('starts from its own value or the initial one, not from an outer scope'), async () => {
    const parent = createScope();
    parent.set('n', 100);
    const scope = createScope(parent);
    expect(await scope.update('n', (n) => Number(n) + 1, 0)).toBe(1);
    expect(await scope.update('n', (n) => Number(n) + 1, 50)).toBe(2);
    expect(parent.get('n')).toBe(100);
    expect(await scope.update('missing', (value) => (value === undefined ? 'none' : 'some'))).toBe('none');
  });

  it(proves('S04')('of the same key inside is an error, of another key or scope is not'), async () => {
    const parent = createScope();
    const scope = createScope(parent);
    const inside: unknown[] = [];
    const keep = async (work: Promise<unknown>): Promise<void> => {
      inside.push(await work.catch((error: unknown) => error));
    };
    await scope.update('k', async () => {
      await keep((async () => scope.update('k', () => 1))());
      await keep(scope.update('other', () => 2));
      await keep(parent.update('k', () => 3));
      return 4;
    });
    expect(inside).toMatchObject([{ code: 'SCOPE_UPDATE_NESTED' }, 2, 3]);
    expect([scope.get('k'), scope.get('other'), parent.get('k')]).toEqual([4, 2, 3]);
    expect(await scope.update('k', (n) => Number(n) + 1)).toBe(5);
  });

  it(proves('S04')('of the same key inside fails the outer one, even if its promise is ignored'), async () => {
    const scope = createScope();
    const loose: unknown[] = [];
    const note = (reason: unknown): void => void loose.push(reason);
    process.on('unhandledRejection', note);
    const nested = codeOf('SCOPE_UPDATE_NESTED');
    const forgetful = (): number => {
      void scope.update('k', () => 1);
      return 2;
    };
    await expect(scope.update('k', forgetful)).rejects.toEqual(nested);
    await expect(scope.update('k', async () => forgetful())).rejects.toEqual(nested);
    await expect(scope.update('k', async () => scope.update('k', () => 1))).rejects.toEqual(nested);
    expect(scope.has('k')).toBe(false);
    expect(await scope.update('k', () => 3)).toBe(3);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(loose).toEqual([]);
  });

  it(proves('S04')('that hangs times out, changes nothing, and lets the next ones run'), async () => {
    const clock = fakeClock();
    const scope = createScope(undefined, { deadlines: deadlinesOf(clock), updateTimeoutMs: 200 });
    scope.set('n', 1);
    const stuck = scope.update('n', hang).catch((error: unknown) => error);
    // One that waits for itself, and one that answers when nobody waits any more.
    let answer!: (value: number) => void;
    const late = scope
      .update('n', () => new Promise<number>((resolve) => (answer = resolve)))
      .catch((error: unknown) => error);
    const itself = scope
      .update('n', async () => {
        await Promise.resolve();
        return scope.update('n', () => 99);
      })
      .catch((error: unknown) => error);
    const next = scope.update('n', (n) => Number(n) + 1);
    await clock.advance(300);
    expect(await stuck).toMatchObject({ code: 'SCOPE_UPDATE_TIMEOUT' });
    await clock.advance(300);
    expect(await late).toMatchObject({ code: 'SCOPE_UPDATE_TIMEOUT' });
    answer(1000);
    await clock.advance(300);
    expect(await itself).toMatchObject({ code: 'SCOPE_UPDATE_TIMEOUT' });
    expect(await next).toBe(2);
    await clock.advance(300);
    expect(scope.get('n')).toBe(99);
  });

  it(proves('S04')('that gives an odd thenable is one that failed or hangs'), async () => {
    const clock = fakeClock();
    const scope = createScope(undefined, { deadlines: deadlinesOf(clock), updateTimeoutMs: 200 });
    /* oxlint-disable unicorn/no-thenable */
    const twice = { then: (go: (value: number) => void) => (go(1), go(2)) };
    const never = { then: (go: (value: unknown) => void) => go(hang()) };
    const broken = {
      then: () => {
        throw new RangeError('broke');
      },
    };
    /* oxlint-enable unicorn/no-thenable */
    const results = Promise.allSettled([twice, never, broken].map((odd) => scope.update('n', () => odd)));
    await clock.advance(400);
    expect(await results).toMatchObject([
      { value: 1 },
      { reason: { code: 'SCOPE_UPDATE_TIMEOUT' } },
      { reason: { message: 'broke' } },
    ]);
    expect(scope.get('n')).toBe(1);
  });

  it(proves('S04')('times out with the real clock as well'), async () => {
    const scope = createScope(undefined, { updateTimeoutMs: 60 });
    await expect(scope.update('n', hang)).rejects.toMatchObject({ code: 'SCOPE_UPDATE_TIMEOUT' });
    expect(await scope.update('n', () => 1)).toBe(1);
  });
});

describe('a typed key', () => {
  const tokens = stateKey<number>('tokens', 0);
  const names = stateKey<string[]>('names', []);

  it(proves('S07')('gives typed get, set and update without casts'), async () => {
    const scope = createScope(createScope());
    expect(scope.get(tokens)).toBe(0);
    scope.set(tokens, 5);
    expect(await scope.update(tokens, (before) => before + 1)).toBe(6);
    expect(await scope.update(tokens, async (before) => before * 2)).toBe(12);
    expect([scope.get(tokens), scope.get('tokens'), scope.has(tokens)]).toEqual([12, 12, true]);
    expect(scope.delete(tokens)).toBe(true);
    expect(scope.get(tokens)).toBe(0);
    scope.set(names, ['ann']);
    expect(scope.get(names).length).toBe(1);
  });

  it(proves('S07', 'S01')('finds its default only where no scope has a value'), () => {
    const parent = createScope();
    const scope = createScope(parent);
    parent.set(tokens, 3);
    expect(scope.get(tokens)).toBe(3);
    expect(createScope().get(tokens)).toBe(0);
  });

  it(proves('S07', 'S05')('has a frozen default, copied when the key is created'), () => {
    const initial = ['a'];
    const list = stateKey<string[]>('list', initial);
    initial.push('b');
    expect(createScope().get(list)).toEqual(['a']);
    expect(() => createScope().get(list).push('c')).toThrow(TypeError);
    expect(() => stateKey('bad', new Map() as unknown as JsonValue)).toThrow(codeOf('NOT_JSON'));
  });

  it(proves('S07')('is checked by the compiler'), () => {
    const scope = createScope();
    expectTypeOf(scope.get(tokens)).toEqualTypeOf<number>();
    expectTypeOf(scope.get(names)).toEqualTypeOf<string[]>();
    expectTypeOf(scope.get('tokens')).toEqualTypeOf<JsonValue | undefined>();
    expectTypeOf(scope.update(tokens, (before) => before + 1)).toEqualTypeOf<Promise<number>>();
    const wrong = [
      // @ts-expect-error: a text is no number
      () => scope.set(tokens, 'five'),
      // @ts-expect-error: a text is no number
      () => scope.update(tokens, () => 'five'),
      // @ts-expect-error: nor is a promise of one
      () => scope.update(tokens, async () => 'five'),
      // @ts-expect-error: a key holds JSON data
      () => stateKey<Date>('date', new Date()),
      // @ts-expect-error: without a default or a schema nothing can be checked, so there is no type to choose
      () => stateKey<number>('n'),
    ];
    expect(wrong).toHaveLength(5);
    expectTypeOf(scope.get(stateKey('n'))).toEqualTypeOf<unknown>();
    expectTypeOf(scope.get(stateKey<string | null>('n', null))).toEqualTypeOf<unknown>();
    expectTypeOf(scope.get(stateKey('n', 'x', textOrNumber))).toEqualTypeOf<string | number>();
  });

  const samples: readonly JsonValue[] = [1, 'one', true, [1], { one: 1 }, null];

  it(proves('S07')('refuses a value of another JSON type than its default, wherever it was stored'), async () => {
    for (const initial of samples) {
      const typed = stateKey('n', initial);
      for (const other of samples) {
        const parent = createScope();
        const scope = createScope(parent);
        parent.set('n', other);
        const fits = initial === null || kind(initial) === kind(other);
        const problem = fits ? undefined : 'SCOPE_VALUE';
        expect(
          codeFrom(() => scope.get(typed)),
          `${kind(initial)} ${kind(other)}`,
        ).toBe(problem);
        expect(codeFrom(() => scope.set(typed, other as never))).toBe(problem);
        expect(await parent.update(typed, (now) => now).then(() => undefined, codeOfError)).toBe(problem);
        if (!fits) expect(scope.has('n') && scope.keys()).toEqual([]);
        expect(parent.get('n')).toEqual(other);
      }
    }
  });

  it(proves('S07')('reads what its schema accepts, and reports what does not fit'), async () => {
    const scope = createScope();
    const either = stateKey('n', 'x', textOrNumber);
    expect(scope.get(either)).toBe('x');
    scope.set(either, 3);
    expect(scope.get(either)).toBe(3);
    scope.set('n', [3]);
    expect(() => scope.get(either)).toThrow(
      'the value stored under "n" does not fit its key: neither a text nor a number',
    );
    await expect(scope.update(either, () => 4)).rejects.toMatchObject({ code: 'SCOPE_VALUE' });
    expect(() => scope.set(either, true as never)).toThrow('does not fit');
  });

  it(proves('S07')('accepts any value if it has no default and no schema'), () => {
    const scope = createScope();
    for (const value of samples) {
      scope.set(stateKey('n'), value);
      expect(scope.get(stateKey('n'))).toEqual(value);
    }
    expect(createScope().get(stateKey('n'))).toBeUndefined();
  });
});

const textOrNumber: StandardSchema<string | number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value === 'string' || typeof value === 'number'
        ? { value }
        : { issues: [{ message: 'neither a text nor a number' }] },
  },
};

function kind(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

function codeOfError(error: unknown): string {
  return (error as BridleError).code;
}

function codeFrom(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return codeOfError(error);
  }
}
