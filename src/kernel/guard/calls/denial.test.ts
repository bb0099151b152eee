/** A call that is refused, for whatever cause: nothing runs, everyone is told once, and the turn goes on. */

import {
  allow,
  allowAll,
  ask,
  confirm,
  deny,
  forbid,
  onToolError,
  postToolCall,
  preToolCall,
  reject,
  transform,
  type CallResult,
  type Journal,
  type JournalEntry,
  type StandardSchema,
} from 'bridle';
import type { CallRequest } from '../../call.ts';
import { memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../../test/contract/cite.ts';
import {
  entriesOf,
  eventsOf,
  later,
  never,
  only,
  rig,
  story,
  type Rig,
  type RigOptions,
} from '../../../../test/rigs/guard-rig.ts';

interface Cause {
  readonly options?: RigOptions;
  readonly request?: CallRequest;
  /** What happens while the call is on its way. */
  readonly meanwhile?: (rig: Rig) => unknown;
  readonly type?: CallResult['type'];
  readonly status?: string;
  readonly reason: RegExp;
  /** Also the next call is refused, since the cause lasts. */
  readonly lasts?: boolean;
}

/** What is thrown need not be an error. */
const throwAny = (what: unknown): never => {
  throw what;
};
const broken = (text = 'broken'): never => {
  throw new TypeError(text);
};
const schema = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
});
const onlyOnce = <T>(first: () => T, then: T): (() => T) => {
  let calls = 0;
  return () => (calls++ === 0 ? first() : then);
};

const byPolicy: Record<string, Cause> = {
  'a deny rule': { options: { policy: deny('act', { reason: 'never act' }) }, reason: /^never act$/ },
  'a deny rule without a reason': { options: { policy: deny('act') }, reason: /^Denied act by rule "deny act"$/ },
  'a forbid rule': {
    options: { policy: [allowAll(), forbid('act', { name: 'f' })] },
    reason: /^Denied act by rule "f"$/,
  },
  'the default': { options: { policy: allow('look'), default: 'deny' }, reason: /default is deny/ },
  'a predicate that throws': {
    options: { policy: allow('act', { when: () => broken() }) },
    reason: /allow act.*broken/,
  },
  'a predicate that throws nothing': {
    options: {
      policy: allow('act', {
        when: () => throwAny(''),
      }),
    },
    reason: /could not be evaluated/,
  },
  'a predicate that rejects': {
    options: { policy: allow('act', { when: async () => broken() }) },
    reason: /allow act.*broken/,
  },
  'a predicate that answers nonsense': {
    options: { policy: allow('act', { when: () => 1 as never }) },
    reason: /allow act.*not true or false/,
  },
  'a predicate that hangs': {
    options: { policy: allow('act', { when: never }), timeoutMs: 1_000 },
    meanwhile: ({ clock }) => clock.advance(1_200),
    reason: /allow act.*1000 ms/,
  },
};

const byHooks: Record<string, Cause> = {
  'a hook that rejects': {
    options: { hooks: [preToolCall(() => reject('not today'), { name: 'gate' })] },
    reason: /^not today$/,
  },
  'a hook that throws': {
    options: { hooks: [preToolCall(() => broken(), { name: 'gate' })] },
    reason: /"gate".*broken/,
  },
  'a hook that throws nothing': {
    options: {
      hooks: [preToolCall(() => throwAny(undefined), { name: 'gate' })],
    },
    reason: /"gate"/,
  },
  'a hook that answers nonsense': {
    options: { hooks: [preToolCall(() => 'yes' as never, { name: 'gate' })] },
    reason: /"gate"/,
  },
  'a hook that rejects without a reason': {
    options: { hooks: [preToolCall(() => reject(' '), { name: 'gate' })] },
    reason: /"gate".*empty/,
  },
  'a hook that hangs': {
    options: { hooks: [preToolCall(never, { name: 'gate', timeoutMs: 100 })] },
    meanwhile: ({ clock }) => clock.advance(300),
    reason: /"gate".*100 ms/,
    lasts: true,
  },
  'a hook that makes the args invalid': {
    options: {
      tools: [{ name: 'act', schema: z.object({ n: z.number() }) }, { name: 'look' }],
      hooks: [preToolCall(({ call }) => (call.tool === 'act' ? transform({ n: 'x' }) : undefined), { name: 'gate' })],
    },
    request: { tool: 'act', args: { n: 1 } },
    reason: /^A hook changed the args. Invalid args for act: n/,
  },
  'a hook that wants a confirmation nobody can give': {
    options: { hooks: [preToolCall(() => confirm('Sure?'), { name: 'gate' })] },
    reason:
      /^Denied act: hook "gate" requires approval, and there is nobody to ask\. .* To allow it, give the guard an approver\.$/,
  },
};

const asking = (approver: () => unknown, options: RigOptions = {}): RigOptions => ({
  policy: ask('act', { reason: 'Sure?' }),
  approver: approver as never,
  ...options,
});
const open = later<boolean>();
const byPeople: Record<string, Cause> = {
  'a person who says no': { options: asking(() => false), status: 'refused', reason: /denied the call/ },
  'a person who says why not': {
    options: asking(() => ({ type: 'deny', reason: 'too risky' })),
    status: 'refused',
    reason: /^too risky$/,
  },
  'a person who gives an empty reason': {
    options: asking(() => ({ type: 'deny', reason: '' })),
    status: 'denied',
    reason: /not approved/,
  },
  'an approver that throws': { options: asking(() => broken()), status: 'denied', reason: /approver failed: broken/ },
  'an approver that rejects': {
    options: asking(() => Promise.reject(new TypeError('broken'))),
    status: 'denied',
    reason: /approver failed: broken/,
  },
  'an approver that answers nonsense': { options: asking(() => 'yes'), status: 'denied', reason: /not approved/ },
  'an approver that answers nothing': { options: asking(() => undefined), status: 'denied', reason: /not approved/ },
  'an approver that hangs': {
    options: asking(never, { askTimeoutMs: 1_000 }),
    meanwhile: ({ clock }) => clock.advance(1_200),
    status: 'expired',
    reason: /expired/,
  },
  'an approval that expires before the call runs': {
    options: asking(() => true, {
      policy: [
        ask('act', { grant: { approvalMs: 100 } }),
        forbid('act', { when: onlyOnce<never>(() => false as never, open.promise as never) }),
      ],
    }),
    meanwhile: async ({ clock }) => {
      await clock.advance(150);
      open.resolve(false);
    },
    status: 'expired',
    reason: /approval of this call has expired/,
  },
};

const byReading: Record<string, Cause> = {
  'a tool nobody declared': { request: { tool: 'axt' }, type: 'invalid', reason: /Unknown tool "axt".*"act"/ },
  'a tool that is hidden': {
    options: {
      tools: [{ name: 'act' }, { name: 'look' }, { name: 'drop', server: 's' }],
      servers: [{ name: 's', disabledTools: ['drop'] }],
    },
    request: { tool: 'drop', server: 's' },
    type: 'invalid',
    reason: /Unknown tool "drop" on server "s"/,
  },
  'a server nobody declared': { request: { tool: 'act', server: 's' }, type: 'invalid', reason: /Unknown server "s"/ },
  'no name at all': { request: { tool: undefined as never }, type: 'invalid', reason: /name of the tool/ },
  'args that do not fit': {
    options: { tools: [{ name: 'act', schema: z.object({ n: z.number() }) }, { name: 'look' }] },
    request: { tool: 'act', args: { n: 'one' } },
    type: 'invalid',
    reason: /n: .*number/,
  },
  'args that are no JSON': { request: { tool: 'act', args: { n: 1n } }, type: 'invalid', reason: /bigint/ },
  'a schema that throws': {
    options: { tools: [{ name: 'act', schema: schema(() => broken()) }, { name: 'look' }] },
    type: 'invalid',
    reason: /Invalid args for act: its schema failed: broken/,
  },
  'a schema that hangs': {
    options: { tools: [{ name: 'act', schema: schema(never) }, { name: 'look' }], timeoutMs: 500 },
    meanwhile: ({ clock }) => clock.advance(700),
    type: 'invalid',
    reason: /schema.*500 ms/,
  },
};

const cancels = ({ turn }: Rig): void => turn.cancel();
const byCancel: Record<string, Cause> = {
  'a cancel before the call': { status: 'cancelled', reason: /cancelled/, lasts: true },
  'a cancel during a predicate': {
    options: { policy: allow('act', { when: async () => true }) },
    meanwhile: cancels,
    status: 'cancelled',
    reason: /cancelled/,
    lasts: true,
  },
  'a cancel during a hook': {
    options: { hooks: [preToolCall(async () => undefined, { name: 'slow' })] },
    meanwhile: cancels,
    status: 'cancelled',
    reason: /cancelled/,
    lasts: true,
  },
  'a cancel while a person is asked': {
    options: asking(never),
    meanwhile: cancels,
    status: 'cancelled',
    reason: /cancelled/,
    lasts: true,
  },
  'a cancel while the decision is recorded': {
    options: { journal: slowJournal() },
    meanwhile: cancels,
    status: 'cancelled',
    reason: /cancelled/,
    lasts: true,
  },
};

/** Takes everything, a little later. */
function slowJournal(): Journal & { readonly entries: () => readonly JournalEntry[] } {
  const journal = memoryJournal();
  return { append: async (entry) => journal.append(entry), entries: journal.entries };
}

/** Refuses the first entry in one way or another, and takes the rest. */
function stumblingJournal(
  first: () => void | Promise<void>,
): Journal & { readonly entries: () => readonly JournalEntry[] } {
  const journal = memoryJournal();
  const how = onlyOnce<void | Promise<void> | 'take'>(first, 'take');
  return {
    append(entry) {
      const told = how();
      return told === 'take' ? journal.append(entry) : told;
    },
    entries: journal.entries,
  };
}
const byJournal: Record<string, Cause> = {
  'a journal that throws': {
    options: { journal: stumblingJournal(() => broken('disk full')) },
    reason: /could not be recorded.*disk full/,
  },
  'a journal that rejects': {
    options: { journal: stumblingJournal(() => Promise.reject(new TypeError('disk full'))) },
    reason: /could not be recorded.*disk full/,
  },
  'a journal that hangs': {
    options: { journal: stumblingJournal(() => never()) },
    meanwhile: ({ clock }) => clock.advance(31_000),
    reason: /could not be recorded.*5000 ms/,
  },
  'a journal that cannot take the question': {
    options: asking(() => true, { journal: stumblingJournal(() => broken('disk full')) }),
    reason: /could not be recorded.*disk full/,
  },
};

const causes = { ...byPolicy, ...byHooks, ...byPeople, ...byReading, ...byCancel, ...byJournal };
const refusals = new Set(['denied', 'refused', 'expired']);

describe('a call refused by', () => {
  for (const [name, cause] of Object.entries(causes)) {
    it(proves('G04')(`${name}: does not run, is reported and recorded once, with a reason`), async () => {
      const after: string[] = [];
      const rigged = await rig({
        policy: allowAll(),
        ...cause.options,
        hooks: [
          ...(cause.options?.hooks ?? []),
          preToolCall(({ call }) => void (call.tool === 'act' && after.push('preToolCall')), { name: 'later' }),
          postToolCall(({ call }) => void (call.tool === 'act' && after.push('postToolCall')), { name: 'post' }),
          onToolError(({ call }) => void (call.tool === 'act' && after.push('onToolError')), { name: 'error' }),
        ],
      });
      const { turn, host } = rigged;
      if (cause === byCancel['a cancel before the call']) turn.cancel();
      const pending = turn.guard(cause.request ?? { tool: 'act', args: {} }, host);
      await cause.meanwhile?.(rigged);
      const result = await pending;

      expect(host.calls).toEqual([]);
      expect(result).toMatchObject({ type: cause.type ?? 'denied', isError: true, value: result.text });
      expect(result.text).toMatch(cause.reason);
      if (result.type === 'denied')
        expect(result).toMatchObject({ status: cause.status ?? 'denied', reason: result.text });
      expect(only(eventsOf(rigged, 'tool_denied'))).toMatchObject({ reason: result.text, callId: result.call.id });
      expect(rigged.events.filter(({ type }) => type === 'tool_started' || type === 'tool_settled')).toEqual([]);

      const own = cause.options?.journal as Partial<ReturnType<typeof slowJournal>> | undefined;
      const entries = own?.entries?.() ?? rigged.journal.entries();
      const refusal = only(entries.filter(({ status }) => refusals.has(status)));
      expect(refusal).toMatchObject({ kind: 'decided', reason: result.text, call: result.call.id });
      expect(entries.filter(({ kind }) => kind === 'settled')).toEqual([]);

      // Hooks after a gate that refused are not called, nor those after the run that was none.
      const gates = cause.options?.hooks ?? [];
      const reachesHooks = [byPeople, byJournal, byCancel].some((group) => Object.values(group).includes(cause));
      const confirms = name.includes('confirmation') || name.includes('invalid');
      if (gates.length > 0 && !confirms && !reachesHooks) expect(after).toEqual([]);
      expect(after.filter((hook) => hook !== 'preToolCall')).toEqual([]);

      // The turn goes on.
      if (cause.lasts === true) return;
      const next = await turn.guard({ tool: 'look' }, { run: () => 'seen' });
      expect(next.type === 'ok' || gates.length > 0 || cause === byPolicy['the default']).toBe(true);
    });
  }

  it(
    proves('G04', 'P10', 'Q05')('a person is recorded as asked and refused; by a broken approver as asked and denied'),
    async () => {
      const no = await rig(asking(() => ({ type: 'deny', by: 'ann', reason: 'no' })));
      await no.call('act');
      expect(story(no)).toEqual(['decided asked', 'decided refused']);
      expect(entriesOf(no, 'decided')[1]?.approval).toMatchObject({ by: 'ann' });
      const odd = await rig(asking(() => 7));
      await odd.call('act');
      expect(story(odd)).toEqual(['decided asked', 'decided denied']);
      expect(entriesOf(odd, 'decided')[1]?.approval).toEqual({ id: entriesOf(odd, 'decided')[0]?.approval?.id });
    },
  );

  it(proves('G04')('a rule or a hook: the result, the event and the record name it'), async () => {
    const byRule = await rig({ policy: forbid('act', { name: 'never' }) });
    const rule = { name: 'never', effect: 'forbid', target: 'act', bucket: -1 };
    expect(await byRule.call('act')).toMatchObject({ rule, hook: undefined });
    expect(only(eventsOf(byRule, 'tool_denied'))).toMatchObject({ rule, hook: undefined });
    expect(only(entriesOf(byRule, 'decided'))).toMatchObject({ rule });
    const byHook = await rig({ hooks: [preToolCall(() => reject('no'), { name: 'gate' })] });
    expect(await byHook.call('act')).toMatchObject({ rule: undefined, hook: 'gate' });
    expect(only(eventsOf(byHook, 'tool_denied'))).toMatchObject({ rule: undefined, hook: 'gate' });
    expect(only(entriesOf(byHook, 'decided'))).toMatchObject({ hook: 'gate' });
    expect(only(entriesOf(byHook, 'decided'))).not.toHaveProperty('rule');
  });

  it(proves('G04')('the first of several hooks: no later hook is called, and its reason is reported'), async () => {
    const called: string[] = [];
    const gate = (name: string, priority: number) =>
      preToolCall(() => (called.push(name), reject(name)), { name, priority, gate: true });
    const { call } = await rig({ hooks: [gate('second', 50), gate('first', 10), gate('third', 100)] });
    expect(await call('act')).toMatchObject({ reason: 'first', hook: 'first' });
    expect(called).toEqual(['first']);
  });

  it(
    proves('G04')('a journal that never works: the call is denied, reported once, and nothing is thrown or recorded'),
    async () => {
      for (const append of [() => broken('gone'), () => Promise.reject(new TypeError('gone'))]) {
        const rigged = await rig({ policy: allowAll(), journal: { append } });
        expect(await rigged.call('look')).toMatchObject({ type: 'denied', reason: expect.stringContaining('gone') });
        expect(rigged.host.calls).toEqual([]);
        expect(eventsOf(rigged, 'tool_denied')).toHaveLength(1);
        expect(eventsOf(rigged, 'journal_failed').length).toBeGreaterThan(0);
      }
    },
  );
});
