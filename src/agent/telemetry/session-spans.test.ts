import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { allowAll, ask, deny, onEvent, onToolError, postLlmCall, recover, retry, type BridleEvent } from 'bridle';
import { createAgent, type Agent, type AgentOptions } from 'bridle/agent';
import { scriptedApprover, scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spanRig, steppingClock, timeOf, timesOf, type SpanRig } from '../../../test/rigs/span-rig.ts';

const secret = 'what nobody outside should read';
const look = defineTool({ name: 'look', tier: 'observe', run: () => secret });
const change = defineTool({ name: 'change', run: () => secret });
const breaks = defineTool({
  name: 'breaks',
  run: () => {
    throw new TypeError('the disk is full');
  },
});

let rig: SpanRig;
let events: BridleEvent[];

beforeEach(() => {
  rig = spanRig();
  events = [];
});
afterEach(() => rig.stop());

async function started(options: AgentOptions): Promise<Agent> {
  const record = onEvent((event) => void events.push(event), { name: 'record' });
  return createAgent({
    capabilities: 'none',
    workspaces: [],
    policy: allowAll(),
    clock: steppingClock(),
    ...options,
    hooks: [record, ...(options.hooks ?? [])],
  }).start();
}

const lookTwice = {
  toolCalls: [
    { tool: 'look', id: 'a', args: { at: secret } },
    { tool: 'look', id: 'b' },
  ],
};

describe('a turn', () => {
  it('has a span for itself, each model call and each tool call, at the times of their events', async () => {
    const usage = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 5, cacheCreationTokens: 2 };
    const model = scriptedModel([{ ...lookTwice, usage, responseId: 'r-1' }, 'done'], {
      provider: 'google.generative',
      modelId: 'x/y',
    });
    const agent = await started({ model, name: 'helper', tools: [look], session: { id: 's-1' } });
    await agent.chat(secret);
    await agent.stop('the day is over');
    expect(rig.tree()).toEqual([
      'session helper',
      '  invoke_agent helper',
      '    chat x/y',
      '    execute_tool look',
      '    execute_tool look',
      '    chat x/y',
    ]);
    const turn = rig.span('invoke_agent helper');
    expect(timesOf(turn)).toEqual({ from: timeOf(events, 'turn_started'), to: timeOf(events, 'turn_ended') });
    expect(turn.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'gen_ai.conversation.id': 's-1',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.usage.input_tokens': 12,
      'bridle.turn': 1,
      'bridle.origin': 'user',
      'bridle.steps': 2,
      'bridle.stop_reason': 'end',
    });
    const [first] = rig.named('chat x/y');
    expect(first?.kind).toBe(SpanKind.CLIENT);
    expect(first?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'x/y',
      'gen_ai.conversation.id': 's-1',
      'gen_ai.agent.name': 'helper',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'gen_ai.usage.cache_creation.input_tokens': 2,
      'gen_ai.response.id': 'r-1',
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'bridle.step': 1,
      'bridle.attempt': 1,
      'bridle.purpose': 'turn',
    });
    for (const span of rig.named('execute_tool look')) {
      const id = span.attributes['gen_ai.tool.call.id'];
      expect(timesOf(span)).toEqual({
        from: timeOf(events, 'tool_requested', ({ callId }) => callId === id),
        to: timeOf(events, 'tool_settled', ({ callId }) => callId === id),
      });
      expect(span.attributes).toEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'look',
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.type': 'function',
        'bridle.step': 1,
        'bridle.decision': 'allowed',
        'bridle.rule': expect.any(String),
        'bridle.outcome': 'ok',
      });
    }
    const session = rig.span('session helper');
    expect(session.attributes).toMatchObject({ 'bridle.end_reason': 'the day is over' });
    expect(timesOf(session).to).toBe(timeOf(events, 'session_ended'));
    expect(timesOf(session).from).toBeLessThan(timesOf(turn).from);
  });

  it('records no prompts, answers, arguments or results', async () => {
    const { approver } = scriptedApprover([true]);
    const model = scriptedModel([
      { thinking: secret, text: secret, toolCalls: [{ tool: 'change', args: { secret } }, ...lookTwice.toolCalls] },
      secret,
    ]);
    const policy = [ask('change', { reason: secret }), deny('look', { reason: secret })];
    const agent = await started({ model, tools: [look, change], policy, approver, instructions: secret });
    await agent.chat(secret);
    await agent.stop();
    expect(rig.tree()).toHaveLength(8);
    const recorded = rig.spans().map(({ name, attributes, status, events: more }) => [name, attributes, status, more]);
    expect(JSON.stringify(recorded)).not.toContain(secret);
  });

  it('records the time to the first part of an answer', async () => {
    const agent = await started({ model: scriptedModel(['hello there'], { chunks: 3, modelId: 'm' }) });
    await agent.chat('hi');
    await agent.stop();
    const from = timeOf(events, 'llm_started');
    const first = events.find(({ type }) => type === 'text_delta') as BridleEvent;
    const seconds = rig.span('chat m').attributes['gen_ai.response.time_to_first_chunk'];
    expect(seconds).toBeCloseTo((first.at - from) / 1000);
  });

  it('links to the span of the caller', async () => {
    const agent = await started({ model: scriptedModel(['hi']) });
    const request = await trace.getTracer('test').startActiveSpan('request', async (span) => {
      await agent.chat('hi');
      span.end();
      return span.spanContext().spanId;
    });
    await agent.stop();
    expect(rig.span('invoke_agent main').links.map(({ context }) => context.spanId)).toEqual([request]);
    expect(rig.span('invoke_agent main').parentSpanContext?.spanId).toBe(rig.span('session main').spanContext().spanId);
  });

  it('that fails has an error, and so does its model call', async () => {
    const agent = await started({ model: scriptedModel([{ error: new Error('no such model') }], { modelId: 'm' }) });
    await expect(agent.chat('hi')).rejects.toThrow('no such model');
    await agent.stop();
    expect(rig.span('invoke_agent main')).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('no such model') },
      attributes: { 'bridle.stop_reason': 'error' },
    });
    expect(rig.span('chat m').attributes).toMatchObject({ 'bridle.next': 'fail', 'error.type': '_OTHER' });
  });
});

describe('a model call', () => {
  it('has a span for each attempt', async () => {
    const overloaded = Object.assign(new Error('overloaded'), { isRetryable: true, statusCode: 529 });
    const model = scriptedModel([{ error: overloaded }, 'hello'], { modelId: 'm' });
    const hook = { name: 'at-once', onLlmError: () => retry(0) } as const;
    const agent = await started({ model, hooks: [hook] });
    await agent.chat('hi');
    await agent.stop();
    const [failed, settled] = rig.named('chat m');
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('overloaded') },
      attributes: { 'bridle.attempt': 1, 'bridle.next': 'retry' },
      events: [{ name: 'exception' }],
    });
    expect(settled).toMatchObject({ status: { code: SpanStatusCode.UNSET }, attributes: { 'bridle.attempt': 2 } });
    expect(timesOf(failed as never).to).toBe(timeOf(events, 'llm_failed'));
    expect(rig.span('invoke_agent main').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('that hooks reject is a span event of the turn', async () => {
    let answers = 0;
    const again = postLlmCall(() => (answers++ === 0 ? retry(secret) : undefined), { name: 'again' });
    const agent = await started({ model: scriptedModel(['one', 'two'], { modelId: 'm' }), hooks: [again] });
    await agent.chat('hi');
    await agent.stop();
    expect(rig.named('chat m')).toHaveLength(2);
    expect(rig.span('invoke_agent main').events).toMatchObject([
      { name: 'bridle.llm_rejected', attributes: { 'bridle.hook': 'again', 'bridle.next': 'retry' } },
    ]);
  });

  it('for a summary is marked', async () => {
    const model = scriptedModel(['one', 'two', 'three', 'a summary'], { modelId: 'm' });
    const agent = await started({ model, compaction: { keepTurns: 1 } });
    for (const prompt of ['1', '2', '3']) await agent.chat(prompt);
    expect(await agent.compact()).toBeGreaterThan(0);
    await agent.stop();
    expect(rig.named('chat m').map(({ attributes }) => attributes['bridle.purpose'])).toEqual([
      'turn',
      'turn',
      'turn',
      'compaction',
    ]);
    expect(rig.named('invoke_agent main').at(-1)?.events).toMatchObject([{ name: 'bridle.compacted' }]);
  });
});

describe('a tool call', () => {
  it('that is denied is not an error', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'change' }, { tool: 'nothing' }] }, 'well']);
    const policy = [deny('change', { name: 'sundays' }), allowAll()];
    const agent = await started({ model, tools: [change], policy });
    await agent.chat('hi');
    await agent.stop();
    const denied = rig.span('execute_tool change');
    expect(denied.status.code).toBe(SpanStatusCode.UNSET);
    expect(denied.attributes).toMatchObject({ 'bridle.decision': 'denied', 'bridle.rule': 'sundays' });
    expect(denied.attributes).not.toHaveProperty('bridle.outcome');
    expect(rig.span('execute_tool nothing').attributes).toMatchObject({ 'bridle.decision': 'denied' });
  });

  it('that needs approval has an approval span as its child', async () => {
    const { approver } = scriptedApprover([true, false]);
    const model = scriptedModel([
      {
        toolCalls: [
          { tool: 'change', id: 'a' },
          { tool: 'change', id: 'b' },
        ],
      },
      'well',
    ]);
    const agent = await started({ model, tools: [change], policy: ask('change'), approver });
    await agent.chat('hi');
    await agent.stop();
    expect(rig.tree().slice(3, 7)).toEqual([
      '    execute_tool change',
      '      approval change',
      '    execute_tool change',
      '      approval change',
    ]);
    const [yes, no] = rig.named('approval change');
    expect([yes, no].map((span) => span?.attributes['bridle.outcome'])).toEqual(['approved', 'denied']);
    const askedEvent = events.find((event) => event.type === 'tool_asked');
    expect(yes?.attributes).toMatchObject({ 'bridle.approval.id': askedEvent?.approvalId });
    expect(timesOf(yes as never)).toEqual({ from: askedEvent?.at, to: timeOf(events, 'tool_approved') });
    const decisions = rig.named('execute_tool change').map(({ attributes }) => attributes['bridle.decision']);
    expect(decisions).toEqual(['approved', 'denied']);
    expect(rig.spans().map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
  });

  it('that fails has the error, unless a hook recovers it', async () => {
    const call = { toolCalls: [{ tool: 'breaks' }] };
    const fix = onToolError(({ error }) => (error.step === 2 ? recover('all well') : undefined), { name: 'fix' });
    const agent = await started({ model: scriptedModel([call, call, 'well']), tools: [breaks], hooks: [fix] });
    await agent.chat('hi');
    await agent.stop();
    const [failed, recovered] = rig.named('execute_tool breaks');
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('the disk is full') },
      attributes: { 'bridle.outcome': 'error', 'error.type': 'error' },
      events: [{ name: 'exception', attributes: { 'exception.message': expect.stringContaining('disk') } }],
    });
    expect(recovered).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'bridle.outcome': 'recovered' },
    });
  });
});
