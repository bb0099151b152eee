/** An agent on a store in its own process: reads prompts and prints their results. */

import { appendFileSync } from 'node:fs';
import { BridleError } from '../../src/kernel/errors.ts';
import type { Budget } from '../../src/agent/budget/budget-options.ts';
import { createAgent } from '../../src/agent/create-agent.ts';
import { openStore } from '../../src/store/open-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/definition/runnable-tool.ts';
import { nextOrder, type Place, readOptions, tell } from './orders.ts';

export interface AgentChildOptions extends Place {
  readonly session?: string | undefined;
  readonly budget?: Budget | undefined;
  /** The log of every call of the tool. */
  readonly ledger: string;
  /** How many tools each answer calls, until the prompt is "end". */
  readonly calls: number;
}

export interface ChatReport {
  readonly stopReason?: string;
  readonly code?: string;
  readonly text: string;
}

const { at, keys, session, budget, ledger, calls } = readOptions<AgentChildOptions>();
const store = await openStore({ at, keys });
const act = defineTool({
  name: 'act',
  async run(args) {
    appendFileSync(ledger, 'acted\n');
    if ((args as { readonly hang?: boolean }).hang === true)
      await new Promise(() => setInterval(() => undefined, 1000));
    return 'done';
  },
});
const usage = { inputTokens: 7, outputTokens: 3 };
const model = scriptedModel(
  [
    ({ prompt }) => {
      const asked = JSON.stringify(prompt.findLast(({ role }) => role === 'user'));
      if (asked.includes('end')) return { text: 'ended', usage };
      const args = { hang: asked.includes('hang') };
      return { toolCalls: Array.from({ length: calls }, () => ({ tool: 'act', args })), usage };
    },
  ],
  { repeat: true },
);
const agent = createAgent({
  model,
  tools: [act],
  capabilities: 'none',
  default: 'allow',
  telemetry: false,
  store,
  budget,
  settings: { maxOutputTokens: 100 },
  prices: { scripted: { input: 1, output: 1 } },
  session: { id: session },
});
await agent.start();
tell('ready');
for (let prompt = await nextOrder(); prompt !== undefined; prompt = await nextOrder()) {
  tell(JSON.stringify(await chat(prompt)));
}
await agent.stop().catch((error: unknown) => tell(JSON.stringify(failed(error))));
await store.close();

async function chat(prompt: string): Promise<ChatReport> {
  try {
    const { stopReason, text } = await agent.chat(prompt);
    return { stopReason, text };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): ChatReport {
  return error instanceof BridleError ? { code: error.code, text: error.message } : { text: String(error) };
}
