/** `bridle chat`: starts an agent in the folder and talks with it until the chat ends. */

import { text as readAll } from 'node:stream/consumers';
import type { AgentSessionOptions } from '../../agent/options/agent-options.ts';
import { realPathOf } from '../../facts/paths/resolve/resolve-path.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { RuleRef } from '../../kernel/call.ts';
import type { Store } from '../../store/store.ts';
import { interactiveLoop } from '../../terminal/interactive-loop.ts';
import type { LoopControl } from '../../terminal/loop-commands.ts';
import { type OpenTerminal, openTerminal } from '../../terminal/open-terminal.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { type Streams, terminalOf, untilFlushed } from '../../terminal/output/streams.ts';
import { JsonRenderer } from '../../terminal/renderer/json-renderer.ts';
import type { TurnOutcome } from '../../terminal/renderer/renderer.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { type Chat, createChat } from './chat-agent.ts';
import { nameRulesModule } from './chat-policy.ts';
import { type ChatFlags, type ChatSettings, readSettings } from './chat-settings.ts';
import { deleteOldChats, listChats, newChatId, resumedLines } from './chat-sessions.ts';
import { slashCommands } from './slash-commands.ts';
import { statusLine } from './status-line.ts';

export function chatCommand(invocation: Invocation<ChatFlags>): Promise<ExitCode> {
  return chat(readSettings(invocation.options, invocation), invocation.streams);
}

export async function chat(settings: ChatSettings, streams: Streams): Promise<ExitCode> {
  const lifetime = new Lifetime(streams);
  const store = await openChatStore(settings);
  try {
    const code = await runChat(settings, { streams, lifetime, store });
    if (!lifetime.isOver) await cleanUp(settings, store, streams);
    // Until the output is flushed, a closed pipe goes unnoticed.
    if (!lifetime.isOver) await untilFlushed(streams.stdout);
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
    if (store.opened !== undefined) await store.opened.close();
  }
}

/** A store that the user named may have chats of other folders and people. A failure does not change how the chat went. */
async function cleanUp({ store: chosen }: ChatSettings, { opened }: ChatStore, { stderr }: Streams): Promise<void> {
  if (opened === undefined || chosen?.isNamed !== false) return;
  try {
    await deleteOldChats(opened);
  } catch (error) {
    stderr.write(`bridle: old chats were not deleted: ${safeText(messageOf(error))}\n`);
  }
}

interface ChatContext {
  readonly streams: Streams;
  readonly lifetime: Lifetime;
  readonly store: ChatStore;
}

async function runChat(settings: ChatSettings, { streams, lifetime, store }: ChatContext): Promise<ExitCode> {
  const session = await sessionFor(settings, store.opened);
  const terminal = openChatTerminal(settings, streams);
  const interrupts = watchInterrupts(terminal, lifetime);
  const prompts = await promptsOf(settings, streams, lifetime);
  const outcome = new ChatOutcome();
  const made = await createChat(settings, { terminal, store: store.opened, session });
  try {
    await interactiveLoop(made.agent, {
      terminal,
      commands: slashCommands(made),
      prompts,
      promptLine: () => (made.mode.current === 'ask' ? '> ' : `${made.mode.current} > `),
      signal: lifetime.signal,
      onStart: (loop) => {
        interrupts.loop = loop;
        begin(loop, { settings, chat: made, storeNotice: store.notice });
      },
      onEvent: (event) => {
        if (event.type === 'tool_denied') outcome.addRefusal(event.rule?.effect);
        made.last.event(event);
      },
      onOutcome: (ended) => outcome.add(ended),
      statusLine: (result, { session: current }) =>
        settings.json ? undefined : statusLine(result, current, settings.limits),
      onEnd: (loop) => {
        if (outcome.hasOpenQuestion) sayHowToAllow(loop, settings, made);
        sayHowToContinue(loop, settings, made);
      },
    });
  } catch (error) {
    throw nameRulesModule(made.policyFile, error);
  }
  return terminal.isInteractive && prompts === undefined ? exitCodes.ok : outcome.code;
}

function openChatTerminal(settings: ChatSettings, streams: Streams): OpenTerminal {
  const { json, prompt, colours, isDumb, details, cwd, historyFile, askTimeoutMs: questionTimeoutMs } = settings;
  const { stdin: input, stdout: output, stderr: notes } = streams;
  const interactive = !json && prompt !== '-' && terminalOf(streams) !== undefined;
  const renderer = json ? new JsonRenderer({ lines: output, notes, resultLast: prompt !== undefined }) : undefined;
  const shown = { colours, live: !isDumb, details, cwd };
  return openTerminal({ input, output, ...shown, questionTimeoutMs, interactive, renderer, historyFile });
}

/** Ctrl-C outside raw mode. Without a terminal, the first one cancels everything and the second one exits. */
function watchInterrupts(terminal: OpenTerminal, lifetime: Lifetime): { loop: LoopControl | undefined } {
  const state: { loop: LoopControl | undefined } = { loop: undefined };
  lifetime.onInterrupt(() => {
    if (terminal.isInteractive && state.loop !== undefined) state.loop.interrupt();
    else if (lifetime.isOver) lifetime.endNow();
    else lifetime.end(exitCodes.cancelled);
  });
  return state;
}

/** The prompt of `-p`; undefined for a chat that reads lines. */
async function promptsOf(
  { prompt }: ChatSettings,
  { stdin }: Streams,
  { signal }: Lifetime,
): Promise<readonly string[] | undefined> {
  if (prompt !== '-') return prompt === undefined ? undefined : [prompt];
  const stop = (): void => void stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return [await readAll(stdin)];
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface Beginning {
  readonly settings: ChatSettings;
  readonly chat: Chat;
  readonly storeNotice: string | undefined;
}

/** What is shown before the first prompt. */
function begin({ terminal, session }: LoopControl, { settings, chat: made, storeNotice }: Beginning): void {
  const { renderer, isInteractive } = terminal;
  const note = (text: string): void => renderer.showNote(safeText(text));
  const { version, prompt, json, cwd } = settings;
  if (isInteractive && prompt === undefined)
    note(`Bridle ${version} · ${session.model} · ${cwd} · /help for help, Ctrl-D to exit`);
  for (const text of [...made.notices, storeNotice]) if (text !== undefined) note(text);
  const [resumed, ...lastMessages] = resumedLines(session);
  if (!json && resumed !== undefined) for (const line of [resumed, ...(isInteractive ? lastMessages : [])]) note(line);
  if (!json && resumed === undefined && settings.session.type === 'named') note(`new session ${session.id}`);
  for (const warning of made.agent.warnings) note(`! ${warning}`);
}

function sayHowToContinue({ terminal, session }: LoopControl, settings: ChatSettings, chat: Chat): void {
  const { prompt, agentFile } = settings;
  const { store, agent, model = settings.modelName } = chat;
  if (!terminal.isInteractive || prompt !== undefined || store === undefined || session.history.length === 0) return;
  const options = [
    ...(agentFile === undefined ? [] : ['--agent', agentFile]),
    ...(model === undefined ? [] : ['--model', model]),
  ];
  const command = `npx bridle chat ${options.join(' ')}`;
  const how = session.id === agent.sessionId ? '--continue, or with ' : '';
  terminal.renderer.showNote(safeText(`To continue this chat: ${command} ${how}--session ${session.id}`));
}

/** Calls that need approval are denied where nobody can be asked; the reason of the denial names the rule to add. */
function sayHowToAllow({ terminal }: LoopControl, { agentFile, json }: ChatSettings, { policyFile }: Chat): void {
  if (terminal.isInteractive || json || agentFile !== undefined || policyFile !== undefined) return;
  terminal.renderer.showNote('This folder has no policy yet: npx bridle init writes one.');
}

/** The session that the chat starts with. Without a store, a new one is not saved. */
async function sessionFor(
  { session, cwd, agentFile }: ChatSettings,
  store: Store | undefined,
): Promise<AgentSessionOptions | undefined> {
  if (session.type === 'named') return session.options;
  if (store === undefined) return undefined;
  if (session.type === 'new') return { id: newChatId() };
  const [last] = await listChats(store, { agent: 'main', cwd: realPathOf(cwd), limit: 1 });
  if (last !== undefined) return { id: last.id };
  const where = agentFile === undefined ? '' : ' of the agent "main"';
  throw usageError(`there is no saved session${where} in ${cwd} to continue: start one without --continue`);
}

/** The exit code of all turns. */
class ChatOutcome {
  code: ExitCode = exitCodes.ok;
  /** True if a call needed approval and was denied. */
  hasOpenQuestion = false;
  /** True if a call of the current turn was refused. */
  private hasRefusal = false;

  addRefusal(effect: RuleRef['effect'] | undefined): void {
    this.hasRefusal = true;
    this.hasOpenQuestion ||= effect === 'ask';
  }

  add(outcome: TurnOutcome): void {
    this.code = worseCode(this.code, codeOf(outcome, this.hasRefusal));
    this.hasRefusal = false;
  }
}

function codeOf(outcome: TurnOutcome, refused: boolean): ExitCode {
  if (outcome.type === 'failed') return exitCodes.negative;
  const { stopReason } = outcome.result;
  if (stopReason === 'cancelled') return exitCodes.cancelled;
  if (stopReason !== 'end' && stopReason !== 'finished') return exitCodes.negative;
  return refused ? exitCodes.refused : exitCodes.ok;
}

const bySeverity: readonly ExitCode[] = [exitCodes.ok, exitCodes.refused, exitCodes.negative, exitCodes.cancelled];

function worseCode(a: ExitCode, b: ExitCode): ExitCode {
  return bySeverity.indexOf(a) >= bySeverity.indexOf(b) ? a : b;
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
    const isUnavailable = error instanceof BridleError && ['STORE_FAILED', 'PACKAGE_MISSING'].includes(error.code);
    if (chosen.isNamed || !isUnavailable) throw error;
    return {
      opened: undefined,
      notice: `nothing is recorded, because the store cannot be opened: ${messageOf(error)}`,
    };
  }
}
