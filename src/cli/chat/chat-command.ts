/** `bridle chat`: an agent in the current folder, and a conversation with it. */

import type { Agent } from '../../agent/agent.ts';
import { createAgent } from '../../agent/create-agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { AgentOptions } from '../../agent/options/agent-options.ts';
import { chatPolicy } from './chat-policy.ts';
import type { ChatSettings } from './chat-settings.ts';
import { type ChatStore, openChatStore } from './chat-store.ts';
import type { ExitCode } from '../exit/exit-codes.ts';
import type { ChatUi } from './chat-ui.ts';
import { Lifetime } from '../exit/lifetime.ts';
import { nameRulesModule } from './rules-module.ts';
import { PipedChatUi } from './piped-chat-ui.ts';
import { type Streams, terminalOf, untilFlushed } from '../../terminal/output/streams.ts';
import { TerminalChatUi } from './terminal-chat-ui.ts';

export async function chat(settings: ChatSettings, streams: Streams): Promise<ExitCode> {
  const lifetime = new Lifetime(streams);
  const store = await openChatStore(settings.store);
  try {
    const face = faceFor(settings, streams, lifetime);
    const agent = await startAgent(settings, face, store);
    const code = await converse(agent, face);
    // Only then it is known whether somebody has read it.
    if (!lifetime.isOver) await untilFlushed(streams.stdout);
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
    if (store.opened !== undefined) await store.opened.close();
  }
}

async function converse(agent: Agent, face: ChatUi): Promise<ExitCode> {
  try {
    return await face.run(agent);
  } finally {
    try {
      await agent.stop();
    } finally {
      face.finish();
    }
  }
}

async function startAgent(settings: ChatSettings, face: ChatUi, store: ChatStore): Promise<Agent> {
  const { policy, notice, file } = await chatPolicy(settings);
  try {
    const agent = await createAgent({ ...optionsFor(settings, face), policy, store: store.opened }).start();
    for (const text of [notice, store.notice]) if (text !== undefined) face.note(text);
    return agent;
  } catch (error) {
    throw nameRulesModule(file, error);
  }
}

function faceFor(settings: ChatSettings, streams: Streams, lifetime: Lifetime): ChatUi {
  const terminal = settings.json || settings.prompt === '-' ? undefined : terminalOf(streams);
  return terminal === undefined
    ? new PipedChatUi(streams, settings, lifetime)
    : new TerminalChatUi(terminal, settings, lifetime);
}

function optionsFor(settings: ChatSettings, face: ChatUi): AgentOptions {
  const { modelName, cwd, session, bounds, askTimeoutMs } = settings;
  return {
    model: modelName,
    instructions: `You help the user in the folder ${cwd}. Relative paths start there.`,
    cwd,
    session,
    askTimeoutMs,
    approver: approverFor(settings, face),
    hooks: [face.hook],
    budget: bounds.maxCost === undefined ? undefined : { perSession: { cost: bounds.maxCost } },
    maxSteps: bounds.maxSteps,
  };
}

/** Calls of a tier that was said yes to beforehand are not asked about again. */
function approverFor({ yesTo }: ChatSettings, { approver }: ChatUi): Approver {
  if (yesTo === undefined) return approver;
  return (request, options) =>
    request.call.tier === yesTo ? { type: 'approve', by: `--yes-to ${yesTo}` } : approver(request, options);
}
