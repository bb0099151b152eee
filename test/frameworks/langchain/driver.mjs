/** Drives LangChain's `createAgent` with a scripted model. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Command, MemorySaver } from '@langchain/langgraph';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { fileServerProcess } from '../mcp-server.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';

export const driver = {
  name: 'langchain',
  title: 'LangChain',
  entry: 'langchain',
  packages: ['langchain', '@langchain/core', '@langchain/langgraph'],
  z,
  load: (specifier) => import(specifier),
  // LangChain keeps the args that the model wrote; a changed message would lose the edits of parallel calls.
  showsRewrittenArgs: false,
  skips: {
    'model-observed':
      'LangChain streams text before a hook can see it. With a hook at postLlmCall, the text arrives as a whole.',
  },
  cases,
  open,
};

async function open({ guard, adapter, tools, script, record, session, place, arrange, ...extra }) {
  const { mcp, subagent, late, providerTool, isMeasured } = extra;
  const answers = scriptedAnswers(script, {
    toolName: (_server, name) => name,
    delegate: (id, task) => ({ id, tool: 'helper', args: { task } }),
  });
  const model = new ScriptedModel({ answers, requests: [], isMeasured });
  const { requests } = model.shared;
  const files = fileServerProcess();
  const client = mcp
    ? new MultiServerMCPClient({ mcpServers: { files: { transport: 'stdio', ...files } } })
    : undefined;
  const mcpTools = (await client?.getTools('files')) ?? [];
  const guarding = (options) => (guard === undefined ? [] : [adapter.guardMiddleware(guard, options)]);
  const own = tools.map(toTool);
  const all = [...own, ...mcpTools];
  if (providerTool) all.push({ type: 'web_search_20250305', name: 'web_search' });
  if (subagent) all.push(helperTool({ model, own, middleware: guarding() }));
  const saver = new FileSaver(place === undefined ? undefined : join(place, 'checkpoints.json'));
  const agent = createAgent({
    model,
    tools: all,
    systemPrompt: 'You are tested.',
    middleware: [...(late ? [lateTool()] : []), ...guarding(mcp ? { mcpServers: { files: mcpTools } } : {})],
    checkpointer: saver,
    ...arrange?.({ model, own, record, middleware: guarding(), guarding }),
  });
  const thread = session ?? 'thread';
  const drive = async (input, { stream = false, signal } = {}) => {
    const before = requests.length;
    if (isMeasured) Object.assign(saver, { storage: {}, writes: {} });
    const config = { configurable: { thread_id: thread }, signal };
    const streamed = stream ? await drain(agent, input, config) : { state: await agent.invoke(input, config) };
    if (isMeasured) return { text: streamed.state.messages.at(-1).text };
    if (agent.checkpointer === undefined) return { seen: seenIn(requests.slice(before)) };
    const { values, tasks } = await agent.graph.getState(config);
    const asks = tasks
      .filter(({ result }) => result === undefined)
      .flatMap(({ interrupts }) => interrupts)
      .map(toAsk);
    return {
      ...streamed,
      text: asks.length > 0 ? undefined : values.messages.at(-1).text,
      paused: asks.length > 0 ? { asks, checkpoints: saver.text() } : undefined,
      seen: seenIn(requests.slice(before)),
      history: historyIn(values.messages),
    };
  };
  return {
    agent,
    requests: () => requests,
    mcpCalls: () => files.calls(),
    run: (prompt, options) => drive({ messages: [{ role: 'user', content: prompt }] }, options),
    resume(paused, given) {
      saver.load(paused.checkpoints);
      const answered = paused.asks.filter(({ id }) => given[id] !== undefined);
      const answers = answered.map((ask) => [ask.interrupt, toResponse(ask, given)]);
      return drive(new Command({ resume: answers.length === 1 ? answers[0][1] : Object.fromEntries(answers) }));
    },
    forge(paused, id, args) {
      const ask = paused.asks.find((each) => each.id === id);
      return { ...paused, checkpoints: changed(paused.checkpoints, ask.args, args) };
    },
    close: () => client?.close(),
  };
}

/** A question of Bridle has the form of LangChain's human-in-the-loop requests. A tool may ask for anything. */
function toAsk({ id: interrupt, value }) {
  const [{ name, args }] = value.actionRequests ?? [{ name: undefined, args: value }];
  return { id: value.bridle?.call ?? interrupt, tool: name, args, interrupt };
}

function toResponse({ id, tool: name }, given) {
  const { type, args, reason, value } = given[id];
  if (value !== undefined) return value;
  if (type === 'deny') return { decisions: [{ type: 'reject', message: reason }] };
  return { decisions: [args === undefined ? { type: 'approve' } : { type: 'edit', editedAction: { name, args } }] };
}

function toTool({ name, description, schema, execute }) {
  return tool(
    (args, config) =>
      execute(
        args,
        toolContext(() => config.signal),
      ),
    { name, description, schema },
  );
}

/** An agent of its own, as a tool. */
function helperTool({ model, own, middleware }) {
  const helper = createAgent({ model, name: 'helper', tools: own, middleware });
  const ask = async ({ task }) =>
    (await helper.invoke({ messages: [{ role: 'user', content: task }] })).messages.at(-1).text;
  return tool(ask, { name: 'helper', description: 'Asks the helper.', schema: z.object({ task: z.string() }) });
}

/** Another middleware, which adds a tool while the agent runs. */
function lateTool() {
  const added = toTool({ name: 'late', description: 'late', schema: z.object({}), execute: async () => 'ran' });
  return {
    name: 'late',
    wrapModelCall: (request, next) => next({ ...request, tools: [...request.tools, added] }),
    wrapToolCall: (request, next) => next(request.toolCall.name === 'late' ? { ...request, tool: added } : request),
  };
}

async function drain(agent, input, config) {
  const parts = [];
  const streamed = [];
  for await (const [mode, data] of await agent.stream(input, { ...config, streamMode: ['updates', 'messages'] })) {
    if (mode === 'messages') streamed.push(data[0].text);
    parts.push(mode === 'messages' ? `message ${data[0].getType()}` : `update ${Object.keys(data).join(' ')}`);
  }
  return { parts, streamed };
}

/** A chat model that answers from a script. `bindTools` makes another one with the same script. */
class ScriptedModel extends BaseChatModel {
  constructor(shared) {
    super({});
    this.shared = shared;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return new ScriptedModel(this.shared);
  }

  next(messages) {
    const { requests, answers, isMeasured } = this.shared;
    if (!isMeasured)
      requests.push(messages.map(({ text, tool_call_id: id, status, type }) => ({ type, text, id, status })));
    const { text = '', toolCalls = [], error, content } = answers();
    if (error !== undefined) throw new Error(error);
    return {
      text,
      content: content ?? text,
      calls: toolCalls.map(({ id, tool: name, args }) => ({ id, name, args, type: 'tool_call' })),
    };
  }

  async _generate(messages) {
    const { text, content, calls } = this.next(messages);
    const response_metadata = { model_provider: 'anthropic' };
    return { generations: [{ text, message: new AIMessage({ content, tool_calls: calls, response_metadata }) }] };
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    const { text, calls } = this.next(messages);
    for (const content of text.match(/.{1,5}/gs) ?? []) {
      const chunk = new ChatGenerationChunk({ text: content, message: new AIMessageChunk({ content }) });
      yield chunk;
      await runManager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk });
    }
    const chunks = calls.map((call, index) => ({
      ...call,
      args: JSON.stringify(call.args),
      index,
      type: 'tool_call_chunk',
    }));
    if (chunks.length > 0) {
      yield new ChatGenerationChunk({
        text: '',
        message: new AIMessageChunk({ content: '', tool_call_chunks: chunks }),
      });
    }
  }
}

/** A checkpointer that can be kept in a file. */
class FileSaver extends MemorySaver {
  constructor(file) {
    super();
    this.file = file;
    if (file !== undefined && existsSync(file)) this.load(readFileSync(file, 'utf8'));
  }

  text() {
    return JSON.stringify({ storage: this.storage, writes: this.writes }, writeBytes);
  }

  load(text) {
    Object.assign(this, JSON.parse(text, readBytes));
  }

  async put(...given) {
    return this.kept(await super.put(...given));
  }

  async putWrites(...given) {
    return this.kept(await super.putWrites(...given));
  }

  kept(result) {
    if (this.file !== undefined) writeFileSync(this.file, this.text());
    return result;
  }
}

function writeBytes(_key, value) {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
}

function readBytes(_key, value) {
  return value?.bytes === undefined ? value : new Uint8Array(Buffer.from(value.bytes, 'base64'));
}

/** Checkpoints in which somebody has changed the args of a call. */
function changed(checkpoints, from, to) {
  return checkpoints.replaceAll(/"bytes":"([^"]*)"/g, (_match, bytes) => {
    const text = Buffer.from(bytes, 'base64').toString().replaceAll(JSON.stringify(from), JSON.stringify(to));
    return `"bytes":"${Buffer.from(text).toString('base64')}"`;
  });
}

/** What the model saw of each call. */
function seenIn(requests) {
  const results = requests.flat().filter(({ type }) => type === 'tool');
  return Object.fromEntries(results.map(({ id, text, status }) => [id, { text, isError: status === 'error' }]));
}

function historyIn(messages) {
  const calls = messages.flatMap(({ tool_calls: own = [] }) => own);
  return Object.fromEntries(calls.map(({ id, args }) => [id, args]));
}
