/** An analysis with what the facts look at; files are worked out when they are asked for. */

import type { CommandAnalysis, FileAccess } from './command-analysis.ts';
import { changeAccesses } from './change-accesses.ts';
import { fileAccesses, missingFiles } from './file-accesses.ts';
import type { FoundCommand } from './found-command.ts';
import type { LineState } from './line-state.ts';

const nothing: readonly string[] = [];

/** More than a line may have commands. */
const mostVariants = 3000;
const tooMany = 'its loops stand for too many commands';

interface Variants {
  readonly commands: readonly FoundCommand[];
  /** The place of each in the line, if that is another one. */
  readonly orders: readonly number[] | undefined;
  /** True: there are more. */
  readonly isCut: boolean;
}

export class FoundAnalysis implements CommandAnalysis {
  readonly commands: readonly FoundCommand[];
  readonly unknown: string | undefined;
  readonly opaque: string | undefined;
  /** Why a line is opaque beside commands that hide what they do. */
  readonly opaqueBeside: string | undefined;
  readonly foreign: readonly string[];
  /** Values of variables set for programs, which may take them as code. */
  readonly values: readonly string[];
  /** A variable that is set somewhere and may be known to programs. */
  readonly sets: string | undefined;
  /** The names of functions that the line defines: a command of such a name is not the program. */
  readonly defined: ReadonlySet<string> | undefined;
  /** The same, unless the table of variables calls it harmless for the project's own code. */
  readonly tunes: string | undefined;
  private readonly homeSet: boolean;
  private readonly patternsSet: boolean;
  private missed: { readonly files: ReturnType<typeof missingFiles> } | undefined;
  private accesses: readonly FileAccess[] | undefined;
  private expanded: Variants | undefined;

  constructor(state: LineState) {
    this.commands = state.commands;
    this.unknown = state.unknown;
    this.opaque = state.opaque;
    this.opaqueBeside = state.opaqueBeside;
    this.foreign = state.foreign ?? nothing;
    this.values = state.values ?? nothing;
    this.sets = state.sets;
    this.defined = state.defined;
    this.tunes = state.tunes;
    this.homeSet = state.homeSet;
    this.patternsSet = state.patternsSet;
  }

  get files(): readonly FileAccess[] {
    this.accesses ??= this.homeSet || this.patternsSet ? this.findChangedFiles() : this.findFiles();
    return this.accesses;
  }

  /** The files of a line that changes what `~` and patterns mean. */
  private findChangedFiles(): readonly FileAccess[] {
    return changeAccesses(this.findFiles(), (access) => {
      const placed = this.homeSet ? awayFromHome(access) : access;
      return this.patternsSet ? withoutPatterns(placed) : placed;
    });
  }

  private findFiles(): readonly FileAccess[] {
    const { commands, orders } = this.variants();
    const found = commands.map(fileAccesses);
    // If a command moves, the accesses by its words, which come last, say so.
    if (!found.some((accesses) => accesses.at(-1)?.entered !== undefined)) return found.flat();
    return found.flatMap((accesses, index) =>
      changeAccesses(accesses, (each) => ({ ...each, order: orders?.[index] ?? index })),
    );
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
    if (!this.commands.some(({ hasVariants }) => hasVariants)) {
      this.expanded = { commands: this.commands, orders: undefined, isCut: false };
      return this.expanded;
    }
    const commands: FoundCommand[] = [];
    const orders: number[] = [];
    for (const [order, command] of this.commands.entries()) {
      if (commands.length > mostVariants) break;
      for (const variant of command.variants) {
        commands.push(variant);
        orders.push(order);
      }
    }
    this.expanded = { commands, orders, isCut: commands.length > mostVariants };
    return this.expanded;
  }
}

function awayFromHome(access: FileAccess): FileAccess {
  if (access.path?.startsWith('~') === true) return { ...access, path: undefined };
  if (access.from?.some((folder) => folder.startsWith('~')) !== true) return access;
  return { ...access, from: undefined, lost: 'the home folder is not known once HOME is set' };
}

function withoutPatterns(access: FileAccess): FileAccess {
  const listed = access.listed?.names.type === 'glob' ? undefined : access.listed;
  return access.glob === undefined && listed === access.listed ? access : { ...access, glob: undefined, listed };
}
