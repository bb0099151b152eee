/** The shape of a store command, for the table in `store-commands.ts`. */

import type { CommandEnv, StoreFlags } from './store-options.ts';
import type { Streams } from '../../terminal/output/streams.ts';

export type Flag = readonly [flags: string, summary: string];

export interface CliContext {
  readonly streams: Streams;
  readonly env: CommandEnv;
}

/** One use of a store command. */
export interface StoreInvocation<Options = StoreFlags> {
  /** The arguments that are not options. */
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly context: CliContext;
}

export interface StoreCommand {
  /** The positional arguments, such as `<id>` or `[file]`. */
  readonly usage?: string | undefined;
  readonly summary: string;
  /** Shown after the options: examples and exit codes. */
  readonly details: string;
  /** In addition to `--store`, `--namespace` and `--json`. */
  readonly flags: readonly Flag[];
  /** True if processes started by an agent may not use it. Read-only commands leave it out. */
  readonly forPeople?: boolean | undefined;
  /** Loads the function that runs the command and returns its exit code; the function declares its own options. */
  readonly load: () => Promise<(invocation: StoreInvocation<never>) => Promise<number>>;
}

/** Commands with a common first word: `bridle journal tail`. */
export interface StoreGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, StoreCommand>>;
}
