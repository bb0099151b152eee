/** How answers flow along a chain: examples, and a naive chain that the real one must agree with. */

import {
  allowAll,
  confirm,
  createGuard,
  type Hook,
  summaryHint,
  type PointName,
  recover,
  reject,
  replace,
  retry,
  useSummary,
  transform,
} from 'bridle';
import { type FakeClock, fakeClock, scriptedApprover, testActivity, tryHooks } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hang } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { runs, sample } from '../../../../test/property-runs.ts';
import { sampleCall, samplePayloads, sampleResponse } from '../../../../test/rigs/sample-payloads.ts';

const text = (args: unknown): string => (args as { path: string }).path;

const { preToolCall, preTurn, preCompaction, onToolError, postToolCall } = samplePayloads;

/** What comes of a gate's answer after another hook replaced the args. */
const after = (method: Hook['preToolCall']): Promise<unknown> =>
  tryHooks(
    [
      { name: 'replacer', preToolCall: async () => replace({ path: 'b' }) },
      { name: 'gate', gate: true, failOpen: true, preToolCall: method },
    ],
    'preToolCall',
    { payload: preToolCall },
  );

const asking = (name: string): Hook => ({ name, preToolCall: () => confirm(`${name}?`) });

describe('the flow of answers', () => {
  it(proves('H04')('hands a transformed value to the next hook'), async () => {
    const seen: unknown[] = [];
    const hooks: Hook[] = ['a', 'b', 'c'].map((name) => ({
      name,
      preToolCall: ({ call }) => {
        seen.push(call.args);
        return transform({ path: `${text(call.args)}${name}` });
      },
    }));
    const result = await tryHooks(hooks, 'preToolCall', { payload: preToolCall });
    expect(seen).toEqual([{ path: 'a' }, { path: 'aa' }, { path: 'aab' }]);
    expect(result).toMatchObject({ type: 'passed', payload: { call: { args: { path: 'aabc' } }, grant: {} } });
    expect(sampleCall.args).toEqual({ path: 'a' });
  });

  it(proves('H04')('skips the rest after a replace, except gates, which see the final value'), async () => {
    const called: string[] = [];
    const look = (name: string, gate: boolean): Hook => ({
      name,
      gate,
      preTurn: ({ prompt }) => void called.push(`${name}:${prompt.text}`),
    });
    const hooks: Hook[] = [
      look('before', false),
      { name: 'replacer', preTurn: () => replace({ text: 'new', media: [] }) },
      look('plain', false),
      look('gate', true),
    ];
    const result = await tryHooks(hooks, 'preTurn', { payload: preTurn });
    expect(called).toEqual(['before:hi', 'gate:new']);
    expect(result).toMatchObject({ type: 'passed', payload: { prompt: { text: 'new' }, origin: 'user' } });
  });

  it(proves('H04')('lets a gate after a replace reject or confirm, and nothing else'), async () => {
    expect(await after(() => reject('no'))).toEqual({ type: 'rejected', reason: 'no', hook: 'gate' });
    expect(await after(() => confirm('sure?'))).toMatchObject({
      type: 'passed',
      payload: { call: { args: { path: 'b' } } },
      confirms: [{ question: 'sure?', hook: 'gate' }],
    });
    for (const action of [transform({ path: 'c' }), replace({ path: 'c' })]) {
      expect(await after(() => action)).toMatchObject({
        type: 'rejected',
        hook: 'gate',
        reason: expect.stringContaining('after a replace a gate may only reject or confirm') as unknown,
      });
    }
  });

  it(proves('H04')('collects every confirm and continues; a later reject wins'), async () => {
    const noted = await tryHooks([asking('a'), asking('b')], 'preToolCall', { payload: preToolCall });
    expect(noted).toEqual({
      type: 'passed',
      payload: undefined,
      confirms: [
        { question: 'a?', hook: 'a' },
        { question: 'b?', hook: 'b' },
      ],
      hint: undefined,
    });
    const no: Hook = { name: 'no', preToolCall: () => reject('no') };
    const refused = await tryHooks([asking('a'), no, asking('b')], 'preToolCall', { payload: preToolCall });
    expect(refused).toEqual({ type: 'rejected', reason: 'no', hook: 'no' });
  });

  it(proves('H04')('does not ask if a later hook rejects'), async () => {
    const { approver, requests: asked } = scriptedApprover([]);
    const hooks: Hook[] = [
      { name: 'careful', preToolCall: () => confirm('sure?') },
      { name: 'no', preToolCall: () => reject('never') },
    ];
    const session = await createGuard({ tools: [{ name: 'write' }], policy: allowAll(), hooks, approver }).start();
    expect(await session.turn().guard({ tool: 'write' }, { run: () => 'ran' })).toMatchObject({
      type: 'denied',
      text: 'never',
    });
    expect(asked).toEqual([]);
  });

  it(proves('H04')('merges hints, the later hook winning a key'), async () => {
    const hooks: Hook[] = [
      { name: 'a', preCompaction: () => summaryHint({ keep: ['x'], both: 1 }) },
      { name: 'b', preCompaction: async () => summaryHint({ style: 'short', both: 2 }) },
    ];
    expect(await tryHooks(hooks, 'preCompaction', { payload: preCompaction })).toMatchObject({
      type: 'passed',
      hint: { keep: ['x'], style: 'short', both: 2 },
    });
  });

  it(proves('H04')('takes the first of every other action and skips the rest'), async () => {
    const called: string[] = [];
    const later = (point: PointName): Hook => ({ name: 'later', gate: true, [point]: () => void called.push(point) });
    const first: Hook = {
      name: 'first',
      priority: 1,
      onToolError: () => recover(1),
      preCompaction: () => useSummary('s'),
      onLlmError: () => retry(5),
    };
    const hooks = (point: PointName): Hook[] => [later(point), first];
    const answered = { type: 'answered', hook: 'first' };
    expect(await tryHooks(hooks('onToolError'), 'onToolError', { payload: onToolError })).toEqual({
      ...answered,
      action: { type: 'recover', value: 1 },
    });
    expect(await tryHooks(hooks('preCompaction'), 'preCompaction', { payload: preCompaction })).toEqual({
      ...answered,
      action: { type: 'summary', text: 's' },
    });
    expect(await tryHooks(hooks('onLlmError'), 'onLlmError', { payload: samplePayloads.onLlmError })).toEqual({
      ...answered,
      action: { type: 'retry', afterMs: 5 },
    });
    expect(called).toEqual([]);
  });

  it(proves('H04', 'G01')('copies and freezes what a hook gives, so that it cannot change it afterwards'), async () => {
    const mine = { list: [1] };
    const hooks: Hook[] = [{ name: 'a', postToolCall: () => transform(mine) }];
    const result = await tryHooks(hooks, 'postToolCall', { payload: postToolCall });
    mine.list.push(2);
    expect(result).toMatchObject({ payload: { result: { list: [1] } } });
    const payload = (result as unknown as { payload: { result: { list: number[] } } }).payload;
    expect(Object.isFrozen(payload) && Object.isFrozen(payload.result) && Object.isFrozen(payload.result.list)).toBe(
      true,
    );
  });

  it(proves('G12')('bounds what a hook gives: reasons are cut, values refused'), async () => {
    const long: Hook = { name: 'long', preToolCall: () => reject('x'.repeat(10_000)) };
    const rejected = await tryHooks([long], 'preToolCall', { payload: preToolCall });
    expect(rejected).toMatchObject({ type: 'rejected', hook: 'long' });
    expect((rejected as { reason: string }).reason).toMatch(/^x{4096}… \[cut: 5904 more characters\]$/);
    const large: Hook = { name: 'large', preToolCall: () => transform({ blob: 'x'.repeat(2 ** 20) }) };
    expect(await tryHooks([large], 'preToolCall', { payload: preToolCall })).toMatchObject({
      type: 'rejected',
      reason: expect.stringContaining('larger than 1048576 bytes') as unknown,
    });
    const deep: Hook = {
      name: 'deep',
      preToolCall: () => transform({ a: JSON.parse('['.repeat(70) + ']'.repeat(70)) }),
    };
    expect(await tryHooks([deep], 'preToolCall', { payload: preToolCall })).toMatchObject({ type: 'rejected' });
    const error: Hook = { name: 'error', preToolCall: () => Promise.reject(new RangeError('y'.repeat(10_000))) };
    const failed = await tryHooks([error], 'preToolCall', { payload: preToolCall });
    expect((failed as { reason: string }).reason.length).toBeLessThan(4300);
  });
});

/* The naive chain. */

/** What a hook of the model does when it is called. */
type Does = 'nothing' | 'throw' | 'hang' | 'nonsense' | 'replace' | 'transform' | 'reject' | 'note' | 'other';

interface ModelHook {
  readonly does: Does;
  readonly async: boolean;
  readonly priority: number;
  readonly gate: boolean;
  readonly failOpen: boolean | undefined;
  readonly observes: boolean;
}

/** A point of the model: which action stands for what, and how the value looks. */
interface ModelPoint {
  readonly name: 'preToolCall' | 'postLlmCall' | 'postToolCall' | 'preCompaction';
  readonly gate: boolean;
  readonly reversed: boolean;
  /** The answers this point has for what a hook does, given its name and the value it sees. */
  readonly answers: Readonly<Partial<Record<Does, (name: string, seen: string) => unknown>>>;
  readonly see: (payload: never) => string;
}

const modelPoints: readonly ModelPoint[] = [
  {
    name: 'preToolCall',
    gate: true,
    reversed: false,
    answers: {
      transform: (name, seen) => transform({ path: `${seen}+${name}` }),
      replace: (name, seen) => replace({ path: `${seen}=${name}` }),
      reject: (name) => reject(`no from ${name}`),
      note: (name) => confirm(`ask from ${name}`),
    },
    see: ({ call }: typeof samplePayloads.preToolCall) => text(call.args),
  },
  {
    name: 'postLlmCall',
    gate: true,
    reversed: true,
    answers: {
      transform: (name, seen) => transform({ ...sampleResponse, text: `${seen}+${name}` }),
      replace: (name, seen) => replace({ ...sampleResponse, text: `${seen}=${name}` }),
      reject: (name) => reject(`no from ${name}`),
      other: (name) => retry(`again from ${name}`),
    },
    see: ({ response }: typeof samplePayloads.postLlmCall) => response.text,
  },
  {
    name: 'postToolCall',
    gate: false,
    reversed: true,
    answers: {
      transform: (name, seen) => transform(`${seen}+${name}`),
      replace: (name, seen) => replace(`${seen}=${name}`),
    },
    see: ({ result }: typeof samplePayloads.postToolCall) => result as string,
  },
  {
    name: 'preCompaction',
    gate: false,
    reversed: false,
    answers: {
      note: (name) => summaryHint({ last: name, [name]: true }),
      reject: (name) => reject(`no from ${name}`),
      other: (name) => useSummary(`sum from ${name}`),
    },
    see: () => 'same',
  },
];

interface Walked {
  readonly log: string[];
  type: string;
  by: string | undefined;
  /** The final value, or the text of the answer. */
  value: string | undefined;
  notes: string[];
}

/** The rules H03, H04, H06, H07 and H17, word by word. */
function naive(point: ModelPoint, hooks: readonly ModelHook[], start: string): Walked {
  const named = hooks.map((hook, index) => ({ ...hook, name: `h${index}` }));
  const order = named.toSorted((a, b) => a.priority - b.priority);
  if (point.reversed) order.reverse();
  const { final, ...walked } = naiveWalk(
    point,
    order.filter(({ observes }) => !observes),
    start,
  );
  const seen = order.filter(({ observes }) => observes).map(({ name }) => `${name}:${final}`);
  return { ...walked, log: [...walked.log, ...seen] };
}

/** A result that is withheld is withheld from observing hooks, too. */
function withheld(type: string, name: string): string {
  return `The result is withheld: hook "${name}" ${type === 'rejected' ? `rejected it: no from ${name}` : 'failed.'}`;
}

/** Those that may answer, and the value when they were through. */
function naiveWalk(
  point: ModelPoint,
  order: readonly (ModelHook & { readonly name: string })[],
  start: string,
): Walked & { readonly final: string | undefined } {
  const walked: Walked = { log: [], type: 'passed', by: undefined, value: start, notes: [] };
  const end = (type: string, name: string, value: string | undefined): ReturnType<typeof naiveWalk> => ({
    ...walked,
    type,
    by: name,
    value,
    notes: [],
    final: point.name === 'postToolCall' ? withheld(type, name) : walked.value,
  });
  let replaced = false;
  for (const { name, does, gate, failOpen } of order) {
    if (replaced && !gate) continue;
    walked.log.push(`${name}:${walked.value}`);
    const known = point.answers[does] !== undefined;
    const forbidden = replaced && does !== 'reject' && !(does === 'note' && point.name === 'preToolCall');
    if (does === 'nothing') continue;
    if (does === 'throw' || does === 'hang') {
      if (failOpen ?? !point.gate) continue;
      return end(point.gate ? 'rejected' : 'failed', name, undefined);
    }
    if (point.name === 'postToolCall' && does === 'reject') return end('rejected', name, `no from ${name}`);
    if (!known || forbidden) {
      if (!point.gate && failOpen !== false) continue;
      return end(point.gate ? 'rejected' : 'failed', name, undefined);
    }
    if (does === 'reject') return end('rejected', name, `no from ${name}`);
    if (does === 'other') return end('answered', name, undefined);
    if (does === 'note') walked.notes.push(name);
    if (does === 'transform') walked.value += `+${name}`;
    if (does === 'replace') walked.value += `=${name}`;
    replaced ||= does === 'replace';
  }
  return { ...walked, final: walked.value };
}

interface Situation {
  /** The chain has proven quick before. */
  readonly warm: boolean;
  readonly clock?: FakeClock;
}

/** The real chain over the same hooks. */
async function real(point: ModelPoint, hooks: readonly ModelHook[], { warm, clock }: Situation): Promise<Walked> {
  const log: string[] = [];
  let quiet = warm;
  const answer = (hook: ModelHook, name: string, payload: never): unknown => {
    if (quiet) return undefined;
    const seen = point.see(payload);
    log.push(`${name}:${seen}`);
    if (hook.does === 'throw') throw new RangeError('broke');
    if (hook.does === 'hang') return hang();
    if (hook.does === 'nothing') return undefined;
    if (hook.does === 'reject') return reject(`no from ${name}`);
    return point.answers[hook.does]?.(name, seen) ?? { type: 'nonsense' };
  };
  const made = hooks.map((hook, index): Hook => {
    const { priority, gate, failOpen, observes } = hook;
    const name = `h${index}`;
    const sync = (payload: never): unknown => answer(hook, name, payload);
    const method = hook.async ? async (payload: never) => sync(payload) : sync;
    return observes
      ? { name, priority, observes, [point.name]: method }
      : { name, priority, gate, failOpen, [point.name]: method };
  });
  const activity = testActivity(made, { clock });
  const payload = samplePayloads[point.name];
  for (let round = 0; round < (warm ? 9 : 0); round++) await activity.dispatch(point.name, payload);
  quiet = false;
  const dispatched = activity.dispatch(point.name, payload);
  // Five seconds for each hook that may hang.
  if (clock !== undefined) await clock.advance(hooks.length * 5200);
  const result = await dispatched;
  const walked: Walked = { log, type: result.type, by: undefined, value: undefined, notes: [] };
  if (result.type !== 'passed') {
    const own = result.type === 'rejected' && result.reason.startsWith('no from') ? result.reason : undefined;
    return { ...walked, by: result.hook, value: own };
  }
  const hinted = Object.keys(result.hint ?? {}).filter((name) => name !== 'last');
  const confirmed = result.confirms.map(({ hook }) => hook);
  const notes = point.name === 'preCompaction' ? hinted.toSorted() : confirmed;
  return { ...walked, value: point.see((result.payload ?? payload) as never), notes };
}

const modelHook = (...does: Does[]): fc.Arbitrary<ModelHook> =>
  fc.record<ModelHook>({
    does: fc.constantFrom<Does>('nothing', 'nonsense', 'replace', 'transform', 'reject', 'other', 'note', ...does),
    async: fc.boolean(),
    priority: fc.constantFrom(10, 100, 100, 50),
    gate: fc.boolean(),
    failOpen: fc.constantFrom(undefined, undefined, true, false),
    observes: fc.constantFrom(false, false, false, true),
  });

const sortedNotes = (walked: Walked, point: ModelPoint): Walked =>
  point.name === 'preCompaction' ? { ...walked, notes: [...new Set(walked.notes)].toSorted() } : walked;

describe('a naive chain', () => {
  it(
    proves(
      'H03',
      'H04',
      'H06',
      'H07',
      'H17',
    )('agrees with the real one on random hooks, sync or async, new or proven quick'),
    async () => {
      const types = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...modelPoints),
          fc.array(modelHook('nothing', 'throw'), { maxLength: 5 }),
          fc.constantFrom(false, false, false, true),
          async (point, hooks, warm) => {
            const start = point.see(samplePayloads[point.name] as never);
            const expected = naive(point, hooks, start);
            types.set(expected.type, (types.get(expected.type) ?? 0) + 1);
            const [came, should] = [await real(point, hooks, { warm }), sortedNotes(expected, point)];
            // Comparing texts first is much quicker.
            if (JSON.stringify(came) !== JSON.stringify(should)) expect(came).toEqual(should);
          },
        ),
        { numRuns: sample(5000) },
      );
      // Every way to end was met often enough to mean something.
      for (const type of ['passed', 'rejected', 'failed', 'answered']) {
        expect(types.get(type) ?? 0).toBeGreaterThan(sample(5000) / 50);
      }
    },
  );

  it(proves('H04', 'H08', 'H17')('agrees as well where hooks hang in between'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...modelPoints),
        fc.array(modelHook('hang', 'hang', 'hang', 'transform', 'note'), { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        async (point, hooks, warm) => {
          const expected = naive(point, hooks, point.see(samplePayloads[point.name] as never));
          const came = await real(point, hooks, { warm, clock: fakeClock() });
          expect(came).toEqual(sortedNotes(expected, point));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
