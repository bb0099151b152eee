import { allowAll, deny, preToolCall, replace, transform } from 'bridle';
import { humanApproval, type HumanApprovalAnswer, type HumanApprovalRequest } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { never, rig } from '../../../test/rigs/guard-rig.ts';

function answered(answer: unknown) {
  const asked: HumanApprovalRequest[] = [];
  const ask = (request: HumanApprovalRequest) => {
    asked.push(request);
    return answer as HumanApprovalAnswer;
  };
  return { asked, hook: humanApproval({ tools: ['act'], ask }) };
}

function throwing(): never {
  throw new TypeError('no terminal');
}

describe('humanApproval', () => {
  it.each([[true], [{ type: 'approve' }], [Promise.resolve(true)]])(
    proves('E11')('runs a call that a person approves: %j'),
    async (answer) => {
      const { asked, hook } = answered(answer);
      const { call } = await rig({ hooks: [hook] });
      expect(await call('act', { path: 'a\u202eb', long: 'x'.repeat(5000) })).toMatchObject({ type: 'ok' });
      expect(await call('look')).toMatchObject({ type: 'ok' });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.shown.text).toContain('path: a⟨U+202E⟩b');
      expect(asked[0]?.shown.text).toContain('x'.repeat(5000));
    },
  );

  it(proves('E11')('denies with the reason of the person'), async () => {
    const { hook } = answered({ type: 'deny', reason: 'Not on a Friday' });
    const { call, host } = await rig({ hooks: [hook] });
    expect(await call('act')).toMatchObject({ type: 'denied', reason: 'Not on a Friday', hook: 'human-approval' });
    const plain = await rig({ hooks: [answered(false).hook] });
    expect(await plain.call('act')).toMatchObject({ type: 'denied', reason: 'act was denied by a person' });
    expect(host.calls).toEqual([]);
  });

  it(proves('E11', 'G02')('runs a call as a person modified it, if policy agrees'), async () => {
    const { hook } = answered({ type: 'modify', args: { path: 'b' } });
    const { call, host } = await rig({ hooks: [hook] });
    expect(await call('act', { path: 'a' })).toMatchObject({ type: 'ok' });
    expect(host.calls[0]).toMatchObject({ args: { path: 'b' }, requested: { path: 'a' } });
    const policy = [deny('act', { when: ({ path }) => path === 'b', reason: 'not b' }), allowAll()];
    const strict = await rig({ hooks: [hook], policy });
    expect(await strict.call('act', { path: 'a' })).toMatchObject({ type: 'denied', reason: 'not b' });
  });

  it.each([
    [undefined],
    [null],
    [1],
    ['yes'],
    [{}],
    [{ type: 'Approve' }],
    [{ type: 'approve', args: { path: 'b' } }],
    [{ type: 'modify' }],
    [{ type: 'modify', args: 'x' }],
    [{ type: 'approve', remember: 'session' }],
    [{ type: 'deny', reason: '' }],
    [[true]],
    [{ type: 'approve', also: () => 1 }],
  ])(proves('E11')('accepts nothing else as approval: %j'), async (answer) => {
    const { call, host } = await rig({ hooks: [answered(answer).hook] });
    expect(await call('act')).toMatchObject({ type: 'denied', hook: 'human-approval' });
    expect(host.calls).toEqual([]);
  });

  it(proves('E11', 'H06')('denies on an error or a timeout'), async () => {
    const asks = [throwing, () => Promise.reject(new TypeError('gone')), never];
    for (const ask of asks) {
      const { call, clock, host } = await rig({ hooks: [humanApproval({ tools: ['*'], ask })] });
      const calling = call('act');
      await clock.advance(599_000);
      await clock.advance(2000);
      expect(await calling).toMatchObject({ type: 'denied', hook: 'human-approval' });
      expect(host.calls).toEqual([]);
    }
  });

  it(proves('E11', 'H08')('has a longer timeout than other hooks'), async () => {
    const { call, clock } = await rig({
      hooks: [humanApproval({ tools: ['*'], ask: () => clock.advance(300_000).then(() => true) })],
    });
    expect(await call('act')).toMatchObject({ type: 'ok' });
  });

  it(proves('E11', 'H04')('shows the arguments after the other hooks, even if they were replaced'), async () => {
    const last = preToolCall(() => transform({ path: 'changed' }), { name: 'last' });
    const { asked, hook } = answered(true);
    const { call, host } = await rig({ hooks: [hook, last] });
    await call('act', { path: 'a' });
    expect(asked[0]?.call.args).toEqual(host.calls[0]?.args);
    const other = preToolCall(() => replace({ path: 'replaced' }), { name: 'other' });
    const no = answered(false);
    const denied = await rig({ hooks: [no.hook, other] });
    expect(await denied.call('act')).toMatchObject({ type: 'denied' });
    expect(no.asked[0]?.call.args).toEqual({ path: 'replaced' });
    const change = await rig({ hooks: [answered({ type: 'modify', args: { path: 'b' } }).hook, other] });
    expect(await change.call('act')).toMatchObject({ type: 'denied' });
  });

  it(proves('E11')('withdraws the question when the turn is cancelled'), async () => {
    const asked: HumanApprovalRequest[] = [];
    const ask = (request: HumanApprovalRequest) => {
      asked.push(request);
      return never();
    };
    const { call, turn } = await rig({ hooks: [humanApproval({ tools: ['act'], ask })] });
    const calling = call('act');
    await Promise.resolve();
    turn.cancel();
    expect(await calling).toMatchObject({ type: 'denied' });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it(proves('E11')('distinguishes a tool of a server from a local one'), async () => {
    const tools = [{ name: 'act' }, { name: 'act', server: 'git' }];
    const hook = humanApproval({ tools: ['git/*'], ask: () => false });
    const { call } = await rig({ tools, servers: [{ name: 'git' }], hooks: [hook] });
    expect(await call('act')).toMatchObject({ type: 'ok' });
    expect(await call('act', {}, 'git')).toMatchObject({ type: 'denied' });
  });

  it(proves('E11', 'H06')('is a gate and fails closed'), () => {
    expect(humanApproval({ tools: ['act'], ask: () => true })).toMatchObject({ gate: true, failOpen: false });
    for (const options of [{ tools: [], ask: () => true }, { tools: 'act', ask: () => true }, { tools: ['act'] }, {}]) {
      expect(() => humanApproval(options as never)).toThrow('humanApproval');
    }
  });
});
