/** What a command about a store is, for the table in `store-commands.ts`. */

import type { CommandEnv, StoreFlags } from './store-options.ts';
import type { Streams } from '../../terminal/output/streams.ts';

export type Flag = readonly [flags: string, does: string];

export interface CliContext {
  readonly streams: Streams;
  readonly env: CommandEnv;
}

export interface StoreInvocation<Options = StoreFlags> {
  /** What was said beside the options. */
  readonly words: readonly string[];
  readonly options: Options;
  readonly scene: CliContext;
}

export interface StoreCommand {
  /** The words beside the options: `<id>`, `[file]`; none if not given. */
  readonly takes?: string | undefined;
  readonly does: string;
  /** Further help: examples and exit codes. */
  readonly more: string;
  /** Beside `--store`, `--namespace` and `--json`, which every command has. */
  readonly flags: readonly Flag[];
  /** True: whatever an agent has started is refused. Reading commands may answer it. */
  readonly forPeople?: boolean | undefined;
  /** Loads what does it: a function of what was said that gives the exit code. It declares its own options. */
  readonly load: () => Promise<(run: StoreInvocation<never>) => Promise<number>>;
}

/** Commands under one word: `bridle journal tail`. */
export interface StoreGroup {
  readonly does: string;
  readonly commands: Readonly<Record<string, StoreCommand>>;
}
