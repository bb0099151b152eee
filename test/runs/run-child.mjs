/** An agent on a store in a process that can be killed at any moment. It prints a line for everything it does. */

import { appendFileSync, writeSync } from 'node:fs';
import { allow, ask, onEvent } from 'bridle';
import { createAgent } from 'bridle/agent';
import { openStore } from 'bridle/store';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';

const { at, keys, id, ledger, hold, asks = [], resume = false } = JSON.parse(process.argv[2]);

const tell = (mark) => void writeSync(1, `${mark}\n`);

/** Has a visible effect in three parts, so that it can be killed between them. */
const tool = (name, more = {}) =>
  defineTool({
    name,
    ...more,
    run: async (args, { idempotencyKey }) => {
      const n = Number(args['n']);
      tell(`begin ${name} ${n}`);
      await pause();
      appendFileSync(ledger, `${name} ${n} ${idempotencyKey}\n`);
      tell(`did ${name} ${n}`);
      await pause();
      return `${name} ${n} done`;
    },
  });

const pause = () => new Promise((resolve) => setTimeout(resolve, 4));

/** The model's answer depends only on the number of results it has seen, so any process can continue. */
const plan = [
  [
    ['look', 1],
    ['look', 2],
  ],
  [['act', 3]],
  [
    ['put', 4],
    ['act', 5],
  ],
  [['start_subagent', 6]],
  [['act', 7]],
];
const helperPlan = [
  [
    ['look', 61],
    ['act', 62],
  ],
  [['act', 63]],
];

const follow = (steps) =>
  scriptedModel(
    [
      async ({ prompt }) => {
        tell('model');
        await pause();
        const step = steps[prompt.filter(({ role }) => role === 'assistant').length];
        if (step === undefined) return `all ${steps.length} steps done`;
        const toolCalls = step.map(([name, n]) => ({
          tool: name,
          id: `c${n}`,
          args: name === 'start_subagent' ? { agent: 'helper', prompt: 'help' } : { n },
        }));
        return { toolCalls };
      },
    ],
    { repeat: true },
  );

const store = await openStore({ at, keys });
const tools = [tool('look', { tier: 'observe' }), tool('act'), tool('put', { idempotent: true })];
const agent = createAgent({
  model: follow(plan),
  tools,
  subagents: {
    helper: { model: follow(helperPlan), capabilities: { enabledTools: ['look', 'act'] } },
  },
  policy: [asks.map((name) => ask(name)), allow('*')],
  workspaces: [],
  telemetry: false,
  store,
  hooks: [
    onEvent(({ type, tool: name, callId }) => name !== undefined && tell(`${type} ${name} ${callId}`), {
      name: 'tell',
    }),
  ],
});
await agent.start();
const result = resume ? await agent.resume(id, { hold }) : await agent.run('go', { id, hold });
tell(`result ${JSON.stringify(result)}`);
await agent.stop();
await store.close();
