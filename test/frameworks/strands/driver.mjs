/** Drives Strands with a scripted model. */

import { Agent, FileStorage, McpClient, Model, SessionManager, tool } from '@strands-agents/sdk';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { z } from 'zod';
import { fileServerProcess } from '../mcp-server.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';

export const driver = {
  name: 'strands',
  title: 'Strands',
  entry: 'strands',
  packages: ['@strands-agents/sdk'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: true,
  skips: {
    'provider-tool': 'Strands has no tools that a provider runs: such tools are settings of the model object.',
  },
  cases,
  open,
};

class ScriptedModel extends Model {
  constructor(answers, { requests, isMeasured }) {
    super();
    this.isMeasured = isMeasured;
    this.answers = answers;
    this.requests = requests;
  }

  updateConfig() {}

  getConfig() {
    return { modelId: 'scripted' };
  }

  async *stream(messages) {
    if (!this.isMeasured) this.requests.push(JSON.parse(JSON.stringify(messages)));
    const { text, toolCalls = [], error } = this.answers();
    if (error !== undefined) throw new Error(error);
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (text !== undefined) {
      yield { type: 'modelContentBlockStartEvent' };
      for (const piece of text.match(/.{1,5}/gs) ?? [])
        yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: piece } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    for (const { id, tool: name, args } of toolCalls) {
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId: id } };
      yield {
        type: 'modelContentBlockDeltaEvent',
        delta: { type: 'toolUseInputDelta', input: JSON.stringify(args) },
      };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: toolCalls.length > 0 ? 'toolUse' : 'endTurn' };
    yield { type: 'modelMetadataEvent', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
  }
}

async function open({ guard, adapter, tools, script, mcp, subagent, late, session, place, record, isMeasured }) {
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (server, name) => `${server}_${name}`,
    delegate: (id, task) => ({ id, tool: 'helper', args: { input: task } }),
  });
  const model = new ScriptedModel(answers, { requests, isMeasured });
  const files = fileServerProcess();
  const client = mcp
    ? new McpClient({
        prefix: 'files',
        transport: new StdioClientTransport({ command: files.command, args: files.args }),
      })
    : undefined;
  const common = { model, printer: false, retryStrategy: null };
  const own = tools.map(toTool);
  const helper = subagent ? [new Agent({ ...common, name: 'helper', tools: tools.map(toTool) })] : [];
  const agent = new Agent({
    ...common,
    id: 'main',
    tools: [...own, ...(client ? [client] : []), ...helper],
    // With a session manager, the session of the guard has the id of that session.
    plugins: guard === undefined ? [] : [adapter.guardPlugin(guard, place ? {} : { session })],
    ...(place && {
      sessionManager: new SessionManager({
        sessionId: session,
        storage: { snapshot: new FileStorage(place) },
        saveLatestOn: 'invocation',
      }),
    }),
  });
  if (late) {
    await agent.initialize();
    const execute = async () => void record.ran.push({ tool: 'late' });
    agent.toolRegistry.add(toTool({ name: 'late', description: 'late', schema: z.object({}), execute }));
  }
  const drive = async (input, { stream = false, signal } = {}) => {
    const before = requests.length;
    if (isMeasured) agent.messages.length = 0;
    const options = signal === undefined ? {} : { cancelSignal: signal };
    const { result, parts, streamed } = stream
      ? await drain(agent.stream(input, options))
      : { result: await agent.invoke(input, options) };
    if (isMeasured) return { text: result.toString() };
    const isPaused = result.stopReason === 'interrupt';
    return {
      text: isPaused ? '' : result.toString(),
      parts,
      streamed,
      paused: isPaused ? pausedState(agent, result.interrupts) : undefined,
      ...seenIn(requests.slice(before), agent.messages),
    };
  };
  return {
    agent,
    requests: () => requests,
    mcpCalls: files.calls,
    run: drive,
    resume(paused, given) {
      if (place === undefined) agent.loadSnapshot(paused.snapshot);
      const asks = paused.asks.filter(({ id }) => given[id] !== undefined);
      return drive(
        asks.map(({ id, interrupt }) => ({ interruptResponse: { interruptId: interrupt, response: given[id] } })),
      );
    },
    forge(paused, id, args) {
      const forged = structuredClone(paused);
      const { pendingToolExecution } = forged.snapshot.data.interruptState ?? forged.snapshot.data.interrupts;
      for (const { toolUse } of pendingToolExecution.assistantMessageData.content)
        if (toolUse?.toolUseId === id) toolUse.input = args;
      return forged;
    },
    close: () => client?.disconnect(),
  };
}

function toTool({ name, description, schema, execute }) {
  const callback = (args, context) =>
    execute(
      args,
      toolContext(() => context?.cancelSignal),
    );
  return tool({ name, description, inputSchema: schema, callback });
}

function pausedState(agent, interrupts) {
  return {
    snapshot: JSON.parse(JSON.stringify(agent.takeSnapshot({ preset: 'session' }))),
    asks: interrupts.map(({ id, reason }) => ({
      id: id.split(':')[2],
      tool: reason.tool,
      args: reason.args,
      interrupt: id,
    })),
  };
}

async function drain(stream) {
  const parts = [];
  const streamed = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { result: value, parts, streamed };
    parts.push(value.type === 'modelStreamUpdateEvent' ? value.event.type : value.type);
    streamed.push(value.event?.delta?.text ?? value.contentBlock?.text ?? '');
  }
}

/** What the model saw of each call: the result in its last request, and the args in the history. */
function seenIn(requests, messages) {
  const seen = {};
  const history = {};
  for (const { toolResult } of requests.flat().flatMap(({ content }) => content)) {
    if (toolResult === undefined) continue;
    const text = toolResult.content.map((part) => part.text ?? JSON.stringify(part.json)).join('\n');
    seen[toolResult.toolUseId] = { text, isError: toolResult.status === 'error' };
  }
  for (const { toolUse } of JSON.parse(JSON.stringify(messages)).flatMap(({ content }) => content))
    if (toolUse !== undefined) history[toolUse.toolUseId] = toolUse.input;
  return { seen, history };
}
