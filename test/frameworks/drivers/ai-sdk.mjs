/** Drives the AI SDK, version 6 or 7, with a scripted model. */

import { scriptedAnswers, toolContext } from '../script.mjs';
import { fileServer } from '../mcp-tools.mjs';
import { scriptedModel, seenIn } from './scripted-model.mjs';

let generateText, stepCountIs, streamText, tool, ToolLoopAgent, spec, z;

/** Both versions are driven alike. `modules` are those of one version. */
export function createDriver(modules) {
  ({ generateText, stepCountIs, streamText, tool, ToolLoopAgent } = modules.ai);
  spec = modules.doubles.MockLanguageModelV4 === undefined ? 'v3' : 'v4';
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

async function open({ guard, adapter, tools, script, mcp, subagent, late, providerTool, session, isMeasured }) {
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (_server, name) => name,
    delegate: (id, task) => ({ id, tool: 'ask_helper', args: { task } }),
  });
  const bareModel = scriptedModel(answers, { spec, requests: isMeasured ? undefined : requests });
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
    if (isMeasured) return { text: result.text };
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
      ...seenIn([...requests.slice(before), history]),
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
      execute: (args, options) =>
        execute(
          args,
          toolContext(() => options.abortSignal),
        ),
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
