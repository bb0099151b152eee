/** Drives ADK with a scripted model. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AgentTool,
  BaseLlm,
  BaseTool,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  Runner,
  setLogLevel,
  StreamingMode,
} from '@google/adk';
import { MCPToolset } from '@google/adk/tools/mcp';
import { z } from 'zod';
import { fileServerProcess } from '../mcp-server.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';

setLogLevel(LogLevel.ERROR + 1);

export const driver = {
  name: 'adk',
  title: 'ADK',
  entry: 'adk',
  packages: ['@google/adk'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: true,
  skips: {},
  cases,
  open,
};

const confirmation = 'adk_request_confirmation';
const appName = 'test';
const userId = 'ann';

class ScriptedModel extends BaseLlm {
  constructor(answers, { requests, isMeasured }) {
    super({ model: 'scripted' });
    this.isMeasured = isMeasured;
    this.answers = answers;
    this.requests = requests;
  }

  async *generateContentAsync({ contents }, stream) {
    if (!this.isMeasured) this.requests.push(structuredClone(contents));
    const { text, toolCalls = [], error } = this.answers();
    if (error !== undefined) throw new Error(error);
    if (stream)
      for (const piece of text?.match(/.{1,5}/gs) ?? [])
        yield { content: { role: 'model', parts: [{ text: piece }] }, partial: true };
    const parts = toolCalls.map(({ id, tool, args }) => ({
      functionCall: { id, name: tool, args: structuredClone(args) },
    }));
    yield { content: { role: 'model', parts: [...(text === undefined ? [] : [{ text }]), ...parts] } };
  }
}

/** A tool that the provider runs: it is only a part of the request. */
class WebSearch extends BaseTool {
  constructor() {
    super({ name: 'web_search', description: 'Searches the web.' });
  }

  async processLlmRequest({ llmRequest }) {
    llmRequest.config ??= {};
    llmRequest.config.tools = [...(llmRequest.config.tools ?? []), { googleSearch: {} }];
  }

  async runAsync() {}
}

/** Sessions in a file, for another process. */
class FileSessions extends InMemorySessionService {
  constructor(file) {
    super();
    this.file = file;
    if (existsSync(file)) Object.assign(this, JSON.parse(readFileSync(file, 'utf8')));
  }

  async createSession(request) {
    const session = await super.createSession(request);
    this.save();
    return session;
  }

  async appendEvent(request) {
    const event = await super.appendEvent(request);
    this.save();
    return event;
  }

  save() {
    const { file, ...rest } = this;
    writeFileSync(file, JSON.stringify(rest));
  }
}

async function open({ guard, adapter, tools, script, session, place, record, ...extra }) {
  const { mcp, subagent, late, providerTool, isMeasured } = extra;
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (server, name) => `${server}_${name}`,
    delegate: (id, task) => ({ id, tool: 'helper', args: { request: task } }),
  });
  const model = new ScriptedModel(answers, { requests, isMeasured });
  const files = fileServerProcess();
  const { command, args: commandArgs } = files;
  const connection = { type: 'StdioConnectionParams', serverParams: { command, args: commandArgs } };
  const toolsets = mcp ? [new MCPToolset(connection, [], 'files')] : [];
  const helper = new LlmAgent({ name: 'helper', description: 'Helps.', model, tools: tools.map(toTool) });
  const agent = new LlmAgent({
    name: 'assistant',
    model,
    tools: [
      ...tools.map(toTool),
      ...toolsets,
      ...(subagent ? [new AgentTool({ agent: helper })] : []),
      ...(providerTool ? [new WebSearch()] : []),
    ],
  });
  const sessionService = place ? new FileSessions(join(place, 'sessions.json')) : new InMemorySessionService();
  const runner = new Runner({
    appName,
    agent,
    sessionService,
    plugins: guard === undefined ? [] : [adapter.guardPlugin(guard)],
  });
  const sessionId = session ?? 'chat';
  if (late) {
    const execute = async () => void record.ran.push({ tool: 'late' });
    agent.tools.push(toTool({ name: 'late', description: 'late', schema: z.object({}), execute }));
  }
  const key = { appName, userId, sessionId };
  const drive = async (parts, { stream = false, signal } = {}) => {
    if (isMeasured) sessionService.sessions = {};
    if (isMeasured || (await sessionService.getSession(key)) === undefined) await sessionService.createSession(key);
    const before = requests.length;
    const events = [];
    const run = runner.runAsync({
      userId,
      sessionId,
      newMessage: { role: 'user', parts },
      abortSignal: signal,
      runConfig: { maxLlmCalls: 9, ...(stream && { streamingMode: StreamingMode.SSE }) },
    });
    for await (const event of run) events.push(event);
    const failed = events.find(({ errorMessage }) => errorMessage !== undefined);
    if (failed !== undefined) throw new Error(failed.errorMessage);
    if (isMeasured) return { text: events.at(-1).content.parts[0].text };
    const result = resultOf(events, requests.slice(before), await sessionService.getSession(key));
    return {
      ...result,
      paused: result.paused && { ...result.paused, sessions: structuredClone(sessionService.sessions) },
    };
  };
  return {
    runner,
    agent,
    requests: () => requests,
    mcpCalls: files.calls,
    run: (prompt, options) => drive([{ text: prompt }], options),
    async resume(paused, given) {
      if (place === undefined) sessionService.sessions = structuredClone(paused.sessions);
      const asks = paused.asks.filter(({ id }) => given[id] !== undefined);
      return drive(
        asks.map(({ id, ask }) => ({ functionResponse: { id: ask, name: confirmation, response: answer(given[id]) } })),
      );
    },
    forge(paused, id, args) {
      const sessions = structuredClone(paused.sessions);
      const change = (value) => {
        if (typeof value !== 'object' || value === null) return;
        if (value.id === id && value.args !== undefined) value.args = args;
        for (const each of Object.values(value)) change(each);
      };
      change(sessions);
      return { ...paused, sessions };
    },
    close: () => Promise.all(toolsets.map((toolset) => toolset.close())),
  };
}

function toTool({ name, description, schema, execute }) {
  return new FunctionTool({
    name,
    description,
    parameters: schema,
    execute: (args, context) =>
      execute(
        args,
        toolContext(() => context?.abortSignal),
      ),
  });
}

function answer({ type, args, reason }) {
  return { confirmed: type === 'approve', payload: { ...(args && { args }), ...(reason && { reason }) } };
}

function resultOf(events, requests, session) {
  const parts = events.flatMap(({ content, partial }) => (content?.parts ?? []).map((part) => ({ ...part, partial })));
  const asks = parts.flatMap(({ functionCall: call }) =>
    call?.name === confirmation
      ? [
          {
            ...call.args.originalFunctionCall,
            args: call.args.toolConfirmation?.payload?.args ?? call.args.originalFunctionCall.args,
            ask: call.id,
          },
        ]
      : [],
  );
  const seen = {};
  for (const { functionResponse } of requests.flat().flatMap((content) => content.parts ?? [])) {
    if (functionResponse === undefined) continue;
    const { error, result } = functionResponse.response;
    const value = error ?? result ?? functionResponse.response;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    seen[functionResponse.id] = { text, isError: error !== undefined };
  }
  const history = {};
  for (const { functionCall } of session.events.flatMap(({ content }) => content?.parts ?? []))
    if (functionCall !== undefined) history[functionCall.id] = functionCall.args;
  const texts = parts.filter(({ text, partial }) => text !== undefined && !partial);
  return {
    text: asks.length > 0 ? '' : (texts.at(-1)?.text ?? ''),
    parts: parts.map(({ partial, ...part }) => `${Object.keys(part)[0]}${partial ? ' (partial)' : ''}`),
    streamed: parts.map(({ text }) => text ?? ''),
    paused:
      asks.length === 0 ? undefined : { asks: asks.map(({ id, name, args, ask }) => ({ id, tool: name, args, ask })) },
    seen,
    history,
  };
}
