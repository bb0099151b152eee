/** An agent starts completely or not at all, stops once, and never runs an uncovered tool with side effects. */

import {
  allow,
  allowAll,
  ask,
  deny,
  onSessionEnd,
  onSessionStart,
  preToolCall,
  reject,
  safeDefaults,
  type Hook,
} from 'bridle';
import { createAgent, type AgentOptions } from 'bridle/agent';
import { workspaceOnly } from 'bridle/facts';
import { scriptedModel } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentParts, agentRig, calling, drained, look, settled, textIn } from '../../test/rigs/agent-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { eventsOf, later } from '../../test/rigs/guard-rig.ts';

/** A hook that records how its session started and ended. */
function diary(name = 'diary'): { hook: Hook; ends: string[]; starts: number[] } {
  const ends: string[] = [];
  const starts: number[] = [];
  const hook: Hook = {
    name,
    onSessionStart: () => void starts.push(1),
    onSessionEnd: ({ reason }) => void ends.push(reason),
  };
  return { hook, ends, starts };
}

describe('an agent', () => {
  it(proves('A01')('starts, chats, streams and stops; the end is reported once'), async () => {
    const { hook, ends, starts } = diary();
    const { agent, model, eventTypes } = await agentRig(['hello', 'again'], { hooks: [hook] });
    expect(await agent.chat('hi')).toMatchObject({ text: 'hello', stopReason: 'end', steps: 1, turn: 1 });
    expect(await agent.stream('more').result).toMatchObject({ text: 'again', turn: 2 });
    const both = [agent.stop('enough'), agent.stop('really')];
    expect(both[0]).toBe(both[1]);
    await Promise.all(both);
    await agent.stop();
    expect({ starts: starts.length, ends }).toEqual({ starts: 1, ends: ['enough'] });
    expect(eventTypes().filter((type) => type === 'session_ended')).toHaveLength(1);
    model.assertDone();
  });

  it(proves('G18', 'A01')('stops at the end of the block that uses it, started or not'), async () => {
    const { hook, ends } = diary();
    {
      await using agent = (await agentRig(['hello'], { hooks: [hook] })).agent;
      expect((await agent.chat('hi')).text).toBe('hello');
      await using other = agentParts(['hello']).agent;
      expect(other.warnings).toEqual([]);
    }
    expect(ends).toHaveLength(1);
  });

  it(proves('A01')('throws if it is not started, was already started, or has stopped'), async () => {
    const { agent } = agentParts(['hello']);
    const state = expect.objectContaining({ code: 'AGENT_STATE' });
    await expect(agent.chat('hi')).rejects.toEqual(state);
    expect(() => agent.stream('hi')).toThrow(state);
    expect(() => agent.sessionId).toThrow(state);
    agent.cancel();
    await agent.start();
    await expect(agent.start()).rejects.toEqual(state);
    await agent.stop();
    await expect(agent.chat('hi')).rejects.toEqual(state);
    await expect(agent.start()).rejects.toEqual(state);
    await expect(agent.open()).rejects.toEqual(state);
  });

  it(proves('A01')('can be stopped before and during its start'), async () => {
    const never = agentParts([]);
    await never.agent.stop();
    await expect(never.agent.start()).rejects.toMatchObject({ code: 'AGENT_STATE' });

    const gate = later<undefined>();
    const { hook, ends } = diary();
    const slow = onSessionStart(() => gate.promise, { name: 'slow' });
    const { agent } = agentParts([], { hooks: [slow, hook] });
    const starting = agent.start();
    const stopping = agent.stop('changed my mind');
    gate.resolve(undefined);
    await Promise.allSettled([starting, stopping]);
    expect(ends).toEqual(['changed my mind']);
  });

  it(proves('A01')('ends its session once, also after an error, and waits for running work'), async () => {
    const { hook, ends } = diary();
    const { agent } = await agentRig([{ error: new TypeError('down') }, calling('act')], {
      hooks: [hook],
      tools: [
        act((_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')))),
      ],
    });
    await expect(agent.chat('hi')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    expect(ends).toEqual([]);
    const running = agent.chat('act');
    const waiting = agent.chat('never begins');
    waiting.catch(() => undefined);
    await settled();
    await agent.stop('shutdown');
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    await expect(waiting).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(ends).toEqual(['shutdown']);
  });

  it(proves('A01')('closes what it opened if the start fails, and never runs a trigger'), async () => {
    const { hook, ends } = diary();
    let triggered = 0;
    const no = onSessionStart(() => reject('not today'), { name: 'no', priority: 200 });
    const trigger = { name: 'eager', start: () => void triggered++ };
    const { agent } = agentParts([], { hooks: [hook, no], triggers: [trigger] });
    await expect(agent.start()).rejects.toMatchObject({
      code: 'SESSION_REJECTED',
      message: expect.stringContaining('not today'),
    });
    await agent.stop();
    expect({ triggered, ends: ends.length <= 1 }).toEqual({ triggered: 0, ends: true });
    await expect(agent.chat('hi')).rejects.toMatchObject({ code: 'AGENT_STATE' });
  });

  it(proves('A01')('opens other sessions that end with it, each once'), async () => {
    const { hook, ends } = diary();
    const { agent } = await agentRig(['one', 'two'], { hooks: [hook] });
    const other = await agent.open({ id: 'other', state: { user: 'u1' } });
    expect(other.id).toBe('other');
    expect(other.scope.get('user')).toBe('u1');
    expect(await other.chat('hi')).toMatchObject({ text: 'one', turn: 1 });
    expect(agent.history).toEqual([]);
    await other.stop('left');
    await expect(other.chat('hi')).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await agent.open({ id: 'third' });
    await agent.stop('all');
    expect(ends.toSorted()).toEqual(['all', 'all', 'left']);
  });

  it(proves('A01')('reports a hook that failed at the end, after everything is closed'), async () => {
    const strict = onSessionEnd(
      () => {
        throw new TypeError('disk full');
      },
      { name: 'strict', failOpen: false },
    );
    const { agent, eventTypes } = await agentRig([], { hooks: [strict] });
    await expect(agent.stop()).rejects.toMatchObject({ code: 'HOOK_FATAL' });
    expect(eventTypes()).toContain('session_ended');
  });

  it(proves('A01')('does not start a turn if it stops while the prompt is being read'), async () => {
    const { agent, model, eventTypes } = await agentRig([]);
    const media = { type: 'file', path: new URL(import.meta.url).pathname, mediaType: 'text/plain' } as const;
    const turn = agent.chat(['b', media]);
    turn.catch(() => undefined);
    await Promise.resolve();
    await agent.stop();
    await expect(turn).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(eventTypes()).not.toContain('turn_started');
    model.assertDone();
  });

  it(proves('A01')('runs turns one after another, in the order of the calls'), async () => {
    const { agent, events } = await agentRig(['1', '2', '3'], {});
    const media = { type: 'file', path: new URL(import.meta.url).pathname, mediaType: 'text/plain' } as const;
    const turns = [agent.chat('a'), agent.chat(['b', media]), agent.stream('c').result];
    expect((await Promise.all(turns)).map(({ text, turn }) => [text, turn])).toEqual([
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ]);
    expect(agent.history.filter(({ role }) => role === 'user').map(textIn)).toEqual(['a', 'b', 'c']);
    expect(eventsOf({ events }, 'turn_ended').map(({ turn }) => turn)).toEqual([1, 2, 3]);
    await agent.stop();
  });
});

function refusal(...names: readonly string[]): unknown {
  return expect.objectContaining({
    code: 'AGENT_UNSAFE',
    message: expect.stringMatching(new RegExp(names.map((name) => `"${name}"`).join('.*'))),
  });
}

describe('starting is refused', () => {
  const base = { model: scriptedModel([]), telemetry: false, workspaces: [] } as const;
  const start = async (options: Partial<AgentOptions>): Promise<void> => {
    const agent = createAgent({ ...base, ...options });
    await agent.start();
    await agent.stop();
  };

  it(proves('A02')('if no rule covers a built-in tool with side effects, and names each'), async () => {
    await expect(start({})).rejects.toEqual(refusal('create_file', 'edit_file', 'run_command', 'read_url_content'));
    await expect(start({ workspaces: ['/'] })).rejects.toEqual(refusal('create_file'));
    await expect(start({ policy: [deny('run_command')] })).rejects.toEqual(refusal('create_file', 'read_url_content'));
  });

  it(proves('A02')('if no rule covers a custom tool'), async () => {
    await expect(start({ capabilities: 'none', tools: [act()] })).rejects.toEqual(refusal('act'));
    await expect(start({ capabilities: 'none', tools: [act(), look()], policy: [allow('look')] })).rejects.toEqual(
      refusal('act'),
    );
    const replaced = { ...act(), name: 'view_file' };
    await expect(start({ capabilities: 'readOnly', tools: [replaced] })).rejects.toEqual(refusal('view_file'));
  });

  it(proves('A02')('also if there is only a shadow rule or a path rule'), async () => {
    const only = { capabilities: 'none', tools: [act()] } as const;
    await expect(start({ ...only, policy: [allow('act', { shadow: true })] })).rejects.toEqual(refusal('act'));
    await expect(start({ ...only, policy: [workspaceOnly(['/'])] })).rejects.toEqual(refusal('act'));
  });

  it(proves('A02')('also if a hook cannot deny calls, or is for another tool'), async () => {
    const only = { capabilities: 'none', tools: [act()] } as const;
    const watch = preToolCall(() => undefined, { name: 'watch' });
    const elsewhere: Hook = { name: 'elsewhere', gate: true, preLlmCall: () => undefined };
    await expect(start({ ...only, hooks: [watch, elsewhere] })).rejects.toEqual(refusal('act'));
  });

  it(proves('A02')('not if rules, a default, a hook or capabilities cover the tools'), async () => {
    const gate: Hook = { name: 'gate', gate: true, preToolCall: () => undefined };
    await start({ default: 'allow' });
    await start({ default: 'deny' });
    await start({ hooks: [gate] });
    await start({ capabilities: 'readOnly' });
    await start({ capabilities: 'none', tools: [look()] });
    await start({ policy: [allowAll()] });
    await start({ policy: [safeDefaults()], approver: () => ({ type: 'approve' }) });
    await start({ capabilities: 'none', tools: [act()], policy: [ask('act', { handler: () => true })] });
    const registered = createAgent({ ...base });
    registered.register(gate);
    await registered.start();
    await registered.stop();
    const undone = createAgent({ ...base });
    undone.register(gate)();
    await expect(undone.start()).rejects.toEqual(refusal('create_file'));
  });

  it(proves('A02')('not with createAgent.local, which asks about commands or denies them'), async () => {
    const model = scriptedModel([calling(['run_command', { command_line: 'echo hi' }]), 'fine']);
    const agent = createAgent.local({ ...base, model });
    await agent.start();
    await agent.chat('go');
    expect(agent.history[2]?.content[0]).toMatchObject({ output: { type: 'error-text' } });
    await agent.stop();
    const denied = createAgent.local({ ...base, policy: [deny('run_command')] });
    await denied.start();
    expect(await denied.guard.policy.decide({ tool: 'run_command', args: { command_line: 'ls' } })).toMatchObject({
      effect: 'deny',
    });
    await denied.stop();
  });
});

describe('options', () => {
  it(proves('A01')('that are invalid are all listed in one error, before anything is opened'), () => {
    const wrong = { model: 7, maxSteps: 0, hook: [], memory: {}, compaction: { at: 3 } } as unknown as AgentOptions;
    expect(() => createAgent(wrong)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', problems: expect.objectContaining({ length: 5 }) }),
    );
    expect(() => createAgent(undefined as unknown as AgentOptions)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
  });

  it(proves('A08')('an empty prompt is refused before any hook, and before any turn'), async () => {
    const seen: string[] = [];
    const { agent, eventTypes } = await agentRig([], {
      hooks: [{ name: 'see', preTurn: () => void seen.push('preTurn') }],
    });
    const media = { type: 'media', mediaType: 'image/png', data: new Uint8Array() } as const;
    const wrong = ['', '  \n\t', [], [''], ['', ' '], undefined, null, 7, {}, [null], [{ ...media, mediaType: 'x/y' }]];
    for (const prompt of wrong as readonly string[]) {
      await expect(agent.chat(prompt)).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
      expect(await drained(agent.stream(prompt))).toMatchObject({ items: [], error: { code: 'PROMPT_INVALID' } });
    }
    expect(seen).toEqual([]);
    expect(eventTypes()).toEqual(['session_started']);
    expect(agent.history).toEqual([]);
    await agent.stop();
  });

  it(proves('A08')('a prompt that hooks have emptied is refused, and the model is not called'), async () => {
    const { agent, model } = await agentRig([], {
      hooks: [{ name: 'empty', preTurn: () => ({ type: 'replace', value: { text: ' ', media: [] } }) }],
    });
    expect(await agent.chat('hi')).toMatchObject({ stopReason: 'rejected' });
    expect(agent.history).toEqual([]);
    model.assertDone();
    await agent.stop();
  });
});
