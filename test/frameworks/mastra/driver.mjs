/** Drives Mastra with a scripted model. */

import { join } from 'node:path';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { MCPClient } from '@mastra/mcp';
import { z } from 'zod';
import { scriptedModel, seenIn } from '../drivers/scripted-model.mjs';
import { fileServerProcess } from '../mcp-server.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';

export const driver = {
  name: 'mastra',
  title: 'Mastra',
  entry: 'mastra',
  packages: ['@mastra/core'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: false,
  lateWays: ['toolset', 'processor', 'replaced by a processor', 'prepareStep', 'replaced by prepareStep'],
  skips: {},
  cases,
  open,
};

/** Runs of an agent that has restarted are in the same storage. */
const sharedStorage = new InMemoryStore();
let opened = 0;

async function open(parts) {
  const { guard, adapter, tools, script, mcp, subagent, late, providerTool, session, place, isMeasured } = parts;
  const requests = [];
  const answers = scriptedAnswers(script, {
    toolName: (server, name) => `${server}_${name}`,
    delegate: (id, task) => ({ id, tool: 'agent-helper', args: { prompt: task } }),
  });
  const model = scriptedModel(answers, {
    spec: opened % 2 === 0 && !isMeasured ? 'v2' : 'v3',
    requests: isMeasured ? undefined : requests,
  });
  const own = Object.fromEntries(tools.map((tool) => [tool.name, toTool(tool)]));
  const server = fileServerProcess();
  const client = mcp
    ? new MCPClient({ id: `files-${opened}`, servers: { files: { command: server.command, args: server.args } } })
    : undefined;
  const helper = new Agent({
    id: 'helper',
    name: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model,
    tools: own,
  });
  const lateTool = toTool(parts.late ? lateOf(parts.record) : tools[0]);
  const addLate = ({ tools: given }) => ({ tools: { ...given, late: lateTool } });
  const agent = new Agent({
    id: 'main-agent',
    name: 'main-agent',
    instructions: 'Use the tools.',
    model,
    tools: {
      ...own,
      ...(await client?.listTools()),
      ...(late?.startsWith('replaced') && { late: toTool({ ...tools[0], name: 'late' }) }),
      ...(providerTool && { web_search: { type: 'provider-defined', id: 'test.web_search', args: {} } }),
    },
    ...(subagent && { agents: { helper } }),
    ...(late?.endsWith('processor') && { inputProcessors: [{ id: 'adds', processInputStep: addLate }] }),
    ...(isMeasured ? {} : { memory: new MockMemory() }),
  });
  if (guard !== undefined) adapter.guardAgent(guard, agent);
  const storage =
    place === undefined ? sharedStorage : new LibSQLStore({ id: 'mastra', url: `file:${join(place, 'mastra.db')}` });
  const mastra = new Mastra({ agents: { main: agent }, storage, logger: false });
  const thread = session ?? `thread-${++opened}-${Math.random()}`;
  const lateOptions = {
    toolset: { toolsets: { extra: { late: lateTool } } },
    prepareStep: { prepareStep: addLate },
    'replaced by prepareStep': { prepareStep: addLate },
  };

  const finish = async (output, { stream, before }) => {
    const parts = [];
    const streamed = [];
    if (stream)
      for await (const { type, payload } of output.fullStream) {
        parts.push(type);
        if (type === 'text-delta') streamed.push(payload.text);
      }
    const [text, finishReason] = await Promise.all([output.text, output.finishReason]);
    if (output.error) throw output.error;
    const paused = finishReason === 'suspended' ? await waiting(output.runId) : undefined;
    return { text, parts, streamed, paused, ...seenIn(requests.slice(before)) };
  };
  const waiting = async (runId) => {
    const { runs } = await agent.listSuspendedRuns({ threadId: thread });
    const { toolCalls } = runs.find((run) => run.runId === runId);
    return { runId, asks: toolCalls.map(({ toolCallId: id, toolName: tool, args }) => ({ id, tool, args })) };
  };

  return {
    requests: () => requests,
    mcpCalls: () => server.calls(),
    async run(prompt, { stream = false, signal } = {}) {
      if (isMeasured) return { text: (await agent.generate(prompt)).text };
      const before = requests.length;
      const options = { memory: { thread, resource: 'user' }, abortSignal: signal, ...lateOptions[late] };
      return finish(await agent[stream ? 'stream' : 'generate'](prompt, options), { stream, before });
    },
    async resume({ runId, asks, forged }, given) {
      if (forged !== undefined) await forge(storage, runId, forged);
      const answered = asks.filter(({ id }) => given[id] !== undefined);
      // While another call waits, `resumeGenerate` of Mastra rejects although the answer counts.
      const stream = answered.length > 1;
      const before = requests.length;
      let result;
      for (const { id: toolCallId } of answered) {
        const { type, args, reason } = given[toolCallId];
        const data = type === 'approve' ? { approved: true, ...(args && { args }) } : { approved: false, reason };
        const output = await agent[stream ? 'resumeStream' : 'resumeGenerate'](data, { runId, toolCallId });
        result = await finish(output, { stream, before });
      }
      return result;
    },
    forge: (paused, id, args) => ({ ...paused, forged: { id, args } }),
    async close() {
      await client?.disconnect();
      await mastra.shutdown?.();
    },
  };
}

function toTool({ name, description, schema, execute }) {
  return createTool({
    id: name,
    description,
    inputSchema: schema,
    execute: (args, context) =>
      execute(
        args,
        toolContext(() => context.abortSignal),
      ),
  });
}

function lateOf(record) {
  const execute = async () => {
    record.ran.push({ tool: 'late', args: {} });
    return 'ran';
  };
  return { name: 'late', description: 'late', schema: z.object({}), execute };
}

/** Changes the args of a call in the stored run, as somebody with access to the database could. */
async function forge(storage, runId, { id, args }) {
  const store = await storage.getStore('workflows');
  for (const workflowName of ['agentic-loop', 'executionWorkflow']) {
    const snapshot = await store.loadWorkflowSnapshot({ workflowName, runId });
    if (snapshot === null || snapshot === undefined) continue;
    const changed = JSON.parse(JSON.stringify(snapshot), (_key, value) =>
      value?.toolCallId === id && value.args !== undefined ? { ...value, args } : value,
    );
    await store.persistWorkflowSnapshot({ workflowName, runId, snapshot: changed });
  }
}
