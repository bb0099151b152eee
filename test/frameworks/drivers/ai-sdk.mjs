/** Drives the AI SDK, version 6 or 7, with a scripted model. */

import { scriptedAnswers } from '../script.mjs';
import { fileServer } from '../mcp-tools.mjs';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
let ScriptedModel, generateText, stepCountIs, streamText, tool, ToolLoopAgent, z;

/** Both versions are driven alike. `modules` are those of one version. */
export function createDriver(modules) {
  ({ generateText, stepCountIs, streamText, tool, ToolLoopAgent } = modules.ai);
  ScriptedModel = modules.doubles.MockLanguageModelV4 ?? modules.doubles.MockLanguageModelV3;
  ({ z } = modules);
  return {
    name: 'ai-sdk',
    title: 'AI SDK',
    entry: 'ai-sdk',
    packages: ['ai'],
    z,
    load: modules.load,
    showsRewrittenArgs: true,
    skips: {
      'ask-edit': 'The approval parts of the AI SDK carry no edited args. Edit through the store instead.',
    },
    open,
  };
}

async function open({ guard, adapter, tools, script, mcp, subagent, late, providerTool, session }) {
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (_server, name) => name,
    delegate: (id, task) => ({ id, tool: 'ask_helper', args: { task } }),
  });
  const bareModel = new ScriptedModel({
    doGenerate: async ({ prompt }) => answer(answers, requests, prompt),
    doStream: async ({ prompt }) => ({ stream: streamed(answer(answers, requests, prompt)) }),
  });
  const own = Object.fromEntries(tools.map(toTool));
  const files = fileServer();
  const mcpTools = Object.fromEntries(
    files.tools.map(({ name, run }) =>
      toTool({ name, description: name, schema: z.object({ path: z.string() }), execute: run }),
    ),
  );
  const all = { ...own, ...(mcp ? mcpTools : {}) };
  if (providerTool) all.web_search = { type: 'provider', id: 'test.web_search', args: {}, inputSchema: z.object({}) };
  const guardTools = (given, options) =>
    guard === undefined ? given : adapter.guardTools(guard, given, { session, ...options });
  const guarded = guardTools(all, mcp ? { mcpServers: { files: mcpTools } } : {});
  const model = guard === undefined ? bareModel : adapter.guardModel(guard, bareModel, { session });
  if (subagent) guarded.ask_helper = helperTool({ model, guardTools, own });
  if (late)
    guarded.late = toTool({ name: 'late', description: 'late', schema: z.object({}), execute: async () => 'ran' })[1];
  const common = { model, tools: guarded, stopWhen: stepCountIs(9), maxRetries: 0 };
  let history = [];
  const drive = async (messages, { stream = false, signal } = {}) => {
    const before = requests.length;
    const result = stream
      ? await drain({ ...common, messages, abortSignal: signal })
      : await generateText({ ...common, messages, abortSignal: signal });
    history = [...messages, ...messagesOf(result)];
    const asks = result.content.filter((part) => part.type === 'tool-approval-request');
    const paused =
      asks.length === 0
        ? undefined
        : {
            messages: history,
            asks: asks.map(({ approvalId, toolCall }) => ({
              id: toolCall.toolCallId,
              tool: toolCall.toolName,
              args: toolCall.input,
              approvalId,
            })),
          };
    return {
      text: result.text,
      parts: result.parts,
      streamed: result.streamed,
      paused,
      ...seenIn(requests.slice(before), history),
    };
  };
  return {
    requests: () => requests,
    mcpCalls: () => files.calls,
    run: (prompt, options) => drive([...history, { role: 'user', content: prompt }], options),
    resume: (paused, given) =>
      drive([
        ...paused.messages,
        {
          role: 'tool',
          content: paused.asks
            .filter(({ id }) => given[id] !== undefined)
            .map(({ id, approvalId }) => ({
              type: 'tool-approval-response',
              approvalId,
              approved: given[id].type === 'approve',
              reason: given[id].reason,
            })),
        },
      ]),
    forge(paused, id, args) {
      const messages = structuredClone(paused.messages);
      for (const part of messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
        if (part.type === 'tool-call' && part.toolCallId === id) part.input = args;
      return { ...paused, messages };
    },
  };
}

function toTool({ name, description, schema, execute }) {
  return [
    name,
    tool({
      description,
      inputSchema: schema,
      execute: (args, { abortSignal }) => execute(args, { signal: abortSignal }),
    }),
  ];
}

/** An agent of its own, as a tool. */
function helperTool({ model, guardTools, own }) {
  const helper = new ToolLoopAgent({
    model,
    tools: guardTools(own, { agent: ['main', 'helper'] }),
    stopWhen: stepCountIs(5),
  });
  const ask = tool({
    description: 'Asks the helper.',
    inputSchema: z.object({ task: z.string() }),
    execute: async ({ task }) => (await helper.generate({ prompt: task })).text,
  });
  return guardTools({ ask_helper: ask }).ask_helper;
}

function answer(answers, requests, prompt) {
  requests.push(structuredClone(prompt));
  const { text, toolCalls = [], error } = answers();
  if (error !== undefined) throw new Error(error);
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...toolCalls.map(({ id, tool: toolName, args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input: JSON.stringify(args),
    })),
  ];
  return {
    content,
    finishReason: { unified: toolCalls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage,
    warnings: [],
  };
}

function streamed({ content, finishReason }) {
  const parts = [{ type: 'stream-start', warnings: [] }];
  for (const [index, part] of content.entries()) {
    const id = String(index);
    if (part.type !== 'text') parts.push(part);
    else
      parts.push(
        { type: 'text-start', id },
        ...(part.text.match(/.{1,5}/gs) ?? []).map((delta) => ({ type: 'text-delta', id, delta })),
        { type: 'text-end', id },
      );
  }
  parts.push({ type: 'finish', finishReason, usage });
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function drain(options) {
  const result = streamText(options);
  const parts = [];
  const texts = [];
  for await (const part of result.fullStream) {
    parts.push(part.type);
    if (part.type === 'text-delta') texts.push(part.text);
  }
  const [text, content, response, responseMessages] = await Promise.all([
    result.text,
    result.content,
    result.response,
    result.responseMessages,
  ]);
  return { text, content, response, responseMessages, parts, streamed: texts };
}

/** In version 7, `response.messages` has only those of the last step. */
function messagesOf({ responseMessages, response }) {
  return responseMessages ?? response.messages;
}

/** What the model saw of each call: the result in its last request, and the args in the history. */
function seenIn(requests, messages) {
  const seen = {};
  const history = {};
  for (const part of requests.flat().flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (part.type !== 'tool-result') continue;
    const { output } = part;
    const value = output.value ?? output.reason ?? '';
    seen[part.toolCallId] = {
      text: typeof value === 'string' ? value : JSON.stringify(value),
      isError: output.type !== 'text' && output.type !== 'json',
    };
  }
  for (const part of messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
    if (part.type === 'tool-call') history[part.toolCallId] = part.input;
  return { seen, history };
}
