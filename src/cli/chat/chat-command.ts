/** `bridle chat`: starts an agent in the folder and runs the chat until it ends. */

import type { Agent } from '../../agent/agent.ts';
import { createAgent } from '../../agent/create-agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Store } from '../../store/store.ts';
import type { AgentOptions } from '../../agent/options/agent-options.ts';
import { chatPolicy, nameRulesModule } from './chat-policy.ts';
import { type ChatFlags, type ChatSettings, readSettings } from './chat-settings.ts';
import type { ChatUi } from './chat-session.ts';
import type { Invocation } from '../command/command-row.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { PipedChatUi } from './piped-chat-ui.ts';
import { type Streams, terminalOf, untilFlushed } from '../../terminal/output/streams.ts';
import { TerminalChatUi } from './terminal-chat-ui.ts';

export function chatCommand(invocation: Invocation<ChatFlags>): Promise<ExitCode> {
  return chat(readSettings(invocation.options, invocation), invocation.streams);
}

export async function chat(settings: ChatSettings, streams: Streams): Promise<ExitCode> {
  const lifetime = new Lifetime(streams);
  const store = await openChatStore(settings);
  try {
    const ui = chooseUi(settings, streams, lifetime);
    const agent = await startAgent(settings, ui, store);
    const code = await runChat(agent, ui);
    // Until the output is flushed, a closed pipe goes unnoticed.
    if (!lifetime.isOver) await untilFlushed(streams.stdout);
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
    if (store.opened !== undefined) await store.opened.close();
  }
}

async function runChat(agent: Agent, ui: ChatUi): Promise<ExitCode> {
  try {
    return await ui.run(agent);
  } finally {
    try {
      await agent.stop();
    } finally {
      ui.finish();
    }
  }
}

async function startAgent(settings: ChatSettings, ui: ChatUi, store: ChatStore): Promise<Agent> {
  const { policy, notice, file } = await chatPolicy(settings);
  try {
    const agent = await createAgent({ ...optionsFor(settings, ui), policy, store: store.opened }).start();
    for (const text of [notice, store.notice]) if (text !== undefined) ui.note(text);
    return agent;
  } catch (error) {
    throw nameRulesModule(file, error);
  }
}

function chooseUi(settings: ChatSettings, streams: Streams, lifetime: Lifetime): ChatUi {
  const terminal = settings.json || settings.prompt === '-' ? undefined : terminalOf(streams);
  return terminal === undefined
    ? new PipedChatUi(streams, settings, lifetime)
    : new TerminalChatUi(terminal, settings, lifetime);
}

function optionsFor(settings: ChatSettings, ui: ChatUi): AgentOptions {
  const { modelName, cwd, session, limits, askTimeoutMs } = settings;
  return {
    model: modelName,
    instructions: `You help the user in the folder ${cwd}. Relative paths start there.`,
    cwd,
    session,
    askTimeoutMs,
    approver: approverFor(settings, ui),
    hooks: [ui.hook],
    budget: limits.maxCost === undefined ? undefined : { perSession: { cost: limits.maxCost } },
    maxSteps: limits.maxSteps,
  };
}

/** Approves calls of the `--yes-to` tier without asking. */
function approverFor({ yesTo }: ChatSettings, { approver }: ChatUi): Approver {
  if (yesTo === undefined) return approver;
  return (request, options) =>
    request.call.tier === yesTo ? { type: 'approve', by: `--yes-to ${yesTo}` } : approver(request, options);
}

/** The store records the decisions of a chat and lets another terminal answer its approvals. */
interface ChatStore {
  readonly opened: Store | undefined;
  /** Shown before the first turn. */
  readonly notice: string | undefined;
}

/**
 * If the default store can't be opened, for example in a read-only folder, the chat starts without one. A damaged store
 * or one that the user named is an error.
 */
async function openChatStore({ store: chosen }: ChatSettings): Promise<ChatStore> {
  if (chosen === undefined) return { opened: undefined, notice: undefined };
  const { openStore } = await import('../../store/open-store.ts');
  try {
    return { opened: await openStore(chosen.options), notice: undefined };
  } catch (error) {
    if (chosen.isNamed || !(error instanceof BridleError) || error.code !== 'STORE_FAILED') throw error;
    return {
      opened: undefined,
      notice: `nothing is recorded, because the store cannot be opened: ${messageOf(error)}`,
    };
  }
}
