/**
 * The folders in which a shell may be while it runs a line (X08), each with the results of `cd -` and `popd`. Nothing
 * is looked up: links are resolved together with the paths.
 */

/** Beyond these limits, the location counts as unknown. */
const maxFolders = 16;
const maxStates = 64;

/**
 * A folder as the shell knows it. `base` is a path for the kernel. `names` are names below it; bash removes one for
 * each `..` without looking at the disk. A `..` from the base goes to the kernel, unless the folder is `closed`.
 */
export interface ShellFolder {
  readonly base: string;
  readonly names: readonly string[];
  readonly closed?: boolean | undefined;
}

/** One possible state of the shell. Undefined: not known. */
export interface LocationState {
  readonly folder: ShellFolder;
  readonly previous: ShellFolder | undefined;
  readonly stack: readonly ShellFolder[] | undefined;
}

export class ShellLocation {
  /** Each folder once, relative to the start of the line. Undefined: not known. */
  readonly folders: readonly string[] | undefined;

  private constructor(
    /** Undefined: not known. Empty: never reached. */
    readonly states: readonly LocationState[] | undefined,
    /** Why the folders are not known. */
    readonly why: string,
    /** What commands before this position do to the folders may redirect them. */
    readonly entered: number,
  ) {
    this.folders =
      states === undefined || states.length === 0
        ? undefined
        : [...new Set(states.map(({ folder }) => folderText(folder)))];
  }

  static of(states: readonly LocationState[], entered: number): ShellLocation {
    const known = new Map(states.map((current) => [keyOf(current), current]));
    const found = new ShellLocation(
      [...known.values()],
      known.size === 0 ? 'the line ends before this command' : '',
      entered,
    );
    const isMany = known.size > maxStates || (found.folders?.length ?? 0) > maxFolders;
    return isMany ? ShellLocation.unknown(`the line may run in more than ${maxFolders} folders`) : found;
  }

  static unknown(why: string): ShellLocation {
    return new ShellLocation(undefined, why, 0);
  }

  /** Everything that is possible in either location. */
  or(other: ShellLocation): ShellLocation {
    if (this === other || other.states?.length === 0 || this.states === undefined) return this;
    if (other.states === undefined || this.states.length === 0) return other;
    return ShellLocation.of([...this.states, ...other.states], Math.max(this.entered, other.entered));
  }
}

const home: ShellFolder = { base: '~', names: [] };
const start: ShellFolder = { base: '', names: [] };

/** Where a line starts. The previous folder is not known. */
export const lineStart = ShellLocation.of([{ folder: start, previous: undefined, stack: [] }], 0);
/** After `exit`. */
export const unreachable = ShellLocation.of([], 0);

export function folderText({ base, names }: ShellFolder): string {
  return names.length === 0 ? base : joined(base, names.join('/'));
}

function joined(base: string, path: string): string {
  // Only an unquoted `~` is a home folder, and `base` marks it.
  if (base === '' && path.startsWith('~')) return `./${path}`;
  if (base === '' || path.startsWith('/')) return path;
  return base.endsWith('/') ? base + path : `${base}/${path}`;
}

function keyOf({ folder, previous, stack }: LocationState): string {
  return [folder, previous, ...(stack ?? ['none'])].map((each) => JSON.stringify(each)).join(' ');
}

/** The folder that the kernel resolves a path to. The shell knows it by no other name. */
export function physicalFolder({ base, names }: ShellFolder, path: string): ShellFolder {
  return { base: joined(folderText({ base, names }), path), names: [] };
}

/**
 * The folders that `cd path` may lead to. bash removes `..` as text; if that folder does not exist, it goes where the
 * kernel leads. Undefined: not known.
 */
export function logicalFolders(from: ShellFolder, path: string): readonly ShellFolder[] | undefined {
  const isRooted = path.startsWith('/');
  let base = isRooted ? '/' : from.base === '.' ? '' : from.base;
  const names = isRooted ? [] : [...from.names];
  let wentUp = false;
  let differs = false;
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') {
      names.push(name);
      differs ||= wentUp;
    } else if (names.pop() !== undefined) wentUp = true;
    else if (base !== '/') {
      if (from.closed === true) return undefined;
      base = joined(base, '..');
      differs ||= wentUp;
    }
  }
  // The start folder again, but reached by name.
  if (base === '' && names.length === 0) base = '.';
  const folder: ShellFolder = { base, names, closed: isRooted ? undefined : from.closed };
  return differs ? [folder, physicalFolder(from, path)] : [folder];
}

/** The home folder, or a folder below it: `~/x`. */
export function homeFolders(path: string): readonly ShellFolder[] | undefined {
  return logicalFolders(home, `.${path.slice(1)}`);
}
