/** An analysis with what the facts look at; files are worked out when they are asked for. */

import type { CommandAnalysis, FileAccess } from './command-analysis.ts';
import { fileAccesses, missingFiles } from './file-accesses.ts';
import type { FoundCommand } from './found-command.ts';
import type { LineState } from './line-state.ts';

const nothing: readonly string[] = [];

/** More than a line may have commands. */
const mostVariants = 3000;
const tooMany = 'its loops stand for too many commands';

interface Variants {
  readonly commands: readonly FoundCommand[];
  /** True: there are more. */
  readonly isCut: boolean;
}

export class FoundAnalysis implements CommandAnalysis {
  readonly commands: readonly FoundCommand[];
  readonly unknown: string | undefined;
  readonly opaque: string | undefined;
  readonly foreign: readonly string[];
  /** Values of variables set for programs, which may take them as code. */
  readonly values: readonly string[];
  /** A variable that is set somewhere and may be known to programs. */
  readonly sets: string | undefined;
  private readonly homeSet: boolean;
  private readonly patternsSet: boolean;
  private missed: { readonly files: ReturnType<typeof missingFiles> } | undefined;
  private accesses: readonly FileAccess[] | undefined;
  private expanded: Variants | undefined;

  constructor(state: LineState) {
    this.commands = state.commands;
    this.unknown = state.unknown;
    this.opaque = state.opaque;
    this.foreign = state.foreign ?? nothing;
    this.values = state.values ?? nothing;
    this.sets = state.sets;
    this.homeSet = state.homeSet;
    this.patternsSet = state.patternsSet;
  }

  get files(): readonly FileAccess[] {
    this.accesses ??= this.variants()
      .commands.flatMap(fileAccesses)
      .map((access) => (this.homeSet ? awayFromHome(access) : access))
      .map((access) => (this.patternsSet ? withoutPatterns(access) : access));
    return this.accesses;
  }

  get filesUnknown(): string | undefined {
    return this.unknown ?? (this.variants().isCut ? tooMany : this.missing()?.why);
  }

  get missingIsRead(): boolean {
    return this.unknown === undefined && !this.variants().isCut && this.missing()?.read === true;
  }

  private missing(): ReturnType<typeof missingFiles> {
    this.missed ??= { files: missingFiles(this.variants().commands) };
    return this.missed.files;
  }

  /** Every command once for each of the texts that its words may be, as far as that is looked at. */
  private variants(): Variants {
    if (this.expanded !== undefined) return this.expanded;
    const commands: FoundCommand[] = [];
    for (const command of this.commands) {
      if (commands.length > mostVariants) break;
      const { variants } = command;
      if (variants.length === 1) commands.push(command);
      else commands.push(...variants);
    }
    this.expanded = { commands, isCut: commands.length > mostVariants };
    return this.expanded;
  }
}

function awayFromHome(access: FileAccess): FileAccess {
  return access.path?.startsWith('~') === true ? { ...access, path: undefined } : access;
}

function withoutPatterns(access: FileAccess): FileAccess {
  const listed = access.listed?.names.type === 'glob' ? undefined : access.listed;
  return access.glob === undefined && listed === access.listed ? access : { ...access, glob: undefined, listed };
}
