/** An agent in the middle of everything, so that a plug can be pulled anywhere: what it runs is noted as it runs. */

import { ask, type Hook } from 'bridle';
import { memorySessions, type AgentOptions } from 'bridle/agent';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'bridle/testing';
import { defineTool, type RunnableTool, type ToolContext } from 'bridle/tools';
import { agentParts, calling, type AgentRig } from '../rigs/agent-rig.ts';

export interface PluggedAgent extends AgentRig {
  /** The model of the agent itself, and that of its subagent. */
  readonly models: readonly ScriptedModel[];
  /** Every call that has really run. */
  readonly ran: readonly string[];
}

/** The name of one call, the same in the journal and in a tool. */
export function callName(call: {
  turn: number;
  step: number;
  agent: readonly string[];
  id?: string;
  call?: string;
}): string {
  return `${call.agent.join('/')} ${call.turn}/${call.step}/${call.id ?? call.call}`;
}

/** A model that follows its steps, summarises when it is asked to, and says "fine" when nothing is left. */
export function patientModel(steps: readonly ScriptedStep[], options: object = {}): ScriptedModel {
  const left = [...steps];
  const next: ScriptedStep = async (asked) => {
    if (JSON.stringify(asked.prompt.at(-1)).includes('Summarise the conversation')) return 'a summary';
    const step = left.shift() ?? 'fine';
    return typeof step === 'function' ? step(asked) : step;
  };
  return scriptedModel([next], { repeat: true, ...options });
}

/** A tool that notes every run of it. */
export function noting(
  ran: string[],
  name: string,
  run: (args: never, context: ToolContext) => unknown = () => 'done',
): RunnableTool {
  const tier = name.startsWith('look') ? 'observe' : 'confirm';
  return defineTool({
    name,
    tier,
    run: (args, context) => {
      ran.push(callName(context.call));
      return run(args as never, context);
    },
  });
}

/** Lets `count` other things go on first. */
export async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

const slowly = async (): Promise<undefined> => {
  await ticks(1);
  return undefined;
};

/** Hooks at every point of a turn, all of them asynchronous. */
const everywhere: Hook = {
  name: 'everywhere',
  onSessionStart: slowly,
  onSessionEnd: slowly,
  preTurn: slowly,
  postTurn: slowly,
  onTurnError: slowly,
  preLlmCall: slowly,
  postLlmCall: slowly,
  onLlmError: async ({ attempt }) => (await ticks(1), attempt < 3 ? { type: 'retry' } : undefined),
  preToolCall: slowly,
  postToolCall: slowly,
  onToolError: async () => (await ticks(1), { type: 'recover', value: 'mended' }),
  onInteraction: async ({ questions }) => ({ type: 'answer', responses: questions.map(() => ({ text: 'blue' })) }),
  preCompaction: slowly,
  postCompaction: slowly,
};

/** After a short turn, one with tools side by side and in order, a question, an ask, a failure, a retry, a subagent, a summary. */
function wholeStory(): readonly ScriptedStep[] {
  return [
    'Hello.',
    { error: new TypeError('not yet') },
    { text: 'Let me see.', ...calling('look', 'look', 'act'), chunks: 2 },
    calling('broken', 'asks', ['start_subagent', { agent: 'child', prompt: 'help' }]),
    { text: 'All done.', chunks: 3 },
  ];
}

export function pluggedAgent(
  options: Partial<AgentOptions> & { readonly steps?: readonly ScriptedStep[] } = {},
): PluggedAgent {
  const { steps = wholeStory(), hooks = [], tools = [], ...rest } = options;
  const ran: string[] = [];
  const model = patientModel(steps);
  const child = patientModel([calling('look'), 'I helped.']);
  const rig = agentParts([], {
    model,
    capabilities: { disabledTools: [] },
    workspaces: [],
    tools: [
      noting(ran, 'look', async () => (await ticks(2), 'seen')),
      noting(ran, 'act', async () => (await ticks(2), 'acted')),
      noting(ran, 'broken', async () => {
        await ticks(1);
        throw new TypeError('broken');
      }),
      noting(ran, 'asks', async (_args, { ask }) => JSON.stringify(await ask([{ question: 'Which colour?' }]))),
      ...tools,
    ],
    policy: [ask('act', { handler: async () => (await ticks(2), true) })],
    memory: { preTurnContext: async () => (await ticks(1), 'you like tea'), postTurnObserve: slowly },
    compaction: { atTokens: 1, keepTurns: 1 },
    session: { id: 'story', store: memorySessions() },
    subagents: { child: { model: child } },
    ...rest,
    hooks: [everywhere, ...hooks],
  });
  return { ...rig, model, models: [model, child], ran };
}

/** Started, and after its first turn: the next one is the whole story. */
export async function pluggedIn(options: Parameters<typeof pluggedAgent>[0] = {}): Promise<PluggedAgent> {
  const rig = pluggedAgent(options);
  await rig.agent.start();
  await rig.agent.chat('hello');
  return rig;
}
