/** An analysis with what the facts look at; files are worked out when they are asked for. */

import type { CommandAnalysis, FileAccess } from '../commands/command-analysis.ts';
import { changeAccesses } from './change-accesses.ts';
import { fileAccesses, missingFiles } from './file-accesses.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { LineState } from '../walk/line-state.ts';

const nothing: readonly string[] = [];

/** More than a line may have commands. */
const maxVariants = 3000;
const tooMany = 'its loops stand for too many commands';

interface Variants {
  readonly commands: readonly LineCommand[];
  /** The place of each in the line, if that is another one. */
  readonly orders: readonly number[] | undefined;
  /** True: there are more. */
  readonly isTruncated: boolean;
}

export class LineAnalysis implements CommandAnalysis {
  readonly commands: readonly LineCommand[];
  readonly unknown: string | undefined;
  readonly opaque: string | undefined;
  /** Why a line is opaque beside commands that hide what they do. */
  readonly opaqueOutsideCommands: string | undefined;
  readonly foreign: readonly string[];
  /** Values of variables set for programs, which may take them as code. */
  readonly passedValues: readonly string[];
  /** A variable that is set somewhere and may be known to programs. */
  readonly environmentVariable: string | undefined;
  /** The names of functions that the line defines: a command of such a name is not the program. */
  readonly definedFunctions: ReadonlySet<string> | undefined;
  /** The same, unless the table of variables calls it harmless for the project's own code. */
  readonly projectVariable: string | undefined;
  private readonly homeChanged: boolean;
  private readonly globbingChanged: boolean;
  private missingCache: { readonly files: ReturnType<typeof missingFiles> } | undefined;
  private fileCache: readonly FileAccess[] | undefined;
  private variantCache: Variants | undefined;

  constructor(state: LineState) {
    this.commands = state.commands;
    this.unknown = state.unknown;
    this.opaque = state.opaque;
    this.opaqueOutsideCommands = state.opaqueOutsideCommands;
    this.foreign = state.foreign ?? nothing;
    this.passedValues = state.passedValues ?? nothing;
    this.environmentVariable = state.environmentVariable;
    this.definedFunctions = state.definedFunctions;
    this.projectVariable = state.projectVariable;
    this.homeChanged = state.homeChanged;
    this.globbingChanged = state.globbingChanged;
  }

  get files(): readonly FileAccess[] {
    this.fileCache ??= this.homeChanged || this.globbingChanged ? this.findChangedFiles() : this.findFiles();
    return this.fileCache;
  }

  /** The files of a line that changes what `~` and patterns mean. */
  private findChangedFiles(): readonly FileAccess[] {
    return changeAccesses(this.findFiles(), (access) => {
      const placed = this.homeChanged ? withoutHome(access) : access;
      return this.globbingChanged ? withoutPatterns(placed) : placed;
    });
  }

  private findFiles(): readonly FileAccess[] {
    const { commands, orders } = this.variants();
    const found = commands.map(fileAccesses);
    // If a command moves, the accesses by its words, which come last, say so.
    if (!found.some((accesses) => accesses.at(-1)?.enteredBy !== undefined)) return found.flat();
    return found.flatMap((accesses, index) =>
      changeAccesses(accesses, (each) => ({ ...each, order: orders?.[index] ?? index })),
    );
  }

  get filesUnknown(): string | undefined {
    return this.unknown ?? (this.variants().isTruncated ? tooMany : this.missing()?.why);
  }

  get missingIsRead(): boolean {
    return this.unknown === undefined && !this.variants().isTruncated && this.missing()?.read === true;
  }

  private missing(): ReturnType<typeof missingFiles> {
    this.missingCache ??= { files: missingFiles(this.variants().commands) };
    return this.missingCache.files;
  }

  /** Every command once for each of the texts that its words may be, as far as that is looked at. */
  private variants(): Variants {
    if (this.variantCache !== undefined) return this.variantCache;
    if (!this.commands.some(({ hasVariants }) => hasVariants)) {
      this.variantCache = { commands: this.commands, orders: undefined, isTruncated: false };
      return this.variantCache;
    }
    const commands: LineCommand[] = [];
    const orders: number[] = [];
    for (const [order, command] of this.commands.entries()) {
      if (commands.length > maxVariants) break;
      for (const variant of command.variants) {
        commands.push(variant);
        orders.push(order);
      }
    }
    this.variantCache = { commands, orders, isTruncated: commands.length > maxVariants };
    return this.variantCache;
  }
}

function withoutHome(access: FileAccess): FileAccess {
  if (access.path?.startsWith('~') === true) return { ...access, path: undefined };
  if (access.from?.some((folder) => folder.startsWith('~')) !== true) return access;
  return { ...access, from: undefined, fromUnknown: 'the home folder is not known once HOME is set' };
}

function withoutPatterns(access: FileAccess): FileAccess {
  const listed = access.diskName?.names.type === 'glob' ? undefined : access.diskName;
  return access.glob === undefined && listed === access.diskName
    ? access
    : { ...access, glob: undefined, diskName: listed };
}
