/** What the result of a turn contains about tool calls and models, and what is readable after the end. */

import { ask, deny, onTurnError, postTurn, preLlmCall, preToolCall, reject, replace, transform } from 'bridle';
import type { AgentLoop, TurnResult } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, counting, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf, never, only } from '../../../test/rigs/guard-rig.ts';

function outcomes({ toolCalls }: Pick<TurnResult, 'toolCalls'>): readonly (string | undefined)[][] {
  return toolCalls.map(({ id, tool, outcome, reason }) => [id, tool, outcome, reason]);
}

describe('the tool calls of a turn', () => {
  it(proves('A25')('are listed with their outcome, whatever it is'), async () => {
    const seen: unknown[] = [];
    const { agent } = await agentRig(
      [calling('act', 'look', 'broken', 'secret', 'asked', 'nothing', 'stopped'), calling('look'), 'fine'],
      {
        hooks: [
          preToolCall(({ call }) => (call.tool === 'stopped' ? reject('hook says no') : undefined), { name: 'stop' }),
          postTurn(({ output }) => void seen.push(output.toolCalls), { name: 'seen' }),
        ],
        policy: [deny('secret', { reason: 'rule says no', name: 'hush' }), ask('asked')],
        approver: () => ({ type: 'deny', reason: 'person says no' }),
        tools: [
          act(),
          look(),
          act(() => {
            throw new TypeError('broke');
          }, 'broken'),
          ...['secret', 'asked', 'stopped'].map((name) => act(() => 'never', name)),
        ],
      },
    );
    const result = await agent.chat('go');
    expect(outcomes(result)).toEqual([
      ['call-1', 'act', 'ok', undefined],
      ['call-2', 'look', 'ok', undefined],
      ['call-3', 'broken', 'error', 'broke'],
      ['call-4', 'secret', 'denied', 'rule says no'],
      ['call-5', 'asked', 'denied', 'person says no'],
      ['call-6', 'nothing', 'invalid', expect.stringContaining('nothing')],
      ['call-7', 'stopped', 'denied', 'hook says no'],
      ['call-8', 'look', 'ok', undefined],
    ]);
    expect(result.toolCalls.map(({ step }) => step)).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
    expect(result.toolCalls[3]).toMatchObject({ rule: 'hush', status: 'denied' });
    expect(result.toolCalls[4]).toMatchObject({ status: 'refused' });
    expect(result.toolCalls[6]).toMatchObject({ hook: 'stop' });
    expect(only(seen)).toEqual(result.toolCalls);
    expect((await agent.chat('again').catch(() => ({ toolCalls: [] }))).toolCalls).toEqual([]);
    await agent.stop();
  });

  it(proves('A25')('include those that the end of the turn left open'), async () => {
    const seen: unknown[] = [];
    const { agent } = await agentRig([calling('look', 'look', ['act', { n: 3 }])], {
      tools: [look(), act()],
      budget: { perTurn: { toolCalls: 2 } },
      hooks: [postTurn(({ output }) => void seen.push(output.toolCalls?.length), { name: 'all' })],
    });
    const result = await agent.chat('go');
    expect(result.stopReason).toBe('budget:perTurn.toolCalls');
    expect(outcomes(result)).toEqual([
      ['call-1', 'look', 'ok', undefined],
      ['call-2', 'look', 'ok', undefined],
      ['call-3', 'act', 'not_run', expect.stringContaining('budget')],
    ]);
    expect(result.toolCalls[2]).toMatchObject({ requested: { n: 3 } });
    expect(seen).toEqual([3]);
    await agent.stop();
  });

  it(proves('A25', 'A07')('include those that were cancelled'), async () => {
    const { agent } = await agentRig([calling('stop', 'act')], {
      tools: [look(() => (agent.cancel(), never()), 'stop'), act()],
    });
    const result = await agent.chat('go');
    expect(result.toolCalls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['stop', 'cancelled'],
      ['act', 'not_run'],
    ]);
    await agent.stop();
  });

  it(proves('A25', 'G03', 'R10')('have requested and effective arguments, with secrets masked'), async () => {
    const password = 'hunter2-hunter2';
    const { agent } = await agentRig([calling(['act', { path: 'a', password }]), 'fine'], {
      tools: [act(({ password: given }) => (given === password ? 'in' : 'out'))],
      hooks: [preToolCall(({ call }) => transform({ ...call.args, path: 'b' }), { name: 'rewrite' })],
    });
    const { toolCalls } = await agent.chat('go');
    expect(only(toolCalls)).toMatchObject({ requested: { path: 'a' }, args: { path: 'b' }, outcome: 'ok' });
    expect(JSON.stringify(toolCalls)).not.toContain(password);
    await agent.stop();
  });

  it(proves('A25')('cannot be changed by hooks, even if they replace the output'), async () => {
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheCreationTokens: 0 };
    const other = { text: 'other', thinking: '', steps: 0, usage, stopReason: 'end', toolCalls: [] };
    const hooks = [
      postTurn(() => replace(other), { name: 'post' }),
      onTurnError(() => replace(other), { name: 'error' }),
    ];
    const { agent } = await agentRig([calling('look'), 'fine', calling('look'), { error: new TypeError('down') }], {
      tools: [look()],
      hooks,
    });
    for (let turn = 0; turn < 2; turn++) {
      const result = await agent.chat('go');
      expect(result.text).toBe('other');
      expect(result.toolCalls).toHaveLength(1);
    }
    await agent.stop();
  });

  it(proves('A25', 'A24')('include those that a custom loop makes by itself'), async () => {
    const loop: AgentLoop = {
      name: 'mine',
      run: async ({ call }) => (await call([{ id: 'own', tool: 'look', args: {} }]))[0]?.text,
    };
    const { agent } = await agentRig([], { loop, tools: [look()] });
    expect(outcomes(await agent.chat('go'))).toEqual([['own', 'look', 'ok', undefined]]);
    await agent.stop();
  });
});

describe('requests and responses', () => {
  it(proves('A25')('carry the id of the model, and responses their own id'), async () => {
    const ids: unknown[] = [];
    const { hook } = counting('ids', {
      preLlmCall: ({ model }) => void ids.push(model),
      postLlmCall: ({ response: { model, responseId } }) => void ids.push([model, responseId]),
    });
    const down = scriptedModel([{ error: new TypeError('down') }], { provider: 'a', modelId: 'one' });
    const up = scriptedModel([{ text: 'fine', responseId: 'resp-7' }, 'again'], { provider: 'b.chat', modelId: 'two' });
    const { agent, events } = await agentRig([], { model: [down, up], hooks: [hook], retries: 0 });
    await agent.chat('go');
    expect(ids).toEqual(['a/one', ['b/two', 'resp-7']]);
    expect(only(eventsOf({ events }, 'llm_settled'))).toMatchObject({ model: 'b/two', responseId: 'resp-7' });
    await agent.stop();
  });

  it(proves('A25')('refuse a hook or a loop that names another model'), async () => {
    const change = preLlmCall((request) => transform({ ...request, model: 'cheap/one' }), { name: 'cheap' });
    const { agent, model } = await agentRig([], { hooks: [change] });
    const result = await agent.chat('go');
    expect(result).toMatchObject({ stopReason: 'rejected' });
    expect(result.text).toContain('onLlmError');
    expect(model.calls).toEqual([]);
    await agent.stop();
    const loop: AgentLoop = {
      name: 'mine',
      run: async ({ generate }) => (await generate({ model: 'x' } as never)).text,
    };
    const own = await agentRig([], { loop });
    await expect(own.agent.chat('go')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await own.agent.stop();
  });
});

describe('after the stop', () => {
  it(proves('A25')('history, usage and the session id stay readable; nothing else starts'), async () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const { agent } = await agentRig([{ text: 'fine', usage }]);
    await agent.chat('go');
    const before = { history: agent.history, usage: agent.usage, id: agent.sessionId };
    await agent.stop();
    expect({ history: agent.history, usage: agent.usage, id: agent.sessionId }).toEqual(before);
    expect(agent.usage.total).toMatchObject(usage);
    expect(agent.history).toHaveLength(2);
    await expect(agent.chat('more')).rejects.toMatchObject({ code: 'AGENT_STATE' });
    expect(() => agent.session).toThrow('stopped');
  });
});
