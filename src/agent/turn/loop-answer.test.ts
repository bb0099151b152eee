/**
 * The answer of a custom loop is the answer of its turn: it passes hooks, is streamed, and reaches history and
 * `postTurn`.
 */

import { postLlmCall, postTurn, reject, replace, retry, transform, type BridleEvent, type Hook } from 'bridle';
import type { LlmResponse } from 'bridle/agent';
import type { AgentLoop, LoopHandles } from 'bridle/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentParts, agentRig, calling, look, settled, textIn } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, never, only } from '../../../test/rigs/guard-rig.ts';
import { runs } from '../../../test/property-runs.ts';

function loopOf(run: AgentLoop['run'], rest: Partial<AgentLoop> = {}): AgentLoop {
  return { name: 'mine', run, ...rest };
}

function deltasIn(events: readonly BridleEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
}

async function* inPieces(...pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await settled();
    yield piece;
  }
}

/** Records every answer that it passes. */
function gate(look: (response: LlmResponse) => ReturnType<NonNullable<Hook['postLlmCall']>> = () => undefined) {
  const seen: LlmResponse[] = [];
  const hook = postLlmCall(({ response }) => (seen.push(response), look(response)), { name: 'gate' });
  return { hook, seen };
}

describe('the answer of a custom loop', () => {
  it(proves('A24')('is streamed, added to the history and passed to postTurn in every turn'), async () => {
    const outputs: string[] = [];
    const roles: string[] = [];
    const loop = loopOf(async ({ messages, prompt }) => {
      roles.push(messages.map(({ role }) => role).join('>'));
      return `You said ${prompt.text}`;
    });
    const watch = postTurn(({ output }) => void outputs.push(output.text), { name: 'outputs' });
    const { agent, events } = await agentRig([], { loop, hooks: [watch] });
    for (const text of ['one', 'two', 'three']) {
      expect(await agent.chat(text)).toMatchObject({ text: `You said ${text}`, stopReason: 'end', steps: 0 });
    }
    expect(roles).toEqual(['user', 'user>assistant>user', 'user>assistant>user>assistant>user']);
    expect(outputs).toEqual(['You said one', 'You said two', 'You said three']);
    expect(deltasIn(events)).toEqual(outputs);
    expect(agent.history.filter(({ role }) => role === 'assistant').map(textIn)).toEqual(outputs);
    await agent.stop();
  });

  it(proves('A24', 'A05')('in pieces is streamed as it arrives if no hook can reject it'), async () => {
    let pieceCount = 0;
    const seen: string[] = [];
    const loop = loopOf(async function* () {
      for (const piece of ['one ', 'two ', 'three']) {
        pieceCount++;
        yield piece;
        await settled();
      }
    });
    const { agent } = await agentRig([], { loop });
    for await (const text of agent.stream('go').textStream) seen.push(`${pieceCount} ${text}`);
    expect(seen).toEqual(['1 one ', '2 two ', '3 three']);
    expect(textIn(agent.history.at(-1))).toBe('one two three');
    await agent.stop();
  });

  it(proves('A24', 'A05')('is held back until the hook has passed all of it'), async () => {
    const { hook, seen } = gate(({ text, ...rest }) => transform({ ...rest, text: text.replace('secret', '…') }));
    const loop = loopOf(() => inPieces('a sec', 'ret word'));
    const { agent, events } = await agentRig([], { loop, hooks: [hook] });
    expect(await agent.chat('go')).toMatchObject({ text: 'a … word' });
    expect(only(seen)).toMatchObject({
      text: 'a secret word',
      model: 'loop/mine',
      toolCalls: [],
      finishReason: 'stop',
    });
    expect(deltasIn(events)).toEqual(['a … word']);
    expect(textIn(agent.history.at(-1))).toBe('a … word');
    await agent.stop();
  });

  it(proves('A24', 'A04')('that a hook rejects is not streamed or stored'), async () => {
    const { hook } = gate(() => reject('not this'));
    const { agent, events } = await agentRig([], { loop: loopOf(async () => 'own words'), hooks: [hook] });
    expect(await agent.chat('go')).toMatchObject({ text: 'not this', stopReason: 'rejected' });
    expect(agent.history).toEqual([]);
    expect(deltasIn(events)).toEqual([]);
    expect(only(eventsOf({ events }, 'llm_rejected'))).toMatchObject({ hook: 'gate', next: 'fail' });
    await agent.stop();
  });

  it(proves('A24')('cannot get tool calls from a hook, because nothing would run them'), async () => {
    const calls = [{ id: 'c1', tool: 'look', args: {} }];
    const { hook } = gate((response) => replace({ ...response, toolCalls: calls }));
    const { agent } = await agentRig([], { loop: loopOf(async () => 'own'), hooks: [hook], tools: [look()] });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'rejected' });
    expect(agent.history).toEqual([]);
    await agent.stop();
  });

  it(proves('A24', 'A04')('that a hook sends back is revised, at most 8 times in a row'), async () => {
    const feedback: string[] = [];
    const revising = loopOf(async () => 'v0', {
      revise: async (why) => `v${feedback.push(why)}`,
    });
    const patient = gate(({ text }) => (text === 'v3' ? undefined : retry(`not ${text}`)));
    const rig = await agentRig([], { loop: revising, hooks: [patient.hook] });
    expect(await rig.agent.chat('go')).toMatchObject({ text: 'v3', stopReason: 'end' });
    expect(feedback).toEqual(['not v0', 'not v1', 'not v2']);
    expect(rig.agent.history).toHaveLength(2);
    await rig.agent.stop();

    const strict = gate(() => retry('never'));
    const other = await agentRig([], { loop: revising, hooks: [strict.hook] });
    await expect(other.agent.chat('go')).rejects.toMatchObject({ code: 'LLM_REJECTED' });
    expect(strict.seen).toHaveLength(9);
    await other.agent.stop();

    const once = gate(() => retry('again'));
    const plain = await agentRig([], { loop: loopOf(async () => 'own'), hooks: [once.hook] });
    expect(await plain.agent.chat('go')).toMatchObject({ text: 'again', stopReason: 'rejected' });
    await plain.agent.stop();
  });

  it(proves('A24', 'A15')('must match the schema of the turn'), async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const loop = loopOf(async ({ prompt }) => prompt.text, { revise: async () => '{"n": 2}' });
    const { agent } = await agentRig([], { loop });
    expect(await agent.chat('{"n": 1}', { schema })).toMatchObject({ data: { n: 1 }, stopReason: 'end' });
    expect(await agent.chat('one', { schema })).toMatchObject({ data: { n: 2 }, stopReason: 'end' });
    await agent.stop();
    const plain = await agentRig([], { loop: loopOf(async () => 'none') });
    const result = await plain.agent.chat('go', { schema });
    expect(result).toMatchObject({ data: undefined, stopReason: 'schema_mismatch', text: 'none' });
    await plain.agent.stop();
  });

  it(proves('A24')('that is an answer of the model does not pass hooks again and is not streamed again'), async () => {
    for (const answer of [undefined, 'last', inPieces('la', 'st')]) {
      const { hook, seen } = gate();
      const loop = loopOf(async ({ generate }) => {
        await generate();
        await generate();
        return answer;
      });
      const { agent, events } = await agentRig(['first', 'last'], { loop, hooks: [hook] });
      expect(await agent.chat('go')).toMatchObject({ text: 'last', steps: 2 });
      expect(seen.map(({ text }) => text)).toEqual(['first', 'last']);
      expect(deltasIn(events)).toEqual(['first', 'last']);
      expect(agent.history.filter(({ role }) => role === 'assistant').map(textIn)).toEqual(['first', 'last']);
      await agent.stop();
    }
  });

  it(proves('A24', 'A20')('passes the hook unless the model gave exactly that text'), async () => {
    const answers = ['Yes.', 'yes.', 'Yes', ' ', 'No way'];
    const text = fc.oneof(
      fc.constantFrom(...answers, 'Yes. ', 'Yes.No', 'Yes.\u200B', 'YES.', '', 'N'),
      fc.string({ maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...answers), { maxLength: 3 }),
        text,
        fc.array(fc.nat(6), { maxLength: 3 }),
        async (given, said, cuts) => {
          const cut = [...cuts.map((at) => Math.min(at, said.length)), 0, said.length].toSorted((a, b) => a - b);
          const pieces = cut.slice(1).map((to, index) => said.slice(cut[index], to));
          const { hook, seen } = gate();
          const loop = loopOf(async ({ generate }) => {
            for (const _ of given) await generate();
            return cuts.length === 0 ? said : inPieces(...pieces);
          });
          const { agent, events } = await agentRig(given, { loop, hooks: [hook] });
          const result = await agent.chat('go');
          expect(result.text).toBe(said);
          expect(seen.map((each) => each.text)).toContain(said);
          expect(seen).toHaveLength(given.length + (given.includes(said) ? 0 : 1));
          const passed = new Set(seen.map((each) => each.text));
          for (const delta of deltasIn(events)) expect(passed.has(delta)).toBe(true);
          const last = agent.history.filter(({ role }) => role === 'assistant').at(-1);
          if (said.trim() !== '') expect(textIn(last)).toBe(said);
          const problems = conversationProblems(agent.history);
          expect(problems.filter((each) => !each.includes('follows another answer'))).toEqual([]);
          await agent.stop();
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it(proves('A24')('is streamed without a hook too: the deltas add up to the answer'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 5 }), async (pieces) => {
        const loop = loopOf(async ({ generate }) => {
          await generate();
          return inPieces(...pieces);
        });
        const { agent } = await agentRig(['model'], { loop });
        let shown = '';
        for await (const text of agent.stream('go').textStream) shown += text;
        expect(shown).toBe(`model${pieces.join('')}`);
        await agent.stop();
      }),
      { numRuns: runs(30) },
    );
  });

  it(proves('A24')('comes after the results of open calls'), async () => {
    const loop = loopOf(async ({ generate }) => {
      await generate();
      return 'I leave it';
    });
    const { agent } = await agentRig([calling('look')], { loop, tools: [look()] });
    await agent.chat('go');
    expect(agent.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });

  it(proves('A24')('that is not text fails the turn'), async () => {
    for (const answer of [1, null, {}, inPieces('fine', 2 as never)]) {
      const { agent } = await agentRig([], { loop: loopOf(async () => answer as never) });
      await expect(agent.chat('go')).rejects.toMatchObject({ code: 'LOOP_FAILED' });
      await agent.stop();
    }
  });

  it(proves('A24', 'A07')('that never ends is abandoned when the turn is cancelled'), async () => {
    const loop = loopOf(async function* () {
      yield 'so far';
      await never();
    });
    const { agent } = await agentRig([], { loop });
    const turn = agent.chat('go');
    await settled();
    agent.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(agent.history).toEqual([]);
    await agent.stop();
  });
});

describe('the handles of a custom loop', () => {
  it(proves('A24')('have session, turn, agent, instructions and tools, and send events'), async () => {
    const seen: object[] = [];
    let handles: LoopHandles | undefined;
    const loop = loopOf(async (given) => {
      handles = given;
      const { sessionId, turnNumber, agent: path, instructions, tools } = given;
      seen.push({ sessionId, turnNumber, path, instructions, tools: tools.map(({ name }) => name) });
      given.emit('progress', { done: 1 });
      return 'ok';
    });
    const { agent, events } = await agentRig([], {
      loop,
      instructions: 'Be brief.',
      name: 'clerk',
      tools: [look(), look(() => 1, 'hidden')],
      capabilities: { disabledTools: ['hidden'], preset: 'none' },
    });
    await agent.chat('one');
    await agent.chat('two');
    const { sessionId } = agent;
    const common = { sessionId, path: ['clerk'], instructions: 'Be brief.', tools: ['look'] };
    expect(seen).toEqual([
      { ...common, turnNumber: 1 },
      { ...common, turnNumber: 2 },
    ]);
    expect(eventsOf({ events }, 'custom')).toMatchObject([
      { name: 'progress', data: { done: 1 }, turn: 1 },
      { name: 'progress', turn: 2 },
    ]);
    handles?.emit('late');
    expect(eventsOf({ events }, 'custom')).toHaveLength(2);
    await agent.stop();
  });
});

function livingLoop(problems: { start?: Error; stop?: Error } = {}): { loop: AgentLoop; calls: string[] } {
  const calls: string[] = [];
  const act = (what: 'start' | 'stop') => async (): Promise<void> => {
    calls.push(what);
    const problem = problems[what];
    if (problem !== undefined) throw problem;
  };
  return { calls, loop: loopOf(async () => (calls.push('run'), 'ok'), { start: act('start'), stop: act('stop') }) };
}

describe('the life of a custom loop', () => {
  it(proves('A24', 'A01')('starts once before and stops once after all turns'), async () => {
    const { loop, calls } = livingLoop();
    const { agent } = await agentRig([], { loop });
    await agent.chat('one');
    await agent.chat('two');
    await Promise.all([agent.stop(), agent.stop()]);
    await agent.stop();
    expect(calls).toEqual(['start', 'run', 'run', 'stop']);
  });

  it(proves('A24', 'A01')('ends when the start of the agent fails, because of the loop or otherwise'), async () => {
    const broken = livingLoop({ start: new TypeError('no remote') });
    const { agent } = agentParts([], { loop: broken.loop });
    await expect(agent.start()).rejects.toMatchObject({ code: 'LOOP_FAILED', cause: { message: 'no remote' } });
    await agent.stop();
    expect(broken.calls).toEqual(['start', 'stop']);

    const fine = livingLoop();
    const refused = agentParts([], {
      loop: fine.loop,
      hooks: [{ name: 'no', onSessionStart: () => reject('closed') }],
    });
    await expect(refused.agent.start()).rejects.toMatchObject({ code: 'SESSION_REJECTED' });
    await refused.agent.stop();
    expect(fine.calls).toEqual(['start', 'stop']);
  });

  it(proves('A24', 'A01')('reports a stop that fails, and still ends the session'), async () => {
    const { loop, calls } = livingLoop({ stop: new TypeError('stuck') });
    const ended: string[] = [];
    const { agent } = await agentRig([], {
      loop,
      hooks: [{ name: 'end', onSessionEnd: ({ reason }) => void ended.push(reason) }],
    });
    await expect(agent.stop()).rejects.toMatchObject({ code: 'LOOP_FAILED' });
    expect(calls).toEqual(['start', 'stop']);
    expect(ended).toEqual(['stopped']);
  });

  it(proves('A24')('does not start if the agent does not'), async () => {
    const { loop, calls } = livingLoop();
    const { agent } = agentParts([], { loop });
    await agent.stop();
    expect(calls).toEqual([]);
  });
});
