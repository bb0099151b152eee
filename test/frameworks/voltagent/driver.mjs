/** Drives VoltAgent with a scripted model. */

// Otherwise the package fetches a list of models when it is loaded.
process.env.NODE_ENV ??= 'production';
// VoltAgent passes its instructions as messages, which the AI SDK warns about.
console.warn = () => undefined;
const { Agent, createTool, MCPConfiguration } = await import('@voltagent/core');
const { cases } = await import('./cases.mjs');
import { z } from 'zod';
import { scriptedModel, seenIn } from '../drivers/scripted-model.mjs';
import { fileServerProcess } from '../mcp-server.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';

export const driver = {
  name: 'voltagent',
  title: 'VoltAgent',
  entry: 'voltagent',
  packages: ['@voltagent/core', 'ai'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: true,
  lateWays: ['added to the agent', 'passed to the call'],
  skips: {
    'ask-edit': 'The approval parts of the AI SDK carry no edited args. Edit through the store instead.',
  },
  cases,
  open,
};

const nothing = () => undefined;
const quiet = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
  child: () => quiet,
};

let opened = 0;

async function open({ guard, adapter, tools, script, mcp, subagent, late, providerTool, session, record, isMeasured }) {
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (server, name) => `${server}_${name}`,
    delegate: (id, task) => ({ id, tool: 'delegate_task', args: { task, targetAgents: ['helper'] } }),
  });
  const model = scriptedModel(answers, { spec: 'v3', requests: isMeasured ? undefined : requests });
  const server = fileServerProcess();
  const { command, args } = server;
  const client = mcp ? new MCPConfiguration({ servers: { files: { type: 'stdio', command, args } } }) : undefined;
  const common = { instructions: 'Use the tools.', model, logger: quiet, maxRetries: 0, memory: false };
  const own = tools.map(toTool);
  const helper = new Agent({ ...common, name: 'helper', purpose: 'Helps.', tools: own });
  const agent = new Agent({
    ...common,
    name: 'boss',
    tools: [
      ...own,
      ...((await client?.getTools()) ?? []),
      ...(providerTool ? [{ type: 'provider', id: 'test.web_search', name: 'web_search', args: {} }] : []),
    ],
    ...(subagent && { subAgents: [helper] }),
  });
  if (guard !== undefined) adapter.guardAgent(guard, agent, { mcpServers: ['files'] });
  const lateTool = toTool({ name: 'late', description: 'late', schema: z.object({}), execute: lateRun(record) });
  if (late === 'added to the agent') agent.addTools([lateTool]);
  const conversationId = session ?? `conversation-${++opened}`;
  let history = [];

  const drive = async (messages, { stream = false, signal } = {}) => {
    const before = requests.length;
    const options = {
      conversationId,
      userId: 'user',
      abortSignal: signal,
      ...(late === 'passed to the call' && { tools: [lateTool] }),
    };
    const output = await agent[stream ? 'streamText' : 'generateText'](messages, options);
    if (isMeasured) return { text: await output.text };
    const parts = [];
    if (stream) for await (const part of output.fullStream) parts.push(part);
    const steps = await output.steps;
    history = [...messages, ...(steps.at(-1)?.response.messages ?? [])];
    const content = stream ? parts : (steps.at(-1)?.content ?? []);
    const asks = content.filter(({ type }) => type === 'tool-approval-request');
    return {
      text: await output.text,
      parts: parts.map(({ type }) => type),
      streamed: parts.filter(({ type }) => type === 'text-delta').map(({ text }) => text),
      paused: asks.length === 0 ? undefined : { messages: history, asks: asks.map(toAsk) },
      ...withoutStacks(seenIn([...requests.slice(before), history])),
    };
  };

  return {
    requests: () => requests,
    mcpCalls: () => server.calls(),
    run: (prompt, options) => drive([...history, { role: 'user', content: prompt }], options),
    resume: (paused, given) =>
      drive([
        ...paused.messages,
        {
          role: 'tool',
          content: paused.asks.filter(({ id }) => given[id] !== undefined).map((ask) => toAnswer(ask, given[ask.id])),
        },
      ]),
    forge(paused, id, changed) {
      const messages = structuredClone(paused.messages);
      for (const part of messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
        if (part.type === 'tool-call' && part.toolCallId === id) part.input = changed;
      return { ...paused, messages };
    },
    close: () => client?.disconnect(),
  };
}

function toAsk({ approvalId, toolCall }) {
  return { id: toolCall.toolCallId, tool: toolCall.toolName, args: toolCall.input, approvalId };
}

function toAnswer({ approvalId }, { type, reason }) {
  return { type: 'tool-approval-response', approvalId, approved: type === 'approve', reason };
}

function toTool({ name, description, schema, execute }) {
  return createTool({
    name,
    description,
    parameters: schema,
    execute: (args, options) =>
      execute(
        args,
        toolContext(() => options?.toolContext?.abortSignal),
      ),
  });
}

function lateRun(record) {
  return async () => {
    record.ran.push({ tool: 'late', args: {} });
    return 'ran';
  };
}

/** VoltAgent shows the model where a tool failed. The lines differ with every caller. */
function withoutStacks({ seen, history }) {
  for (const each of Object.values(seen)) each.text = each.text.replace(/"stack":"(?:[^"\\]|\\.)*"/, '"stack":"…"');
  return { seen, history };
}
