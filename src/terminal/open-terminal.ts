/** A terminal for your own program: it asks a person about calls and questions. It never answers by itself. */

import type { ReadStream, WriteStream } from 'node:tty';
import { rememberAnswers } from '../approvals/remember-answers.ts';
import type { Approver } from '../kernel/approval.ts';
import type { Hook } from '../kernel/hooks/registration/hook.ts';
import { Keyboard } from './dialogs/keyboard.ts';
import { Terminal } from './dialogs/terminal.ts';
import { denyWithoutTerminal, terminalApprover } from './dialogs/terminal-approver.ts';
import { terminalQuestions } from './dialogs/terminal-questions.ts';
import { paintWith } from './output/paint.ts';
import { Screen } from './output/screen.ts';

export interface TerminalOptions {
  /** Default: standard input. */
  readonly input?: ReadStream | undefined;
  /** Default: standard output. */
  readonly output?: WriteStream | undefined;
  /** Default: what the terminal supports. */
  readonly colours?: boolean | undefined;
  /** How long a person has for structured questions (default: 10 minutes). Approvals use the guard's `askTimeoutMs`. */
  readonly questionTimeoutMs?: number | undefined;
}

export interface OpenTerminal {
  /** Asks the person about one call, and remembers answers for the session. Without an interactive terminal it denies. */
  readonly approver: Approver;
  /** Answers structured questions (`onInteraction`); register it with the other hooks. */
  readonly hook: Hook;
  /** Returns the keyboard to the program. */
  close(): void;
}

const defaultTimeoutMs = 600_000;

/**
 * Opens the terminal of this process, so that a person can approve calls.
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
  const { input = process.stdin, output = process.stdout, questionTimeoutMs = defaultTimeoutMs } = options;
  if (!input.isTTY || !output.isTTY)
    return { approver: denyWithoutTerminal, hook: { name: 'terminal' }, close: () => undefined };
  const { colours = output.hasColors() } = options;
  const screen = new Screen(output, paintWith(colours));
  const keyboard = new Keyboard(input, output, { onInterrupt: sendInterrupt, onLine: () => false });
  const terminal = new Terminal({ keyboard, screen, input, output, colours });
  return {
    approver: rememberAnswers(terminalApprover(terminal, { paint: screen.paint, problemOf: noProblem })),
    hook: { name: 'terminal', onInteraction: terminalQuestions(terminal, questionTimeoutMs) },
    close: () => keyboard.close(),
  };
}

/** The guard has validated the call; a person's edited args are validated by the guard as well. */
function noProblem(): Promise<undefined> {
  return Promise.resolve(undefined);
}

/** The keyboard is in raw mode while a dialog is open, so Ctrl-C arrives as a key and sends no signal. */
function sendInterrupt(): 'leave' {
  process.kill(process.pid, 'SIGINT');
  return 'leave';
}
