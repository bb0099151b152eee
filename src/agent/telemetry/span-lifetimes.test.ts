import { SpanStatusCode, trace } from '@opentelemetry/api';
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { allowAll, type BridleEvent } from 'bridle';
import { createAgent, type Agent, type AgentOptions } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spanRig, steppingClock, timesOf, type SpanRig } from '../../../test/rigs/span-rig.ts';

let rig: SpanRig;

beforeEach(() => {
  rig = spanRig();
});
afterEach(() => rig.stop());

function started(options: AgentOptions): Promise<Agent> {
  const clock = steppingClock();
  return createAgent({
    capabilities: 'all',
    workspaces: [],
    policy: allowAll(),
    clock,
    ...options,
  }).start();
}

const look = defineTool({ name: 'look', tier: 'observe', run: () => 'a sight' });

function start(agent: string): { readonly tool: string; readonly args: object } {
  return { tool: 'start_subagent', args: { agent, prompt: 'go' } };
}

/** The id of the tool call that is the parent of an agent's turn. */
function callOf(agent: string): unknown {
  const parent = rig.span(`invoke_agent ${agent}`).parentSpanContext?.spanId;
  return rig.spans().find((span) => span.spanContext().spanId === parent)?.attributes['gen_ai.tool.call.id'];
}

describe('subagents', () => {
  it('have their turn under the tool call that started it', async () => {
    const model = scriptedModel([{ toolCalls: [start('reader'), start('writer')] }, 'done'], { modelId: 'main-model' });
    const reader = scriptedModel([{ toolCalls: [{ tool: 'look' }, start('writer')] }, 'read'], { modelId: 'reads' });
    const writer = scriptedModel(['written', 'written'], { modelId: 'writes' });
    const agent = await started({
      model,
      tools: [look],
      subagentDepth: 2,
      subagents: {
        reader: { model: reader, capabilities: 'all', subagents: ['writer'] },
        writer: { model: writer },
      },
    });
    await agent.chat('hi');
    await agent.stop();
    expect(rig.tree()).toEqual([
      'session main',
      '  invoke_agent main',
      '    chat main-model',
      '    execute_tool start_subagent',
      '      invoke_agent reader',
      '        chat reads',
      '        execute_tool look',
      '        execute_tool start_subagent',
      '          invoke_agent writer',
      '            chat writes',
      '        chat reads',
      '    execute_tool start_subagent',
      '      invoke_agent writer',
      '        chat writes',
      '    chat main-model',
    ]);
    const [deep] = rig.named('invoke_agent writer');
    expect(deep?.attributes['bridle.agent.path']).toEqual(['main', 'reader', 'writer']);
  });

  it('that start concurrently stay separate', async () => {
    const calls = [start('one'), start('two')].map((call, index) => ({ ...call, id: `c${index}` }));
    const loop = {
      name: 'all-at-once',
      async run({ generate, call }: Parameters<NonNullable<AgentOptions['loop']>['run']>[0]): Promise<string> {
        const { toolCalls, text } = await generate();
        await Promise.all(toolCalls.map((each) => call([each])));
        return text;
      },
    };
    const model = scriptedModel([{ toolCalls: calls }]);
    const slow = { delayMs: 5 };
    const subagents = { one: { model: scriptedModel(['1'], slow) }, two: { model: scriptedModel(['2'], slow) } };
    const agent = await started({ model, loop, subagents });
    await agent.chat('hi');
    await agent.stop();
    expect([callOf('one'), callOf('two')]).toEqual(['c0', 'c1']);
  });
});

describe('a cancelled span', () => {
  it('ends: a model call with its turn, a tool call by itself', async () => {
    const hangs = defineTool({ name: 'hangs', tier: 'observe', run: () => new Promise(() => undefined) });
    const model = scriptedModel([{ hang: true }, { toolCalls: [{ tool: 'hangs' }] }], { modelId: 'm' });
    const agent = await started({ model, tools: [hangs] });
    for (const type of ['llm_started', 'tool_started']) {
      const stream = agent.stream('hi');
      for await (const event of stream) if (event.type === type) stream.cancel();
      expect((await stream.result).stopReason).toBe('cancelled');
    }
    await agent.stop();
    expect(rig.tree()).toEqual([
      'session main',
      '  invoke_agent main',
      '    chat m',
      '  invoke_agent main',
      '    chat m',
      '    execute_tool hangs',
    ]);
    expect(rig.named('chat m')[0]?.attributes).toMatchObject({ 'bridle.outcome': 'cancelled' });
    expect(rig.span('execute_tool hangs').attributes).toMatchObject({ 'bridle.outcome': 'cancelled' });
    for (const turn of rig.named('invoke_agent main')) {
      expect(turn.attributes).toMatchObject({ 'bridle.stop_reason': 'cancelled' });
    }
    expect(rig.spans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });

  it('ends with a session that is stopped early', async () => {
    const agent = await started({ model: scriptedModel([{ hang: true }], { modelId: 'm' }) });
    const stream = agent.stream('hi');
    for await (const event of stream) {
      if (event.type === 'llm_started') void agent.stop();
    }
    await agent.stop();
    expect(rig.tree()).toEqual(['session main', '  invoke_agent main', '    chat m']);
  });
});

describe('sessions', () => {
  it('that run concurrently have separate traces', async () => {
    const tools = [
      defineTool({ name: 'wait', tier: 'observe', run: () => new Promise((done) => setTimeout(done, 5)) }),
    ];
    const model = scriptedModel(
      [{ toolCalls: [{ tool: 'wait', id: 'same' }] }, { toolCalls: [{ tool: 'wait', id: 'same' }] }, 'x', 'y'],
      {
        modelId: 'm',
      },
    );
    const agent = await started({ model, tools, session: { id: 'first' } });
    const second = await agent.open({ id: 'second' });
    await Promise.all([agent.chat('hi'), second.chat('hi')]);
    await agent.stop();
    const tree = ['session main', '  invoke_agent main', '    chat m', '    execute_tool wait', '    chat m'];
    expect(rig.tree()).toEqual([...tree, ...tree]);
    for (const session of rig.named('session main')) {
      const own = rig.spans().filter((span) => span.spanContext().traceId === session.spanContext().traceId);
      expect(own).toHaveLength(5);
      const ids = new Set(own.map(({ attributes }) => attributes['gen_ai.conversation.id']));
      ids.delete(undefined);
      expect([...ids]).toEqual([session.attributes['gen_ai.conversation.id']]);
    }
  });

  it('are children of the span they were opened in, and parents of everything in them', async () => {
    const agent = await trace.getTracer('test').startActiveSpan('boot', async (span) => {
      const opened = await started({ model: scriptedModel(['hi']) });
      span.end();
      return opened;
    });
    await agent.chat('hi');
    await agent.stop();
    expect(rig.tree().slice(0, 2)).toEqual(['boot', '  session main']);
    const outer = timesOf(rig.span('session main'));
    const inner = timesOf(rig.span('invoke_agent main'));
    expect(outer.from).toBeLessThan(inner.from);
    expect(outer.to).toBeGreaterThan(inner.to);
  });

  it('record events outside of turns', async () => {
    const broken = { name: 'broken', start: () => Promise.reject(new TypeError('no')) };
    const agent = await started({ model: scriptedModel([]), triggers: [broken] });
    await agent.stop();
    expect(rig.span('session main').events).toMatchObject([
      { name: 'bridle.trigger_failed', attributes: { 'bridle.trigger': 'broken' } },
    ]);
  });
});

class BrokenProcessor extends NoopSpanProcessor {
  override onStart(): never {
    throw new TypeError('the processor is broken');
  }
}

describe('a span processor that throws', () => {
  it('does not reach the turn', async () => {
    await rig.stop();
    const events: BridleEvent[] = [];
    rig = spanRig(new BrokenProcessor());
    const agent = await started({ model: scriptedModel([{ toolCalls: [{ tool: 'look' }] }, 'fine']), tools: [look] });
    const stream = agent.stream('hi');
    for await (const event of stream) events.push(event);
    expect((await stream.result).text).toBe('fine');
    expect(events.at(-1)?.type).toBe('turn_ended');
    await agent.stop();
  });
});
