/** The analysis of a line with the internals that facts need. Files are computed on first access. */

import type { CommandAnalysis, FileAccess } from '../commands/command-analysis.ts';
import { changeAccesses } from './change-accesses.ts';
import { fileAccesses, missingFiles } from './file-accesses.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { LineState } from '../walk/line-state.ts';

const nothing: readonly string[] = [];

/** More than the maximum number of commands in a line. */
const maxVariants = 3000;
const tooMany = 'the loops of the line expand to too many commands';

interface Variants {
  readonly commands: readonly LineCommand[];
  /** The position of each command in the line, if it differs from its index. */
  readonly orders: readonly number[] | undefined;
  /** True: there are more. */
  readonly isTruncated: boolean;
}

export class LineAnalysis implements CommandAnalysis {
  readonly commands: readonly LineCommand[];
  readonly unknown: string | undefined;
  readonly opaque: string | undefined;
  /** Why the line is opaque for reasons other than a command that hides its work. */
  readonly opaqueOutsideCommands: string | undefined;
  readonly foreign: readonly string[];
  /** Values of variables set for programs. A program may run them as code. */
  readonly passedValues: readonly string[];
  /** A variable that the line sets and programs may read. */
  readonly environmentVariable: string | undefined;
  /** The names of functions that the line defines. A command with such a name is not the program. */
  readonly definedFunctions: ReadonlySet<string> | undefined;
  /** Like `environmentVariable`, except variables that are known to be harmless for the project's own code. */
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

  /** The files of a line that changes the meaning of `~` or of glob patterns. */
  private findChangedFiles(): readonly FileAccess[] {
    return changeAccesses(this.findFiles(), (access) => {
      const placed = this.homeChanged ? withoutHome(access) : access;
      return this.globbingChanged ? withoutPatterns(placed) : placed;
    });
  }

  private findFiles(): readonly FileAccess[] {
    const { commands, orders } = this.variants();
    const found = commands.map(fileAccesses);
    // If a command changes folders, the accesses of its words, which come last, record it.
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

  /** Every command, once for each text that its words may stand for, up to a limit. */
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
  return { ...access, from: undefined, fromUnknown: 'the home folder is not known after HOME is set' };
}

function withoutPatterns(access: FileAccess): FileAccess {
  const listed = access.diskName?.names.type === 'glob' ? undefined : access.diskName;
  return access.glob === undefined && listed === access.diskName
    ? access
    : { ...access, glob: undefined, diskName: listed };
}
