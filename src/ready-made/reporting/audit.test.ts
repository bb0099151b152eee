import { deny, preToolCall, preTurn, recover, reject, onToolError, allowAll, type Hook } from 'bridle';
import { audit, type AuditRecord } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { agentRig } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { later, rig } from '../../../test/rigs/guard-rig.ts';

function audited(args?: boolean): { records: AuditRecord[]; hook: Hook } {
  const records: AuditRecord[] = [];
  return { records, hook: audit({ write: (record) => void records.push(record), args }) };
}

const brief = (record: AuditRecord) =>
  'tool' in record ? [record.type, record.tool, 'success' in record ? record.success : undefined] : [record.type];

const aboutCalls = (records: readonly AuditRecord[]): AuditRecord[] => records.filter((record) => 'tool' in record);

describe('audit', () => {
  it(
    proves('E03')('records each call as requested, and then as denied or settled, with success and time'),
    async () => {
      const { records, hook } = audited();
      const no = preToolCall(({ call }) => (call.args['n'] === 2 ? reject('two') : undefined), { name: 'no-two' });
      const fix = onToolError(({ call }) => (call.args['n'] === 3 ? recover('cached') : undefined), { name: 'fix' });
      const { call, clock } = await rig({
        hooks: [hook, no, fix],
        policy: [deny('look'), allowAll()],
        does: {
          act: ({ args }: { args: { n: number } }) =>
            args.n >= 3 ? Promise.reject(new TypeError('broke')) : clock.advance(7),
        },
      });
      for (const n of [1, 2, 3, 4]) await call('act', { n });
      await call('look');
      await call('nothing');
      const calls = aboutCalls(records);
      expect(calls.map(brief)).toEqual([
        ['requested', 'act', undefined],
        ['settled', 'act', true],
        ['requested', 'act', undefined],
        ['denied', 'act', false],
        ['requested', 'act', undefined],
        ['settled', 'act', true],
        ['requested', 'act', undefined],
        ['settled', 'act', false],
        ['requested', 'look', undefined],
        ['denied', 'look', false],
        ['requested', 'nothing', undefined],
        ['denied', 'nothing', false],
      ]);
      expect(calls[1]).toMatchObject({
        elapsedMs: 7,
        outcome: 'ok',
        turn: 1,
        agent: ['main'],
        at: expect.any(Number),
      });
      expect(calls[3]).toMatchObject({ reason: 'two', hook: 'no-two', rule: undefined });
      expect(calls[5]).toMatchObject({ outcome: 'recovered', error: 'broke' });
      expect(calls[7]).toMatchObject({ outcome: 'error', error: 'broke' });
      expect(calls[9]).toMatchObject({ rule: 'deny look' });
      expect(JSON.stringify(records)).not.toContain('"args"');
    },
  );

  it(proves('E03', 'H17')('records turns with origin, end and usage'), async () => {
    const { records, hook } = audited();
    const no = preTurn(({ prompt }) => (prompt.text === 'no' ? reject('not that') : undefined), { name: 'no' });
    const { agent } = await agentRig([{ text: 'hi', usage: { inputTokens: 3, outputTokens: 2 } }], {
      hooks: [hook, no],
    });
    await agent.chat('go');
    await agent.chat('no');
    await agent.stop();
    expect(records).toMatchObject([
      { type: 'turn_started', origin: 'user', turn: 1 },
      { type: 'turn_ended', stopReason: 'end', error: undefined, usage: { inputTokens: 3, outputTokens: 2 } },
      { type: 'turn_started', turn: 2 },
      { type: 'turn_ended', stopReason: 'rejected', turn: 2 },
    ]);
  });

  it(proves('E03', 'H17')('records errors of models, hooks and the journal, with secrets masked'), async () => {
    const { records, hook } = audited();
    const broken = preTurn(() => Promise.reject(new TypeError('no: --token=hunter2')), {
      name: 'broken',
      failOpen: true,
    });
    const { agent } = await agentRig([{ error: new TypeError('down') }], {
      hooks: [hook, broken],
      journal: { append: () => Promise.reject(new TypeError('disk full')) },
    });
    await expect(agent.chat('go')).rejects.toThrow('down');
    await agent.stop();
    const failed = records.flatMap((record) => (record.type === 'failed' ? [record] : []));
    const told = failed.map(({ event, error }) => `${event}: ${error}`);
    expect(told).toContainEqual(expect.stringMatching(/^hook_failed: hook "broken" at preTurn: no: --token=\[masked/));
    expect(told).toContainEqual(expect.stringMatching(/^llm_failed: .*attempt 1: down/));
    expect(told).toContainEqual(expect.stringMatching(/^journal_failed: .*disk full/));
    expect(records.at(-1)).toMatchObject({ type: 'turn_ended', error: expect.stringContaining('down') as unknown });
    expect(JSON.stringify(records)).not.toContain('hunter2');
  });

  it(proves('E03', 'H17')('ignores the result of write'), async () => {
    const records: AuditRecord[] = [];
    const { call, journal } = await rig({ hooks: [audit({ write: (record) => records.push(record) as never })] });
    await call('act');
    expect(records).toHaveLength(3);
    expect(journal.entries().filter(({ status }) => status === 'observer_failed')).toEqual([]);
  });

  it(proves('E03')('includes arguments only if requested'), async () => {
    const { records, hook } = audited(true);
    const { call } = await rig({ hooks: [hook], start: { agent: ['main', 'x'] } });
    await call('act', { path: 'a' });
    expect(aboutCalls(records)[0]).toMatchObject({ args: { path: 'a' }, agent: ['main', 'x'] });
  });

  it(proves('E03', 'R10')('masks secrets even if the guard does not, and with a custom mask'), async () => {
    const { records, hook } = audited(true);
    const own: AuditRecord[] = [];
    const write = (record: AuditRecord) => void own.push(record);
    const other = audit({ name: 'other', write, args: true, mask: <T>(value: T): T => value });
    const { call } = await rig({ hooks: [hook, other], does: { act: new TypeError('no: --token=hunter2') } });
    await call('act', { password: 'hunter2' });
    expect(JSON.stringify(records)).not.toContain('hunter2');
    expect(JSON.stringify(records)).toContain('[masked:7:');
    expect(JSON.stringify(own)).toContain('hunter2');
  });

  it(proves('E03', 'H15')('has no effect when writing fails, and continues with later events'), async () => {
    let calls = 0;
    const write = () => {
      calls++;
      throw new TypeError('disk full');
    };
    const { call, journal } = await rig({ hooks: [audit({ write })] });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(calls).toBe(5);
    const noted = journal.entries().filter(({ status }) => status === 'observer_failed');
    expect(noted).toHaveLength(1);
  });

  it(proves('E03', 'H15')('reports how many events were dropped when writing was too slow'), async () => {
    const gate = later<void>();
    const records: AuditRecord[] = [];
    const write = (record: AuditRecord) => {
      records.push(record);
      return gate.promise;
    };
    const { call, session } = await rig({ hooks: [audit({ write })], limits: { eventQueue: 5 } });
    for (let n = 0; n < 10; n++) await call('act');
    gate.resolve();
    await session.end();
    expect(records.at(-1)).toMatchObject({ type: 'dropped', count: expect.any(Number) });
  });

  it.each([[{}], [{ write: 1 }], [{ write: () => undefined, args: 'yes' }]])(
    proves('E03')('refuses invalid options: %j'),
    (options) => {
      expect(() => audit(options as never)).toThrow('audit');
    },
  );
});
