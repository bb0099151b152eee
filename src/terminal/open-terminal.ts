/**
 * The terminal of a program: it asks a person about calls and questions, shows what an agent does, and reads lines. It
 * never answers by itself. Without an interactive terminal it reads lines from a pipe, and nobody can be asked.
 */

import { homedir } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { rememberAnswers } from '../approvals/remember-answers.ts';
import type { Approver } from '../kernel/approval.ts';
import type { CallRequest } from '../kernel/call.ts';
import type { BridleEvent } from '../kernel/hooks/points/events.ts';
import type { Hook } from '../kernel/hooks/registration/hook.ts';
import { type Completer, type Completion, fileCompleter, firstCompletion, nameFiles } from './input/completion.ts';
import { Keyboard } from './dialogs/keyboard.ts';
import { Terminal } from './dialogs/terminal.ts';
import { denyWithoutTerminal, terminalApprover } from './dialogs/terminal-approver.ts';
import { terminalQuestions } from './dialogs/terminal-questions.ts';
import { paintWith } from './output/paint.ts';
import { Screen } from './output/screen.ts';
import type { Renderer } from './renderer/renderer.ts';
import { TextRenderer, type TextScreens } from './renderer/text-renderer.ts';

export interface TerminalOptions {
  /** Default: standard input. */
  readonly input?: ReadStream | undefined;
  /** Default: standard output. */
  readonly output?: WriteStream | undefined;
  /** Default: what the terminal supports. */
  readonly colours?: boolean | undefined;
  /** Show a spinner and running calls on the last lines. Default: if the terminal supports colours. */
  readonly live?: boolean | undefined;
  /** Show every decision with its rule, and every argument. Default: one line per call. */
  readonly details?: boolean | undefined;
  /** How long a person has for structured questions (default: 10 minutes). Approvals use the guard's `askTimeoutMs`. */
  readonly questionTimeoutMs?: number | undefined;
  /** Files below this folder are completed after `@`, and named in the prompt without it. Default: the current folder. */
  readonly cwd?: string | undefined;
  /** A file that keeps prompts for later sessions, with secrets masked. Default: prompts are kept for this session only. */
  readonly historyFile?: string | undefined;
  /** False: reads lines as from a pipe and asks nobody, even at a terminal. */
  readonly interactive?: boolean | undefined;
  /** Shows events and answers. Default: text on the output; without a terminal, calls and notes go to standard error. */
  readonly renderer?: Renderer | undefined;
}

/** What happens at the terminal while a loop runs. */
export interface TerminalListener {
  /** Called on Ctrl-C. At an empty prompt line, `stay` keeps the prompt open. */
  onInterrupt(): 'stay' | 'leave';
  /** Called for a line typed while a turn runs; returns true if it was handled. */
  onLine(line: string): boolean;
  /** Called on Ctrl-O, at any time. */
  onShortcut?(shortcut: 'details'): void;
  /** Completes what is being typed, at Tab. */
  complete?(text: string, cursor: number): Completion | undefined;
  /** Called for every event of the agent that has the terminal's hook. */
  onEvent(event: BridleEvent): void;
  /** Returns why a call that a person has edited is invalid; undefined if it is valid. */
  problemOf(call: CallRequest): Promise<string | undefined>;
}

export interface OpenTerminal {
  /** False if nobody can be asked. */
  readonly isInteractive: boolean;
  /** Asks the person about one call, and remembers answers for the session. Without an interactive terminal it denies. */
  readonly approver: Approver;
  /** Answers structured questions (`onInteraction`) and passes events to the loop; register it with the other hooks. */
  readonly hook: Hook;
  /** Shows what an agent does. */
  readonly renderer: Renderer;
  /** Connects the loop that uses the terminal; it replaces an earlier one. */
  connect(listener: TerminalListener): void;
  /** True if the hook has received an event of this session. */
  sees(session: string): boolean;
  /** Reads one prompt. `undefined` at the end of input, or if the signal is aborted. */
  readLine(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Handles the keyboard while `work` runs: Ctrl-C interrupts, and typed lines are kept for the next prompt. */
  whileRunning<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the keyboard to the program. */
  close(): void;
}

const defaultTimeoutMs = 600_000;
const open = new WeakMap<Readable, OpenTerminal>();

/**
 * Opens the terminal of this process, so that a person can approve calls. Until it is closed, opening it again returns
 * the same terminal.
 *
 * @example
 * ```ts
 * import { ask, createGuard } from 'bridle';
 * import { openTerminal } from 'bridle/terminal';
 *
 * const terminal = openTerminal();
 * const guard = createGuard({
 *   tools: [{ name: 'deploy' }],
 *   policy: ask('deploy'),
 *   approver: terminal.approver,
 *   hooks: [terminal.hook],
 * });
 * terminal.close();
 * ```
 */
export function openTerminal(options: TerminalOptions = {}): OpenTerminal {
  const { input = process.stdin, output = process.stdout, interactive = true } = options;
  const known = open.get(input);
  if (known !== undefined) return known;
  const terminal =
    interactive && input.isTTY && output.isTTY
      ? new KeyboardTerminal(input, output, options)
      : new PipedTerminal(input, output, options);
  open.set(input, terminal);
  return terminal;
}

/** Before a loop is connected, and without one: Ctrl-C ends the program, and nothing is shown. */
const noLoop: TerminalListener = {
  // The keyboard is in raw mode while a dialog is open, so Ctrl-C arrives as a key and sends no signal.
  onInterrupt() {
    process.kill(process.pid, 'SIGINT');
    return 'leave';
  },
  onLine: () => false,
  onEvent: () => undefined,
  // The guard validates edited args as well.
  problemOf: () => Promise.resolve(undefined),
};

/** Passes what happens to the connected loop. */
class Connection {
  protected listener: TerminalListener = noLoop;
  private readonly sessions = new Set<string>();

  connect(listener: TerminalListener): void {
    this.listener = listener;
  }

  sees(session: string): boolean {
    return this.sessions.has(session);
  }

  protected readonly onEvent = (event: BridleEvent): void => {
    this.sessions.add(event.session);
    this.listener.onEvent(event);
  };
}

class KeyboardTerminal extends Connection implements OpenTerminal {
  readonly isInteractive = true;
  readonly approver: Approver;
  readonly hook: Hook;
  readonly renderer: Renderer;
  private readonly screen: Screen;
  private readonly keyboard: Keyboard;
  private readonly cwd: string;
  private readonly terminal: Terminal;

  constructor(
    private readonly input: ReadStream,
    output: WriteStream,
    options: TerminalOptions,
  ) {
    super();
    const { colours = output.hasColors(), questionTimeoutMs = defaultTimeoutMs, renderer, historyFile } = options;
    this.cwd = resolve(options.cwd ?? '.');
    const completeByLoop: Completer = (text, cursor) => this.listener.complete?.(text, cursor);
    this.screen = new Screen(output, paintWith(colours), (write) => this.keyboard.writeAbove(write));
    this.keyboard = new Keyboard(input, output, {
      onInterrupt: () => this.listener.onInterrupt(),
      onLine: (line) => this.listener.onLine(line),
      onShortcut: (shortcut) => this.listener.onShortcut?.(shortcut),
      completer: firstCompletion([completeByLoop, fileCompleter(this.cwd)]),
      historyFile,
    });
    this.terminal = new Terminal({ keyboard: this.keyboard, screen: this.screen });
    // The approver shows the question itself.
    const hiddenEvents = new Set(['tool_asked'] as const);
    const layout = (options.live ?? output.hasColors()) ? 'live' : 'wrapped';
    const screens = { answer: this.screen, notes: this.screen, hiddenEvents, layout } as const;
    this.renderer = renderer ?? new TextRenderer({ ...screens, ...shownPlaces(options) });
    const problemOf = (call: CallRequest): Promise<string | undefined> => this.listener.problemOf(call);
    this.approver = rememberAnswers(
      terminalApprover(this.terminal, {
        paint: this.screen.paint,
        details: () => this.renderer.details === true,
        problemOf,
      }),
    );
    this.hook = {
      name: 'terminal',
      onEvent: this.onEvent,
      onInteraction: terminalQuestions(this.terminal, questionTimeoutMs),
    };
  }

  async readLine(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    this.screen.startLine();
    const line = await this.keyboard.readLine(prompt, signal);
    return line === undefined ? undefined : nameFiles(line, this.cwd);
  }

  whileRunning<T>(work: () => Promise<T>): Promise<T> {
    return this.terminal.whileRunning(work);
  }

  close(): void {
    open.delete(this.input);
    this.keyboard.close();
  }
}

function shownPlaces({ cwd = process.cwd(), details }: TerminalOptions): Partial<TextScreens> {
  return { cwd, home: homedir(), details };
}

class PipedTerminal extends Connection implements OpenTerminal {
  readonly isInteractive = false;
  readonly approver: Approver = denyWithoutTerminal;
  readonly hook: Hook;
  readonly renderer: Renderer;
  private reader: Interface | undefined;
  private lines: AsyncIterator<string> | undefined;

  constructor(
    private readonly input: Readable,
    output: Writable,
    options: TerminalOptions,
  ) {
    super();
    const paint = paintWith(false);
    const screens = { answer: new Screen(output, paint), notes: new Screen(process.stderr, paint) };
    // Calls that ask are denied immediately, and the reason says so.
    const hiddenEvents = new Set(['tool_asked'] as const);
    this.renderer = options.renderer ?? new TextRenderer({ ...screens, hiddenEvents, ...shownPlaces(options) });
    this.hook = { name: 'terminal', onEvent: this.onEvent };
  }

  async readLine(_prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    this.reader ??= createInterface({ input: this.input, crlfDelay: Number.POSITIVE_INFINITY, signal });
    this.lines ??= this.reader[Symbol.asyncIterator]();
    const { value, done } = await this.lines.next();
    return done === true || signal.aborted ? undefined : value;
  }

  whileRunning<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  close(): void {
    open.delete(this.input);
    if (this.reader === undefined) return;
    this.reader.close();
    this.input.destroy();
  }
}
