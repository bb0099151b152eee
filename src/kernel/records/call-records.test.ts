/** The journal as the guard writes it: one record per transition, each with everything that is known. */

import {
  allow,
  allowAll,
  ask,
  confirm,
  deny,
  onToolError,
  postToolCall,
  preToolCall,
  recover,
  reject,
  transform,
  type JournalEntry,
} from 'bridle';
import { readRecordLine, recordLine, verifyRecords } from 'bridle/journal';
import { scriptedApprover } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { entriesOf, later, never, only, rig, story } from '../../../test/rigs/guard-rig.ts';

const start = { id: 's1', agent: ['main', 'helper'] };
const head = (policy: string) => ({
  v: 1,
  at: Date.UTC(2026, 0, 1),
  session: 's1',
  turn: 1,
  step: 2,
  agent: ['main', 'helper'],
  policy,
});

async function recorded(options: Parameters<typeof rig>[0], args: unknown = { n: 1 }, meanwhile = 0) {
  const rigged = await rig({ ...options, start });
  rigged.turn.nextStep();
  rigged.turn.nextStep();
  const pending = rigged.turn.guard({ id: 'c1', tool: 'act', args }, rigged.host);
  if (meanwhile > 0) await rigged.clock.advance(meanwhile);
  await pending;
  const entries = rigged.journal.entries();
  const version = entries[0]?.policy ?? '';
  expect(version).toMatch(/^[0-9a-f]{16}$/);
  // Unless time went on, every record has the same head.
  if (meanwhile === 0) for (const entry of entries) expect(entry).toMatchObject(head(version));
  expect(verifyRecords(rigged.journal.records, { head: rigged.journal.head })).toMatchObject({
    ok: true,
    count: entries.length,
  });
  return { ...rigged, entries };
}

const call = { call: 'c1', tool: 'act' };
const grant = { timeoutMs: 600_000, outputBytes: 1024 * 1024 };

describe('a record', () => {
  it(
    proves('Q05')('of allowed and settled has requested and effective args, rule, grant, result and time'),
    async () => {
      const { entries } = await recorded({
        policy: allow('act', { name: 'fine' }),
        hooks: [preToolCall(() => transform({ n: 2 }), { name: 'change' })],
        does: { act: { out: [1] } },
      });
      const rule = { name: 'fine', effect: 'allow', target: 'act', bucket: 2 };
      const shared = { ...call, ...head(entries[0]?.policy ?? '') };
      expect(entries).toEqual([
        {
          ...shared,
          kind: 'decided',
          status: 'allowed',
          tier: 'confirm',
          requested: { n: 1 },
          args: { n: 2 },
          rule,
          grant,
        },
        { ...shared, kind: 'settled', status: 'ok', result: { out: [1] }, elapsedMs: 0 },
      ]);
    },
  );

  it(proves('Q05')('of allowed by default has no rule; of a server tool it has the server'), async () => {
    const rigged = await rig({ tools: [{ name: 'act', server: 's', tier: 'observe' }], servers: [{ name: 's' }] });
    await rigged.call('act', { b: 1, a: 2 }, 's');
    const [decided, settled] = rigged.journal.entries();
    expect(decided).toMatchObject({ server: 's', tool: 'act', tier: 'observe', status: 'allowed' });
    expect(decided).not.toHaveProperty('rule');
    expect(settled).toMatchObject({ server: 's', tool: 'act' });
    // Keys in one order, so that the text is the same for the same args.
    expect(JSON.stringify((decided as { args: unknown }).args)).toBe('{"a":2,"b":1}');
  });

  const refusals: Readonly<Record<string, { options: Parameters<typeof rig>[0]; is: object; meanwhile?: number }>> = {
    'denied by a rule': {
      options: { policy: deny('act', { name: 'no', reason: 'why' }) },
      is: { status: 'denied', rule: { name: 'no', effect: 'deny', target: 'act', bucket: 0 }, reason: 'why' },
    },
    'denied by a hook': {
      options: { hooks: [preToolCall(() => reject('why'), { name: 'gate' })] },
      is: { status: 'denied', hook: 'gate', reason: 'why' },
    },
  };
  for (const [name, { options, is }] of Object.entries(refusals)) {
    it(proves('Q05')(`of ${name} has the reason and who gave it`), async () => {
      const { entries } = await recorded(options);
      expect(only(entries)).toEqual({
        ...head(entries[0]?.policy ?? ''),
        ...call,
        kind: 'decided',
        tier: 'confirm',
        requested: { n: 1 },
        args: { n: 1 },
        grant,
        ...is,
      });
    });
  }

  it(proves('Q05')('of asked, approved, settled: the approval has one id, and who gave it'), async () => {
    const { approver, requests: asked } = scriptedApprover([{ type: 'approve', by: 'ann' }]);
    const { entries } = await recorded({ policy: ask('act', { name: 'careful', reason: 'Sure?' }), approver });
    const { id } = only(asked);
    const rule = { name: 'careful', effect: 'ask', target: 'act', bucket: 1 };
    const shared = {
      ...head(entries[0]?.policy ?? ''),
      ...call,
      kind: 'decided',
      tier: 'confirm',
      requested: { n: 1 },
      args: { n: 1 },
      rule,
      grant,
    };
    expect(entries).toEqual([
      { ...shared, status: 'asked', reason: 'Sure?', approval: { id } },
      { ...shared, status: 'approved', approval: { id, by: 'ann' } },
      { ...head(entries[0]?.policy ?? ''), ...call, kind: 'settled', status: 'ok', result: 'done', elapsedMs: 0 },
    ]);
  });

  it(proves('Q05', 'Q02')('of asked by a hook and refused names the hook, the answer and its reason'), async () => {
    const { approver, requests: asked } = scriptedApprover([{ type: 'deny', by: 'ann', reason: 'no' }]);
    const { entries } = await recorded({ hooks: [preToolCall(() => confirm('Sure?'), { name: 'gate' })], approver });
    const { id } = only(asked);
    expect(entries).toMatchObject([
      { status: 'asked', hook: 'gate', reason: 'Sure?', approval: { id } },
      { status: 'refused', hook: 'gate', reason: 'no', approval: { id, by: 'ann' } },
    ]);
  });

  it(proves('Q05', 'Q02')('of an expired question is expired, not refused, and names no approver'), async () => {
    const { entries } = await recorded({ policy: ask('act'), approver: never, askTimeoutMs: 1_000 }, { n: 1 }, 1_200);
    const [asked, expired] = entries as [
      Extract<JournalEntry, { kind: 'decided' }>,
      Extract<JournalEntry, { kind: 'decided' }>,
    ];
    expect([asked.status, expired.status]).toEqual(['asked', 'expired']);
    expect(expired.approval).toEqual({ id: asked.approval?.id });
  });

  const outcomes: Readonly<Record<string, { options: Parameters<typeof rig>[0]; is: object; meanwhile?: number }>> = {
    ok: { options: {}, is: { status: 'ok', result: 'done' } },
    error: { options: { does: { act: new TypeError('bad') } }, is: { status: 'error', result: 'bad', error: 'bad' } },
    recovered: {
      options: { does: { act: new TypeError('bad') }, hooks: [onToolError(() => recover([1]), { name: 'r' })] },
      is: { status: 'recovered', result: [1], error: 'bad' },
    },
    'changed by a hook': {
      options: { hooks: [postToolCall(() => transform('less'), { name: 'p' })] },
      is: { status: 'ok', result: 'less', original: 'done' },
    },
    timeout: {
      options: { does: { act: never }, grant: { timeoutMs: 100 } },
      is: { status: 'timeout', result: 'The tool did not finish within 100 ms.', error: expect.any(String) },
      meanwhile: 300,
    },
  };
  for (const [name, { options, is, meanwhile }] of Object.entries(outcomes)) {
    it(proves('Q05', 'G07', 'G08')(`of ${name} has what the model saw and what went wrong`), async () => {
      const { entries } = await recorded({ policy: allowAll(), ...options }, { n: 1 }, meanwhile);
      const { status, result, original, error } = entries.at(-1) as Extract<JournalEntry, { kind: 'settled' }>;
      expect({ status, result, original, error }).toEqual({ original: undefined, error: undefined, ...is });
    });
  }

  it(proves('Q05')('of a cancel while it ran is settled cancelled; before, denied'), async () => {
    const work = later<void>();
    const rigged = await rig({ does: { act: () => work.promise } });
    const pending = rigged.call('act');
    await rigged.clock.advance(0);
    rigged.turn.cancel();
    await pending;
    await rigged.call('act');
    expect(story(rigged)).toEqual(['decided allowed', 'settled cancelled', 'decided denied']);
  });

  it(
    proves('Q05', 'H06')('of a hook failure and a late result is a note, with what is needed to find it'),
    async () => {
      const work = later<string>();
      const rigged = await rig({
        grant: { timeoutMs: 100 },
        hooks: [postToolCall(() => 'x' as never, { name: 'odd' })],
        does: { act: () => work.promise },
        start,
      });
      const pending = rigged.turn.guard({ id: 'c1', tool: 'act' }, rigged.host);
      await rigged.clock.advance(300);
      await pending;
      work.resolve('late');
      await rigged.clock.advance(0);
      const [failed, late] = entriesOf(rigged, 'noted');
      expect(failed).toMatchObject({
        status: 'hook_failed',
        session: 's1',
        detail: { hook: 'odd', point: 'postToolCall', kind: 'malformed' },
      });
      expect(late).toMatchObject({ status: 'late_result', agent: ['main', 'helper'], detail: { call: 'c1' } });
    },
  );

  it(proves('Q05', 'P13')('of a shadow rule is a note, and decides nothing'), async () => {
    const rigged = await rig({ policy: [allowAll(), deny('act', { name: 'maybe', shadow: true })] });
    const result = await rigged.turn.guard({ id: 'c1', tool: 'act' }, rigged.host);
    await rigged.session.end();
    expect(result.type).toBe('ok');
    expect(only(entriesOf(rigged, 'noted'))).toMatchObject({
      status: 'rule_shadowed',
      detail: { call: 'c1', rule: 'maybe', matched: true, problem: null },
    });
  });

  it(proves('Q05')('survives export and import, whatever the call contained'), async () => {
    const odd = { text: 'a"\\\n\u2028\u2029é👍}}', '}': '{', n: [1e21, -0, 0.1] };
    const rigged = await rig({ does: { act: odd } });
    await rigged.call('act', odd);
    await rigged.call('a"\n}\u2028');
    const lines = rigged.journal.records.map(recordLine);
    expect(lines.join('').includes('\n')).toBe(false);
    const read = lines.map(readRecordLine);
    expect(read).toEqual(rigged.journal.records);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});
