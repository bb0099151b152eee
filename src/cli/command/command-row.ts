/** The shape of a row of the table of commands, and the options that many rows share. */

import { BridleError } from '../../kernel/errors.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import type { Streams } from '../../terminal/output/streams.ts';
import type { ExitCode } from './exit-codes.ts';

export type Flag = readonly [flags: string, summary: string];

export type CommandEnv = Readonly<Record<string, string | undefined>>;

/** One use of a command. A command declares the options it reads. */
export interface Invocation<Options = { readonly json?: boolean | undefined; readonly cwd?: string | undefined }> {
  /** The arguments that are not options. */
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly streams: Streams;
  readonly env: CommandEnv;
  /** The version of Bridle. */
  readonly version: string;
  /** True if the command line has a `--`. */
  readonly hasDoubleDash: boolean;
}

/** The result of a command: JSON data, text lines, and an exit code. */
export interface CommandReport {
  readonly code: ExitCode;
  readonly data: unknown;
  /** Lines without line ends. */
  readonly lines: (paint: Paint) => readonly string[];
}

/** Returns a report to print, or the exit code of a command that has printed its output itself. */
type CommandRun = (invocation: Invocation<never>) => CommandResult | Promise<CommandResult>;
type CommandResult = CommandReport | number;

/** The help of a command, the tables in `docs/reference/cli.md` and the parser come from its row. */
export interface CommandRow {
  /** The positional arguments, such as `<id>` or `[file]`. */
  readonly usage?: string | undefined;
  readonly summary: string;
  readonly options: readonly Flag[];
  /** What the summary leaves out. */
  readonly details?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** The meaning of each exit code; several codes of one meaning are separated by commas. */
  readonly exitCodes: Readonly<Record<string, string>>;
  /** Shown after a usage error. */
  readonly usageHint?: string | undefined;
  /** True if processes started by an agent may not use it at all. Read-only commands leave it out. */
  readonly forPeople?: boolean | undefined;
  /** The exit code of a refusal; 2 if not set. */
  readonly refusedCode?: number | undefined;
  /** False if `--json` prints events, and an error only goes to stderr. */
  readonly jsonErrors?: false | undefined;
  /** Loads the code of the command when it runs. */
  readonly load: () => Promise<CommandRun>;
}

/** Commands with a common first word: `bridle journal tail`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, CommandRow>>;
}

export const jsonFlag: Flag = ['--json', 'print JSON'];

/** The options that choose a store. */
export const storeFlags: readonly Flag[] = [
  ['--store <path|url>', 'the store (default: BRIDLE_STORE, else .bridle/store.db in the folder)'],
  ['--namespace <name>', 'the namespace in the store (default: "default")'],
];

/** An error in the command line: printed without a stack, exit code 2. */
export function usageError(message: string, cause?: unknown): BridleError {
  return new BridleError('OPTION_INVALID', message, cause === undefined ? {} : { cause });
}
