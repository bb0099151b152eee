/** Many calls at once, and cancels at any moment: each call keeps its own state, records and end. */

import {
  allow,
  ask,
  deny,
  onToolError,
  postToolCall,
  preToolCall,
  recover,
  reject,
  type CallResult,
  type StandardSchema,
  type ToolCall,
} from 'bridle';
import { memoryJournal } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { entriesOf, eventsOf, never, rig, story } from '../../../test/rigs/guard-rig.ts';

/** Goes on after some turns of the queue of microtasks. */
async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

const kinds = [
  'ok',
  'error',
  'recovered',
  'rule',
  'hook',
  'person',
  'approved',
  'unknown',
  'invalid',
  'timeout',
] as const;
type Kind = (typeof kinds)[number];
const expected: Readonly<Record<Kind, { type: CallResult['type']; story: readonly string[] }>> = {
  ok: { type: 'ok', story: ['decided allowed', 'settled ok'] },
  error: { type: 'error', story: ['decided allowed', 'settled error'] },
  recovered: { type: 'recovered', story: ['decided allowed', 'settled recovered'] },
  rule: { type: 'denied', story: ['decided denied'] },
  hook: { type: 'denied', story: ['decided denied'] },
  person: { type: 'denied', story: ['decided asked', 'decided refused'] },
  approved: { type: 'ok', story: ['decided asked', 'decided approved', 'settled ok'] },
  unknown: { type: 'invalid', story: ['decided denied'] },
  invalid: { type: 'invalid', story: ['decided denied'] },
  timeout: { type: 'timeout', story: ['decided allowed', 'settled timeout'] },
};

const wait = (call: ToolCall): Promise<void> => ticks(Number(call.args['wait']));
const is = (kind: Kind) => (args: Record<string, unknown>) => args['kind'] === kind;

describe('200 concurrent calls in one turn', () => {
  it(proves('S03', 'Q05', 'G04', 'G06')('keep their scopes, records, events and results apart'), async () => {
    const mixed: string[] = [];
    const posts = new Map<string, number>();
    const memory = memoryJournal();
    const rigged = await rig({
      tools: [{ name: 'act', grant: { timeoutMs: 1_000 } }],
      policy: [
        deny('act', { when: async (args, call) => (await wait(call), is('rule')(args)) }),
        ask('act', {
          when: (args) => is('person')(args) || is('approved')(args),
          handler: async ({ call }) => (await wait(call), is('approved')(call.args)),
        }),
        allow('act'),
      ],
      journal: { append: async (entry) => (await ticks(entry.kind === 'settled' ? 3 : 1), memory.append(entry)) },
      hooks: [
        preToolCall(
          async ({ call }, ctx) => {
            ctx.operation.set('id', call.id);
            await wait(call);
            if (ctx.operation.get('id') !== call.id) mixed.push(`pre ${call.id}`);
            return is('hook')(call.args) ? reject('not this one') : undefined;
          },
          { name: 'pre' },
        ),
        onToolError(
          async ({ call }, ctx) => {
            await wait(call);
            if (ctx.get('id') !== call.id) mixed.push(`error ${call.id}`);
            return is('recovered')(call.args) ? recover(call.id) : undefined;
          },
          { name: 'error' },
        ),
        postToolCall(
          async ({ call }, ctx) => {
            await wait(call);
            if (ctx.operation.get('id') !== call.id) mixed.push(`post ${call.id}`);
            posts.set(call.id, (posts.get(call.id) ?? 0) + 1);
          },
          { name: 'post' },
        ),
      ],
      does: {
        act: async (call: ToolCall) => {
          await wait(call);
          const kind = call.args['kind'];
          if (kind === 'timeout') return never();
          if (kind === 'error' || kind === 'recovered') throw new TypeError(call.id);
          return call.id;
        },
      },
    });
    const calls = Array.from({ length: 200 }, (_, i) => ({
      id: `c${i}`,
      kind: kinds[i % kinds.length] as Kind,
      wait: (i * 7) % 23,
    }));
    const pending = calls.map(({ id, kind, wait: ms }) =>
      rigged.turn.guard(
        { id, tool: kind === 'unknown' ? 'axt' : 'act', args: kind === 'invalid' ? id : { kind, wait: ms } },
        rigged.host,
      ),
    );
    await rigged.clock.advance(1_500);
    const results = await Promise.all(pending);

    expect(mixed).toEqual([]);
    for (const [i, { id, kind }] of calls.entries()) {
      const result = results[i] as CallResult;
      expect([id, result.type, result.call.id]).toEqual([id, expected[kind].type, id]);
      if (kind === 'ok' || kind === 'approved' || kind === 'error' || kind === 'recovered')
        expect(result.text).toBe(id);
      const own = memory.entries().filter((entry) => 'call' in entry && entry.call === id);
      expect([id, ...own.map((entry) => `${entry.kind} ${entry.status}`)]).toEqual([id, ...expected[kind].story]);
      const ran = ['ok', 'approved', 'error', 'recovered', 'timeout'].includes(kind);
      expect([id, posts.get(id) ?? 0]).toEqual([id, ran ? 1 : 0]);
      expect(rigged.host.calls.filter((call) => call.id === id)).toHaveLength(ran ? 1 : 0);
      expect(eventsOf(rigged, 'tool_denied').filter((event) => event.callId === id)).toHaveLength(ran ? 0 : 1);
      expect(eventsOf(rigged, 'tool_settled').filter((event) => event.callId === id)).toHaveLength(ran ? 1 : 0);
    }
    expect(rigged.turn.scope.keys()).toEqual([]);
  });

  it(proves('S06', 'Q02')('in two sessions of one guard do not meet either'), async () => {
    const one = await rig({ policy: ask('act'), approver: () => ({ type: 'approve', remember: 'session' }) });
    const two = await rig({ policy: ask('act'), approver: () => false });
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : two).call('act', { n: i % 5 })),
    );
    expect(results.map(({ type }) => type)).toEqual(results.map((_, i) => (i % 2 === 0 ? 'ok' : 'denied')));
    expect(two.host.calls).toEqual([]);
  });
});

/** A path on which everything takes some turns of the queue, so that a cancel can come anywhere. */
const delays = fc.record({
  schema: fc.nat(3),
  when: fc.nat(3),
  pre: fc.nat(3),
  person: fc.option(fc.nat(3), { nil: undefined }),
  journal: fc.nat(3),
  tool: fc.nat(6),
  post: fc.nat(3),
});

describe('a cancel', () => {
  it(
    proves('G04', 'G06', 'Q05')('at any moment ends the call in a defined way, and no tool starts after it'),
    async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(delays, fc.nat(90), fc.boolean(), async (wait, moment, twice) => {
          const memory = memoryJournal();
          let late = false;
          let posts = 0;
          const schema: StandardSchema = {
            '~standard': {
              version: 1,
              vendor: 'test',
              validate: async (value) => (await ticks(wait.schema), { value }),
            },
          };
          const rigged = await rig({
            tools: [{ name: 'act', schema }],
            policy: [
              deny('act', { when: async () => (await ticks(wait.when), false) }),
              ...(wait.person === undefined
                ? []
                : [ask('act', { handler: async () => (await ticks(wait.person ?? 0), true) })]),
            ],
            journal: { append: async (entry) => (await ticks(wait.journal), memory.append(entry)) },
            hooks: [
              preToolCall(() => ticks(wait.pre), { name: 'pre' }),
              postToolCall(() => (posts++, ticks(wait.post)), { name: 'post' }),
            ],
            does: {
              act: async () => {
                late ||= rigged.turn.signal.aborted;
                await ticks(wait.tool);
                return 'done';
              },
            },
          });
          const pending = rigged.call('act', {});
          await ticks(moment);
          rigged.turn.cancel();
          if (twice) rigged.turn.cancel();
          const result = await pending;
          await rigged.session.end();

          expect(late).toBe(false);
          const ran = rigged.host.calls.length;
          const kind = result.type === 'denied' ? result.status : result.type;
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
          expect(['ok', 'cancelled']).toContain(kind);
          expect(ran).toBe(result.type === 'denied' ? 0 : 1);
          expect(posts).toBe(ran);
          const ends = memory.entries().filter(({ kind: of, status }) => of === 'settled' || status === 'denied');
          expect(ends).toMatchObject([{ call: result.call.id, status: result.type }]);
          const told = [...eventsOf(rigged, 'tool_denied'), ...eventsOf(rigged, 'tool_settled')];
          expect(told).toHaveLength(1);
        }),
        { numRuns: runs(1_000) },
      );
      // Cancels came before, during and after the run.
      expect([...seen.keys()].toSorted()).toEqual(['cancelled', 'ok']);
    },
  );

  it(proves('G06')('twice is one: one outcome, one record, one abort'), async () => {
    let aborts = 0;
    const rigged = await rig({
      does: {
        act: (_call: ToolCall, { signal }: { signal: AbortSignal }) => {
          signal.addEventListener('abort', () => aborts++);
          return never();
        },
      },
    });
    const pending = rigged.call('act');
    await rigged.clock.advance(0);
    for (let i = 0; i < 3; i++) rigged.turn.cancel();
    expect((await pending).type).toBe('cancelled');
    rigged.turn.cancel();
    expect(aborts).toBe(1);
    expect(story(rigged)).toEqual(['decided allowed', 'settled cancelled']);
  });

  it(proves('G06')('ends every call of the turn, and none of the next one'), async () => {
    const rigged = await rig({ does: { act: never } });
    const pending = Array.from({ length: 20 }, () => rigged.call('act'));
    await rigged.clock.advance(0);
    rigged.turn.cancel();
    expect((await Promise.all(pending)).map(({ type }) => type)).toEqual(pending.map(() => 'cancelled'));
    const next = await rigged.session.turn().guard({ tool: 'look' }, rigged.host);
    expect(next.type).toBe('ok');
    expect(entriesOf(rigged, 'settled').at(-1)?.turn).toBe(2);
  });

  it(proves('G06')('by the tool itself, while it starts, is heard'), async () => {
    const rigged = await rig({
      does: { act: async () => (rigged.turn.cancel(), never()), look: () => (rigged.turn.cancel(), 'seen') },
    });
    expect((await rigged.call('act')).type).toBe('cancelled');
    const other = await rig({ does: { look: () => (other.turn.cancel(), 'seen') } });
    // A tool that is done when it returns has done what it did.
    expect((await other.call('look')).type).toBe('ok');
  });
});
