/** Drives OpenAI Agents with a scripted model. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, MCPServerStdio, Runner, RunState, setTracingDisabled, tool, Usage } from '@openai/agents';
import { z } from 'zod';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';

setTracingDisabled(true);

export const driver = {
  name: 'openai-agents',
  title: 'OpenAI Agents',
  entry: 'openai-agents',
  packages: ['@openai/agents'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: true,
  skips: {},
  cases,
  open,
};

async function open({
  guard,
  adapter,
  tools,
  script,
  mcp,
  subagent,
  late,
  providerTool,
  session,
  errorsReachGuard,
  arrange,
  isMeasured,
}) {
  const model = new ScriptedModel(
    scriptedAnswers(script, {
      toolName: (_server, name) => name,
      delegate: (id, task) => ({ id, tool: 'ask_helper', args: { input: task } }),
    }),
    isMeasured,
  );
  const toTool = ({ name, description, schema, execute }) =>
    tool({
      name,
      description,
      parameters: schema,
      execute: (args, _context, details) =>
        execute(
          args,
          toolContext(() => details?.signal),
        ),
      ...(errorsReachGuard ? { errorFunction: null } : {}),
    });
  const own = tools.map(toTool);
  if (providerTool) own.push({ type: 'hosted_tool', name: 'web_search', providerData: { type: 'web_search' } });
  if (subagent) {
    const helper = new Agent({ name: 'helper', model, tools: tools.map(toTool) });
    own.push(helper.asTool({ toolName: 'ask_helper', toolDescription: 'Asks the helper.' }));
  }
  const files = mcp ? await startFiles() : undefined;
  const agent = new Agent({
    name: 'assistant',
    model,
    tools: own,
    mcpServers: files ? [files.server] : [],
    ...arrange?.({ model, tools: own, toTool }),
  });
  if (guard !== undefined) adapter.guardAgent(guard, agent, { session });
  if (late)
    agent.tools.push(
      toTool({ name: 'late', description: 'late', schema: z.object({}), execute: late.execute ?? (() => 'ran') }),
    );
  const runner = new Runner();
  let history = [];
  const drive = async (input, { stream = false, from = agent, on = runner, ...options } = {}) => {
    const before = model.requests.length;
    const result = await on.run(from, input, { stream, ...options });
    if (isMeasured) return { text: result.finalOutput };
    const parts = stream ? await partsOf(result) : undefined;
    history = result.history;
    const asks = result.interruptions.map(({ rawItem, name }) => ({
      id: rawItem.callId,
      tool: name,
      args: rawItem.arguments,
    }));
    return {
      text: asks.length === 0 ? result.finalOutput : undefined,
      parts: parts?.map(({ name }) => name),
      streamed: parts?.map(({ delta }) => delta),
      paused: asks.length === 0 ? undefined : { asks, state: result.state.toString() },
      ...seenIn(model.requests.slice(before), history),
    };
  };
  return {
    adapter,
    agent,
    model,
    runner,
    requests: () => model.requests,
    mcpCalls: () => files.calls(),
    close: () => files?.close(),
    run: (prompt, options) => drive([...history, { role: 'user', content: prompt }], options),
    async resume({ state: saved }, answers, options) {
      const state = await RunState.fromString(agent, saved);
      for (const item of state.getInterruptions()) {
        const answer = answers[item.rawItem.callId];
        if (answer?.type === 'deny') state.reject(item, { message: answer.reason });
        else if (answer?.args !== undefined) adapter.approveWithEdits(state, item, answer.args);
        else if (answer !== undefined) state.approve(item, { alwaysApprove: answer.always ?? false });
      }
      return drive(state, options);
    },
    forge(paused, id, args) {
      const change = (value) => {
        if (typeof value !== 'object' || value === null) return;
        if (value.callId === id && typeof value.arguments === 'string') value.arguments = JSON.stringify(args);
        Object.values(value).forEach(change);
      };
      const state = JSON.parse(paused.state);
      change(state);
      return { ...paused, state: JSON.stringify(state) };
    },
  };
}

async function startFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-files-'));
  const notes = join(folder, 'calls');
  writeFileSync(notes, '');
  const program = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));
  const server = new MCPServerStdio({ name: 'files', command: process.execPath, args: [program, notes] });
  await server.connect();
  return {
    server,
    calls: () => readFileSync(notes, 'utf8').split('\n').filter(Boolean),
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A model that answers from a script. */
class ScriptedModel {
  requests = [];

  constructor(answers, isMeasured) {
    this.answers = answers;
    this.isMeasured = isMeasured;
  }

  async getResponse({ input }) {
    return this.next(input);
  }

  async *getStreamedResponse({ input }) {
    const { output, usage, responseId } = this.next(input);
    yield { type: 'response_started' };
    for (const { content = [] } of output)
      for (const { text } of content)
        for (const delta of text.match(/.{1,5}/gs) ?? []) yield { type: 'output_text_delta', delta };
    yield { type: 'response_done', response: { id: responseId, output, usage } };
  }

  next(input) {
    if (!this.isMeasured) this.requests.push(structuredClone(input));
    const { text, toolCalls = [], error } = this.answers();
    if (error !== undefined) throw new Error(error);
    const message = { type: 'message', role: 'assistant', status: 'completed' };
    const output = toolCalls.map(({ id, tool: name, args, raw }) => ({
      type: 'function_call',
      callId: id,
      name,
      status: 'completed',
      arguments: raw ?? JSON.stringify(args),
    }));
    if (text !== undefined) output.unshift({ ...message, content: [{ type: 'output_text', text }] });
    const usage = new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 });
    return { output, usage, responseId: `r${this.requests.length}` };
  }
}

async function partsOf(result) {
  const parts = [];
  for await (const event of result) {
    const name = event.type === 'raw_model_stream_event' ? event.data.type : (event.name ?? event.type);
    parts.push({ name, delta: event.data?.delta });
  }
  await result.completed;
  return parts;
}

/** What the model saw of each call: the result in its last request, and the args in the history. */
function seenIn(requests, items) {
  const seen = {};
  const history = {};
  for (const { type, callId, output } of requests.flatMap((input) => (Array.isArray(input) ? input : [])))
    if (type === 'function_call_result') seen[callId] = { text: textOf(output) };
  for (const { type, callId, arguments: args } of items) if (type === 'function_call') history[callId] = parsed(args);
  return { seen, history };
}

function textOf(output) {
  if (typeof output === 'string') return output;
  return Array.isArray(output) ? output.map(textOf).join('\n') : (output.text ?? JSON.stringify(output));
}

function parsed(args) {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
