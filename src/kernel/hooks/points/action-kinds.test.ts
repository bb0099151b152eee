/** Every action at every point, as plain JavaScript may give them, and the answers of other systems. */

import {
  allowAll,
  answerQuestions,
  cancelQuestions,
  confirm,
  giveUp,
  fallback,
  summaryHint,
  type Hook,
  errorMessage,
  type PointName,
  pointNames,
  recover,
  reject,
  replace,
  retry,
  useSummary,
  transform,
} from 'bridle';
import { testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { entriesOf, eventsOf, rig, story } from '../../../../test/rigs/guard-rig.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const { preTurn, postTurn, preLlmCall, postLlmCall } = samplePayloads;
const values: Readonly<Partial<Record<PointName, unknown>>> = {
  preTurn: preTurn.prompt,
  postTurn: postTurn.output,
  onTurnError: postTurn.output,
  preLlmCall,
  postLlmCall: postLlmCall.response,
  preToolCall: { path: 'b' },
  postToolCall: 'changed',
};

const actions: Readonly<Record<string, (point: PointName) => unknown>> = {
  transform: (point) => transform(values[point] ?? 'x'),
  replace: (point) => replace(values[point] ?? 'x'),
  reject: () => reject('no'),
  confirm: () => confirm('sure?'),
  'retry(feedback)': () => retry('again'),
  'retry()': () => retry(),
  fallback: () => fallback('m-2'),
  fail: () => giveUp(),
  recover: () => recover('value'),
  message: () => errorMessage('text'),
  answer: () => answerQuestions([{ text: 'yes' }]),
  cancel: () => cancelQuestions(),
  hint: () => summaryHint({ keep: 'names' }),
  summary: () => useSummary('short'),
};

/** The table of the contract. */
const accepted: Readonly<Record<Exclude<PointName, 'onEvent'>, readonly string[]>> = {
  onSessionStart: ['reject'],
  onSessionEnd: [],
  preTurn: ['transform', 'replace', 'reject'],
  postTurn: ['transform', 'replace'],
  onTurnError: ['replace'],
  preLlmCall: ['transform', 'replace', 'reject'],
  postLlmCall: ['transform', 'replace', 'reject', 'retry(feedback)'],
  onLlmError: ['retry()', 'fallback', 'fail'],
  preToolCall: ['transform', 'replace', 'reject', 'confirm'],
  postToolCall: ['transform', 'replace'],
  onToolError: ['recover', 'message'],
  onInteraction: ['answer', 'cancel'],
  preCompaction: ['hint', 'summary', 'reject'],
  postCompaction: [],
};
const gates: readonly string[] = ['onSessionStart', 'preTurn', 'preLlmCall', 'postLlmCall', 'preToolCall'];

interface Came {
  readonly type: string;
  readonly failures: number;
  /** The other hook was called after it. */
  readonly next: boolean;
}

function should(point: keyof typeof accepted, action: string, failOpen: boolean | undefined): Came {
  if (accepted[point].includes(action)) {
    const goesOn = ['transform', 'confirm', 'hint'].includes(action);
    const passes = goesOn || (action === 'replace' && point !== 'onTurnError');
    return { type: passes ? 'passed' : action === 'reject' ? 'rejected' : 'answered', failures: 0, next: goesOn };
  }
  if (gates.includes(point)) return { type: 'rejected', failures: 1, next: false };
  if (point === 'postToolCall' && action === 'reject') return { type: 'rejected', failures: 1, next: false };
  return failOpen === false
    ? { type: 'failed', failures: 1, next: false }
    : { type: 'passed', failures: 1, next: true };
}

async function came(point: PointName, give: () => unknown, failOpen: boolean | undefined): Promise<Came> {
  let failures = 0;
  let next = false;
  const isReversed = point.startsWith('post') || point === 'onSessionEnd';
  const hooks = [
    { name: 'acts', failOpen, [point]: give },
    { name: 'next', priority: isReversed ? 1 : 900, [point]: () => void (next = true) },
    { name: 'watch', onEvent: ({ type }: { type: string }) => void (failures += type === 'hook_failed' ? 1 : 0) },
  ] as unknown as readonly Hook[];
  const { type } = await testActivity(hooks).dispatch(point, samplePayloads[point]);
  return { type, failures, next };
}

describe.each(Object.keys(accepted) as (keyof typeof accepted)[])('at %s', (point) => {
  it.each(Object.keys(actions))(
    proves('H05', 'H06', 'H07')('%s is accepted or refused as the table defines'),
    async (name) => {
      for (const failOpen of [undefined, true, false]) {
        for (const isAsync of [false, true]) {
          const give = (): unknown => actions[name]?.(point);
          const result = await came(point, isAsync ? async () => give() : give, failOpen);
          expect([failOpen, isAsync, result]).toEqual([failOpen, isAsync, should(point, name, failOpen)]);
        }
      }
    },
  );
});

/** Answers that other systems take, with what they mean there. */
const foreign: readonly (readonly [answer: unknown, refuses: boolean, shown: string])[] = [
  [{ allow: true }, false, '{ allow: true }'],
  [{ allow: true, message: '' }, false, '{ allow: true, message }'],
  [{ allow: false, message: 'no sk-12345' }, true, '{ allow: false, message }'],
  [{ allow: false, reason: 'no' }, true, '{ allow: false, reason }'],
  [{ allowed: true }, false, '{ allowed: true }'],
  [{ approved: false }, true, '{ approved: false }'],
  [{ decision: 'approve' }, false, '{ decision: "approve" }'],
  [{ decision: 'block', reason: 'no' }, true, '{ decision: "block", reason }'],
  [{ decision: 'ALLOW' }, false, '{ decision: "ALLOW" }'],
  [{ permissionDecision: 'deny' }, true, '{ permissionDecision: "deny" }'],
  [{ hookSpecificOutput: { permissionDecision: 'deny' } }, true, '{ hookSpecificOutput }'],
  [{ hookSpecificOutput: { permissionDecision: 'allow' } }, false, '{ hookSpecificOutput }'],
  [{ permission: 'ask' }, false, '{ permission }'],
  [{ behavior: 'allow', updatedInput: {} }, false, '{ behavior: "allow", updatedInput }'],
  [{ behavior: 'deny', message: 'no' }, true, '{ behavior: "deny", message }'],
  [{ block: true }, true, '{ block: true }'],
  [{ block: false }, false, '{ block: false }'],
  [{ continue: false, stopReason: 'no' }, true, '{ continue: false, stopReason }'],
  [{ continue: true }, false, '{ continue: true }'],
  [true, false, 'true'],
  [false, true, 'false'],
  ['deny', true, '"deny"'],
  ['allow', false, '"allow"'],
  ['block', true, '"block"'],
  ['Continue', false, '"Continue"'],
  [[{ allow: true, message: '' }, { fallback: true }], false, 'a list'],
  [[{ allow: false, message: 'no' }, null], true, 'a list'],
  [{ result: { allowed: false } }, false, '{ result }'],
  [{ reason: 'deny' }, false, '{ reason: "deny" }'],
  [{}, false, 'an empty object'],
  [null, false, 'null'],
];

/** What a hook that answers `{ allow: true }` is told to do. */
const adviceAt = async (point: PointName): Promise<unknown> => {
  const seen: unknown[] = [];
  const hooks = [
    { name: 'ported', [point]: () => ({ allow: true }) },
    { name: 'watch', onEvent: (event: unknown) => void seen.push(event) },
  ] as unknown as Hook[];
  await testActivity(hooks).dispatch(point, samplePayloads[point]);
  return (seen as { message: string }[]).map(({ message: text }) => text.split('; ').slice(1).join('; '));
};

describe('an answer of another system', () => {
  it.each(foreign)(
    proves('H05', 'H06')('%j closes a gate, and the message explains what to answer'),
    async (given, _refuses, shown) => {
      const made = await rig({ hooks: [{ name: 'ported', failOpen: true, preToolCall: () => given as never }] });
      const result = await made.call('act');
      expect(result).toMatchObject({ type: 'denied', hook: 'ported' });
      expect(result.text).toBe(
        `Hook "ported" failed at preToolCall: answered ${shown}, which is not an action; ` +
          'answer nothing, or `reject(reason)`; this point also accepts transform, replace, confirm',
      );
      expect(made.host.calls).toEqual([]);
    },
  );

  it.each(['allow', 'deny', 'block', 'proceed', 'Continue'])(
    proves('H05', 'H06')('of type %s gets the same advice'),
    async (type) => {
      const { call } = await rig({ hooks: [{ name: 'ported', preToolCall: () => ({ type }) as never }] });
      expect((await call('act')).text).toContain(`answered "${type}"; answer nothing, or \`reject(reason)\``);
    },
  );

  it(proves('H05')('gets advice that fits the point'), async () => {
    expect(await adviceAt('onSessionStart')).toEqual(['answer nothing, or `reject(reason)`']);
    expect(await adviceAt('postTurn')).toEqual(['answer nothing, or one of transform, replace']);
    expect(await adviceAt('onToolError')).toEqual(['answer nothing, or one of recover, message']);
    expect(await adviceAt('onSessionEnd')).toEqual(['answer nothing']);
  });

  it.each(foreign)(proves('H07')('%j at postToolCall withholds the result if it refuses'), async (given, refuses) => {
    const hooks = [{ name: 'ported', failOpen: true, postToolCall: () => given as never }];
    const made = await rig({ hooks, does: { act: 'raw' } });
    const result = await made.call('act');
    expect([result.type, result.text.includes('raw')]).toEqual(refuses ? ['error', false] : ['ok', true]);
    expect(eventsOf(made, 'hook_failed')).toMatchObject([{ hook: 'ported', kind: 'malformed' }]);
  });
});

describe('a reject at postToolCall', () => {
  it(proves('H07', 'G06')('withholds the result from the model, and the outcome is error'), async () => {
    const seen: unknown[] = [];
    const hooks: Hook[] = [
      { name: 'late', priority: 1, postToolCall: () => void seen.push('late') },
      { name: 'no', postToolCall: () => reject('it holds a key') as never },
      { name: 'seer', observes: true, postToolCall: ({ result, outcome }) => void seen.push([result, outcome.type]) },
    ];
    const made = await rig({ hooks, policy: allowAll(), does: { act: 'sk-12345' } });
    const result = await made.call('act');
    const text = 'The result is withheld: hook "no" rejected it: it holds a key';
    expect(result).toMatchObject({ type: 'error', text, isError: true });
    expect(JSON.stringify(result)).not.toContain('sk-12345');
    expect(story(made)).toEqual(['decided allowed', 'noted hook_failed', 'settled error']);
    expect(entriesOf(made, 'settled')).toMatchObject([{ result: text, original: 'sk-12345' }]);
    expect(eventsOf(made, 'tool_settled')).toMatchObject([{ outcome: 'error' }]);
    // No other hook is called; one that observes sees what the model sees.
    expect(seen).toEqual([[text, 'error']]);
  });

  it.each([true, undefined, false])(
    proves('H07')('does so after a replace, by a gate, with failOpen %s, whatever its form'),
    async (failOpen) => {
      const forms = [reject('no'), { type: 'reject' }, { type: 'reject', reason: 7 }, Promise.resolve(reject('no'))];
      for (const form of forms) {
        const hooks: Hook[] = [
          { name: 'raw', priority: 900, postToolCall: () => replace('sk-12345') },
          { name: 'no', gate: true, failOpen, postToolCall: () => form as never },
        ];
        const { call } = await rig({ hooks });
        expect(await call('act')).toMatchObject({ type: 'error', text: expect.stringContaining('"no" rejected it') });
      }
    },
  );

  it(proves('H07', 'G12')('has its reason cut'), async () => {
    const { call } = await rig({ hooks: [{ name: 'no', postToolCall: () => reject('x'.repeat(1e5)) as never }] });
    expect((await call('act')).text.length).toBeLessThan(5000);
  });
});

it(proves('H05')('the table of this test is the table of the points'), () => {
  expect(Object.keys(accepted)).toEqual(pointNames.filter((point) => point !== 'onEvent'));
});
