import {
  allow,
  allowAll,
  arg,
  ask,
  compilePolicy,
  createGuard,
  deny,
  forbid,
  type JsonObject,
  type Rule,
  type ToolCall,
} from 'bridle';
import type { RuleCondition } from '../rules/rule.ts';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';

const approver = (): boolean => true;
const builders = { allow, ask, deny, forbid };
const kinds = ['allow', 'ask', 'deny', 'forbid'] as const;
const call = { tool: 'push', args: { branch: 'main' } };
const never = new Promise<never>(() => undefined);
const asWhen = (answer: () => unknown): RuleCondition => answer as RuleCondition;

describe('a predicate', () => {
  it(proves('P05')('gets the args and the call, sync or async'), async () => {
    const seen: unknown[] = [];
    const look: RuleCondition = (args, { tool, server, tier, displayName }) => {
      seen.push({ args, tool, server, tier, displayName });
      return false;
    };
    const policy = compilePolicy(
      [deny('push', { when: look }), deny('push', { when: async (...given) => look(...given) })],
      {
        tools: [{ name: 'push', displayName: 'Push it', tier: 'observe' }],
      },
    );
    expect(await policy.decide(call)).toMatchObject({ effect: 'allow', rule: undefined });
    const expected = {
      args: { branch: 'main' },
      tool: 'push',
      server: undefined,
      tier: 'observe',
      displayName: 'Push it',
    };
    expect(seen).toEqual([expected, expected]);
  });

  it.each(kinds)(proves('P05')('of a rule that would %s decides by true and not by false'), async (kind) => {
    for (const answer of [true, false]) {
      for (const when of [() => answer, async () => answer]) {
        const policy = compilePolicy([builders[kind]('push', { when })], { approver, default: 'allow' });
        const expected = !answer ? 'allow' : kind === 'forbid' ? 'deny' : kind;
        expect(await policy.decide(call)).toMatchObject({ effect: expected });
      }
    }
  });

  it(proves('P05')('may be asynchronous if a library has replaced the global Promise'), async () => {
    const policy = compilePolicy([deny('push', { when: async () => true })], { tools: [{ name: 'push' }] });
    const native = globalThis.Promise;
    // Results of async functions are then no instances of the global Promise.
    globalThis.Promise = class extends native<unknown> {} as PromiseConstructor;
    try {
      expect(await policy.decide(call)).toMatchObject({ effect: 'deny' });
    } finally {
      globalThis.Promise = native;
    }
  });

  it(proves('P05')('stays synchronous if it can'), () => {
    const policy = compilePolicy([allow('push', { when: () => true })]);
    expect(policy.decide(call)).not.toBeInstanceOf(Promise);
    expect(policy.decide(call)).toMatchObject({ effect: 'allow' });
  });

  it(proves('P05')('cannot change what it sees'), async () => {
    const decision = await compilePolicy([deny('push', { name: 'meddler', when: meddle })]).decide(call);
    expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'meddler' } });
    expect(call.args).toEqual({ branch: 'main' });
  });
});

describe('a predicate that fails', () => {
  const unreadable = Object.defineProperty({}, String('then'), { get: throwing('no') });
  const failures: readonly (readonly [title: string, when: () => unknown, says: string])[] = [
    ['throws', throwing(new Error('broken')), 'threw: broken'],
    ['throws a text', throwing('broken'), 'threw: broken'],
    ['throws undefined', throwing(undefined), 'threw'],
    ['throws true', throwing(true), 'threw'],
    ['throws what cannot be printed', throwing(Object.create(null)), 'threw'],
    ['rejects', () => Promise.reject(new Error('broken')), 'rejected: broken'],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    ['rejects with true', () => Promise.reject(true), 'rejected'],
    ['answers undefined', () => undefined, 'undefined'],
    ['answers null', () => null, 'null'],
    ['answers 0', () => 0, 'a number'],
    ['answers 1', () => 1, 'a number'],
    ['answers NaN', () => Number.NaN, 'a number'],
    ['answers an empty text', () => '', 'a string'],
    ['answers "true"', () => 'true', 'a string'],
    ['answers "false"', () => 'false', 'a string'],
    ['answers a list', () => [], 'a list'],
    ['answers an object', () => ({}), 'an object'],
    ['answers a Boolean object', () => Object(true), 'an object'],
    ['answers a function', () => () => true, 'a function'],
    ['answers a symbol', () => Symbol('yes'), 'a symbol'],
    ['answers a bigint', () => 1n, 'a bigint'],
    ['answers a match of a pattern', () => 'x'.match(/x/), 'a list'],
    ['resolves to undefined', () => Promise.resolve(undefined), 'undefined'],
    ['resolves to 1', () => Promise.resolve(1), 'a number'],
    ['resolves to a text', () => Promise.resolve('yes'), 'a string'],
    ['has a then that throws', () => thenable(throwing(new Error('broken'))), 'rejected: broken'],
    ['has a then that gives a number', () => thenable((resolve) => resolve(1)), 'a number'],
    ['has a then that cannot be read', () => unreadable, ''],
    ['never answers', () => never, 'did not answer within 100 ms'],
    ['has a then that never answers', () => thenable(() => undefined), 'did not answer within 100 ms'],
    ['has a then that gives one that never answers', () => thenable((resolve) => resolve(never)), 'within 100 ms'],
    [
      'is a promise with a then of its own that never answers',
      () =>
        Object.assign(
          Promise.resolve(1),
          thenable(() => undefined),
        ),
      '',
    ],
  ];

  it.each(failures)(proves('P05')('because it %s denies, whatever its rule would do'), async (_title, when, says) => {
    for (const kind of kinds) {
      const clock = fakeClock();
      const rule = builders[kind]('push', { name: `the ${kind} rule`, when: asWhen(when) });
      const policy = compilePolicy([rule, allowAll()], { approver, clock, timeoutMs: 100 });
      const deciding = policy.decide(call);
      await clock.advance(500);
      const decision = await deciding;
      expect(decision).toMatchObject({ effect: 'deny', rule: { name: `the ${kind} rule` }, grant: undefined });
      expect(decision.reason).toContain(`"the ${kind} rule"`);
      expect(decision.reason).toContain(says);
    }
  });

  it(proves('P05')('is named by its target if the rule has no name'), async () => {
    const decision = await compilePolicy([allow('push', { when: throwing(new Error('broken')) })]).decide(call);
    expect(decision.reason).toContain('"allow push"');
  });

  it(proves('P05')('has the time it was given and no more, and a late true changes nothing'), async () => {
    const clock = fakeClock();
    const { promise: slow, resolve: answer } = deferred();
    const policy = compilePolicy([allow('push', { when: () => slow })], { clock, timeoutMs: 1000 });
    let decided: unknown;
    const deciding = (async () => {
      decided = await policy.decide(call);
    })();
    await clock.advance(900);
    expect(decided).toBeUndefined();
    await clock.advance(1100);
    answer(true);
    await deciding;
    expect(decided).toMatchObject({ effect: 'deny' });
  });

  it(proves('P05')('denies in the guard as well'), async () => {
    const clock = fakeClock();
    const guard = createGuard({
      tools: [{ name: 'push' }],
      policy: [allow('push', { name: 'hung', when: () => never })],
      timeoutMs: 100,
      clock,
    });
    const turn = (await guard.start()).turn();
    let ran = 0;
    const running = turn.guard(call, { run: () => ++ran });
    await clock.advance(1000);
    expect(await running).toMatchObject({ type: 'denied', rule: { name: 'hung' } });
    expect(ran).toBe(0);
  });

  it(proves('P05')('does not stop the rules before it'), async () => {
    const policy = compilePolicy([deny('push'), allow('push', { when: throwing(new Error('broken')) })]);
    expect(await policy.decide(call)).toMatchObject({ effect: 'deny', reason: 'Denied push by rule "deny push"' });
  });
});

describe('arg', () => {
  it(proves('P05', 'P14')('tests one argument, and undefined where it is missing'), async () => {
    const seen: unknown[] = [];
    const when = arg('branch', (value) => {
      seen.push(value);
      return value === 'main';
    });
    const policy = compilePolicy([deny('push', { when })]);
    expect(await policy.decide(call)).toMatchObject({ effect: 'deny' });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'allow' });
    expect(seen).toEqual(['main', undefined]);
  });

  it(proves('P05', 'G11')('never reads what an object inherits'), async () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const policy = compilePolicy([deny('push', { when: arg(name, (value) => value !== undefined) })]);
      expect(await policy.decide(call), name).toMatchObject({ effect: 'allow' });
    }
  });

  it(proves('P05')('fails like any other predicate'), async () => {
    const policy = compilePolicy([
      allow('push', {
        name: 'odd',
        when: arg('branch', (() => 'main') as never),
      }),
    ]);
    const decision = await policy.decide(call);
    expect(decision).toMatchObject({ effect: 'deny' });
    expect(decision.reason).toContain('"odd"');
  });

  it(proves('P07')('refuses an invalid name or test'), () => {
    const wrong: readonly unknown[][] = [
      [],
      [''],
      ['branch'],
      ['branch', 'main'],
      [1, () => true],
      [undefined, () => true],
    ];
    for (const given of wrong) {
      expect(() => (arg as (...given: unknown[]) => unknown)(...given), JSON.stringify(given)).toThrow('arg takes');
    }
  });
});

describe('the reason', () => {
  it(proves('P11')('is the rule’s own'), async () => {
    expect(await decide(deny('push', { reason: 'Not on a Friday' }))).toMatchObject({ reason: 'Not on a Friday' });
    expect(await decide(forbid('push', { reason: 'Never' }))).toMatchObject({ reason: 'Never' });
    expect(await decide(deny('push', { reason: worded }))).toMatchObject({ reason: 'No push with {"branch":"main"}' });
  });

  it(proves('P11')('is otherwise a stable text with the name or the target of the rule'), async () => {
    expect((await decide(deny('push'))).reason).toBe('Denied push by rule "deny push"');
    expect((await decide(deny('*'))).reason).toBe('Denied push by rule "deny *"');
    expect((await decide(deny('push', { name: 'freeze' }))).reason).toBe('Denied push by rule "freeze"');
    expect((await decide(forbid('push'))).reason).toBe('Denied push by rule "forbid push"');
    expect((await decide(forbid('push', { name: 'freeze' }))).reason).toBe('Denied push by rule "freeze"');
    expect((await decide(ask('push', { name: 'check' }))).reason).toBe('May push run? Rule "check" asks first');
    const policy = compilePolicy([deny('gh/*'), deny('gh/push')], { servers: ['gh'] });
    expect((await policy.decide({ server: 'gh', tool: 'pull' })).reason).toBe('Denied gh/pull by rule "deny gh/*"');
    expect((await policy.decide({ server: 'gh', tool: 'push' })).reason).toBe('Denied gh/push by rule "deny gh/push"');
  });

  it.each([
    ['throws', throwing(new Error('broken'))],
    ['answers nothing', () => undefined],
    ['answers an empty text', () => '  '],
    ['answers a number', () => 7],
    ['answers a promise', () => Promise.resolve('later')],
    ['answers a promise that rejects', () => Promise.reject(new Error('unheard'))],
  ])(
    proves('P11')('is the generic text if its function %s, and the decision stays the same'),
    async (_title, reason) => {
      const decision = await decide(deny('push', { name: 'freeze', reason: reason as () => string }));
      expect(decision).toMatchObject({ effect: 'deny', reason: 'Denied push by rule "freeze"' });
    },
  );

  it(proves('P11')('is never empty on a deny or an ask, whatever the rule contains'), async () => {
    for (const reason of ['', '   ', '\n']) {
      for (const kind of ['ask', 'deny', 'forbid'] as const) {
        const { reason: given } = await decide(builders[kind]('push', { reason }));
        expect(given.trim(), kind).not.toBe('');
      }
    }
  });

  it(proves('P11', 'G12')('is cut with a note when it is long, and is well-formed text'), async () => {
    const { reason } = await decide(deny('push', { reason: 'x'.repeat(10_000) }));
    expect(reason.length).toBeLessThan(4200);
    expect(reason).toContain('5904 more characters');
    const half = await decide(deny('push', { reason: () => '😀'.slice(0, 1) }));
    expect(half.reason.isWellFormed()).toBe(true);
  });
});

function decide(rule: Rule) {
  return compilePolicy([rule], { approver }).decide(call);
}

function meddle(args: JsonObject): boolean {
  (args as { branch: string }).branch = 'other';
  return false;
}

function worded({ tool, args }: ToolCall): string {
  return `No ${tool} with ${JSON.stringify(args)}`;
}

function thenable(then: (resolve: (value: unknown) => void) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable
  return { then };
}

function deferred(): { promise: Promise<boolean>; resolve: (value: boolean) => void } {
  const made: { resolve?: (value: boolean) => void } = {};
  const promise = new Promise<boolean>((resolve) => {
    made.resolve = resolve;
  });
  return { promise, resolve: (value) => made.resolve?.(value) };
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}
