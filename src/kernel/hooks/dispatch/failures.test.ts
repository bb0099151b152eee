/** What happens when hooks fail: every point, every kind of failure, every `failOpen`. */

import { type Hook, type PointName, pointNames } from 'bridle';
import { fakeClock, testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

type Kind = 'threw' | 'malformed' | 'timeout';

interface Failure {
  readonly name: string;
  readonly kind: Kind;
  readonly method: () => unknown;
  /** It says no, in whatever way. */
  readonly refuses?: boolean;
}

const throwing = (name: string, thrown: () => unknown): Failure[] => [
  {
    name: `throws ${name}`,
    kind: 'threw',
    method: () => {
      throw thrown();
    },
  },
  {
    name: `rejects with ${name}`,
    kind: 'threw',
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    method: () => Promise.reject(thrown()),
  },
];

const malformed = (name: string, value: () => unknown): Failure[] => [
  { name: `answers ${name}`, kind: 'malformed', method: value },
  { name: `resolves to ${name}`, kind: 'malformed', method: async () => value() },
];

const refusing = (name: string, value: () => unknown): Failure[] =>
  malformed(name, value).map((failure) => ({ ...failure, refuses: true }));

const withGetter = (name: string, more: object = {}): object =>
  Object.defineProperty({ ...more }, name, {
    enumerable: true,
    get() {
      throw new RangeError('no reading');
    },
  });

const trap = (): never => {
  throw new RangeError('no touching');
};

const hostile = (): object => {
  return new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
};

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

class OddPromise extends Promise<unknown> {
  // oxlint-disable-next-line unicorn/no-thenable
  override then(): never {
    throw new RangeError('this promise cannot be waited for');
  }
}

const neverSettles = (): Promise<never> => new Promise<never>(() => {});

// oxlint-disable unicorn/no-thenable
const failures: readonly Failure[] = [
  ...throwing('an Error', () => new RangeError('broke')),
  ...throwing('a string', () => 'broke'),
  ...throwing('undefined', () => undefined),
  ...throwing('null', () => null),
  ...throwing('a number', () => 7),
  ...throwing('a symbol', () => Symbol('broke')),
  ...throwing('an Error without words', () => Object.assign(new RangeError(''), { name: Symbol('odd') })),
  ...throwing('an Error whose message throws', () => withGetter('message', new RangeError('x'))),
  ...throwing('an object without a prototype', () => Object.create(null)),
  ...throwing('a hostile proxy', hostile),
  ...malformed('null', () => null),
  ...malformed('true', () => true),
  ...refusing('false', () => false),
  ...malformed('zero', () => 0),
  ...malformed('an empty text', () => ''),
  ...refusing('"reject"', () => 'reject'),
  ...malformed('a text', () => 'redacted'),
  ...malformed('a bigint', () => 1n),
  ...malformed('a symbol', () => Symbol('reject')),
  ...malformed('a function', () => () => undefined),
  ...malformed('a list', () => []),
  ...refusing('a list of actions', () => [{ type: 'reject', reason: 'no' }]),
  ...malformed('an empty object', () => ({})),
  ...malformed('a type that is no text', () => ({ type: 7 })),
  ...malformed('an unknown action', () => ({ type: 'nonsense' })),
  ...malformed('"constructor"', () => ({ type: 'constructor' })),
  ...malformed('"__proto__"', () => ({ type: '__proto__' })),
  ...malformed('"toString"', () => ({ type: 'toString' })),
  ...refusing('a reject with another field', () => ({ type: 'reject', reason: 'no', extra: 1 })),
  ...refusing('a reject without a reason', () => ({ type: 'reject' })),
  ...refusing('a reject with an empty reason', () => ({ type: 'reject', reason: '' })),
  ...refusing('a reject with a blank reason', () => ({ type: 'reject', reason: ' \n\t' })),
  ...refusing('a reject whose reason is no text', () => ({ type: 'reject', reason: { toString: () => 'no' } })),
  ...refusing('a reject whose reason cannot be read', () => withGetter('reason', { type: 'reject' })),
  ...malformed('a confirm without a question', () => ({ type: 'confirm' })),
  ...malformed('a transform without a value', () => ({ type: 'transform' })),
  ...malformed('a transform to undefined', () => ({ type: 'transform', value: undefined })),
  ...malformed('a transform to what is not JSON', () => ({ type: 'transform', value: new Map() })),
  ...malformed('a replace by a function', () => ({ type: 'replace', value: () => 1 })),
  ...malformed('a replace with another field', () => ({ type: 'replace', value: {}, because: 'x' })),
  ...malformed('a retry with both fields', () => ({ type: 'retry', feedback: 'x', afterMs: 1 })),
  ...malformed('a recover of a date', () => ({ type: 'recover', value: new Date(0) })),
  ...malformed('a message without a text', () => ({ type: 'message' })),
  ...malformed('an answer without responses', () => ({ type: 'answer' })),
  ...malformed('an answer to too many questions', () => ({ type: 'answer', responses: [{}, {}] })),
  ...malformed('a cancel with another field', () => ({ type: 'cancel', reason: 'x' })),
  ...malformed('a hint that is a list', () => ({ type: 'hint', hint: [] })),
  ...malformed('a summary without a text', () => ({ type: 'summary' })),
  ...malformed('a type that cannot be read', () => withGetter('type')),
  { name: 'answers a revoked proxy', kind: 'malformed', method: revoked },
  { name: 'resolves to a revoked proxy', kind: 'threw', method: async () => revoked() },
  { name: 'answers a hostile proxy', kind: 'malformed', method: hostile },
  { name: 'answers an object whose then cannot be read', kind: 'malformed', method: () => withGetter('then') },
  { name: 'resolves to a hostile proxy', kind: 'threw', method: async () => hostile() },
  {
    name: 'answers a thenable that throws',
    kind: 'threw',
    method: () => ({
      then: () => {
        throw new RangeError('broke');
      },
    }),
  },
  { name: 'answers a thenable that hangs', kind: 'timeout', method: () => ({ then: () => {} }) },
  {
    name: 'answers a thenable that gives a promise that hangs',
    kind: 'timeout',
    method: () => ({ then: (go: (value: unknown) => void) => go(neverSettles()) }),
  },
  {
    name: 'answers a thenable that gives nonsense at once',
    kind: 'malformed',
    method: () => ({ then: (go: (value: unknown) => void) => go('nonsense') }),
  },
  { name: 'answers a promise that cannot be waited for', kind: 'threw', method: () => new OddPromise(() => {}) },
  { name: 'hangs', kind: 'timeout', method: neverSettles },
];
// oxlint-enable unicorn/no-thenable

const gates: ReadonlySet<string> = new Set(['onSessionStart', 'preTurn', 'preLlmCall', 'postLlmCall', 'preToolCall']);

/** The rules H06 and H07, as they are written. */
function expected(
  point: PointName,
  { kind, refuses }: Failure,
  failOpen: boolean | undefined,
): 'rejected' | 'failed' | 'passed' {
  if (gates.has(point)) {
    if (kind === 'malformed') return 'rejected';
    return failOpen === true ? 'passed' : 'rejected';
  }
  if (point === 'postToolCall' && refuses === true) return 'rejected';
  return failOpen === false ? 'failed' : 'passed';
}

const limitMs = 100;

/** What comes of one failing hook between two others that have no opinion. */
async function fail(point: PointName, failure: Failure, failOpen: boolean | undefined): Promise<unknown> {
  const clock = fakeClock();
  const called: string[] = [];
  const events: unknown[] = [];
  const quiet = (name: string, priority: number): Hook => ({ name, priority, [point]: () => void called.push(name) });
  const hooks = [
    quiet('low', 10),
    { name: 'faulty', priority: 50, timeoutMs: limitMs, failOpen, [point]: failure.method } as Hook,
    quiet('high', 90),
    { name: 'watcher', onEvent: (event) => void events.push(event) } satisfies Hook,
  ];
  const activity = testActivity(hooks, { clock });
  const dispatched = Promise.resolve(activity.dispatch(point, samplePayloads[point]));
  if (failure.kind === 'timeout') await clock.advance(limitMs + 100);
  const result = await dispatched;
  const own = failure.refuses === true && !gates.has(point) && result.type === 'rejected';
  const named = 'reason' in result && (own || result.reason.includes('"faulty"')) && result.hook === 'faulty';
  return { type: result.type, named, called, events: events.map(summary) };
}

function summary(event: unknown): unknown {
  const { type, hook, point, kind, message } = event as Record<string, unknown>;
  return { type, hook, point, kind, worded: typeof message === 'string' && message !== '' };
}

const reversed: ReadonlySet<string> = new Set([
  'onSessionEnd',
  'postTurn',
  'postLlmCall',
  'postToolCall',
  'postCompaction',
]);

/** What should come of it. */
function model(point: PointName, failure: Failure, failOpen: boolean | undefined): unknown {
  const { kind } = failure;
  const type = expected(point, failure, failOpen);
  const [first, last] = reversed.has(point) ? ['high', 'low'] : ['low', 'high'];
  const events = [{ type: 'hook_failed', hook: 'faulty', point, kind, worded: true }];
  return { type, named: type !== 'passed', called: type === 'passed' ? [first, last] : [first], events };
}

describe.each(pointNames.filter((name) => name !== 'onEvent'))('%s', (point) => {
  it.each([undefined, true, false])(
    proves('H05', 'H06', 'H07', 'H09')('handles every kind of failure as the rule defines, failOpen %s'),
    async (failOpen) => {
      const outcomes = await Promise.all(
        failures.map(async (failure) => [failure.name, await fail(point, failure, failOpen)]),
      );
      expect(outcomes).toEqual(failures.map((failure) => [failure.name, model(point, failure, failOpen)]));
    },
  );
});
