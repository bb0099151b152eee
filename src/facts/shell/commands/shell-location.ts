/**
 * Where a shell may be while it runs a line (X08): every folder that is possible, and for each what `cd -` and `popd`
 * would lead to. Nothing is looked up: links are followed when a path is.
 */

/** More are not told apart. */
const maxFolders = 16;
const maxStates = 64;

/**
 * A folder as the shell knows it: `base` is a path for the kernel, and `names` are names below it that `..` takes away
 * as text, as bash does. A `..` from the base itself is one for the kernel, unless the folder is `closed`.
 */
export interface ShellFolder {
  readonly base: string;
  readonly names: readonly string[];
  readonly closed?: boolean | undefined;
}

/** One possible state of the shell; undefined: not known. */
export interface LocationState {
  readonly folder: ShellFolder;
  readonly previous: ShellFolder | undefined;
  readonly stack: readonly ShellFolder[] | undefined;
}

export class ShellLocation {
  /** Each relative to where the line starts, once; undefined: not known. */
  readonly folders: readonly string[] | undefined;

  private constructor(
    /** Undefined: not known; none: this is never reached. */
    readonly states: readonly LocationState[] | undefined,
    /** Why the folders are not known. */
    readonly why: string,
    /** What commands before this one of the line do to its folders may lead them elsewhere. */
    readonly entered: number,
  ) {
    this.folders =
      states === undefined || states.length === 0
        ? undefined
        : [...new Set(states.map(({ folder }) => folderText(folder)))];
  }

  static of(spots: readonly LocationState[], entered: number): ShellLocation {
    const known = new Map(spots.map((spot) => [keyOf(spot), spot]));
    const found = new ShellLocation([...known.values()], known.size === 0 ? 'the line ends before' : '', entered);
    const isMany = known.size > maxStates || (found.folders?.length ?? 0) > maxFolders;
    return isMany ? ShellLocation.unknown(`the line may be in more than ${maxFolders} folders`) : found;
  }

  static unknown(why: string): ShellLocation {
    return new ShellLocation(undefined, why, 0);
  }

  /** All that is possible in one or the other. */
  or(other: ShellLocation): ShellLocation {
    if (this === other || other.states?.length === 0 || this.states === undefined) return this;
    if (other.states === undefined || this.states.length === 0) return other;
    return ShellLocation.of([...this.states, ...other.states], Math.max(this.entered, other.entered));
  }
}

const home: ShellFolder = { base: '~', names: [] };
const start: ShellFolder = { base: '', names: [] };

/** Where a line starts. Nobody knows what was before. */
export const lineStart = ShellLocation.of([{ folder: start, previous: undefined, stack: [] }], 0);
/** After `exit`. */
export const unreachable = ShellLocation.of([], 0);

export function folderText({ base, names }: ShellFolder): string {
  return names.length === 0 ? base : joined(base, names.join('/'));
}

function joined(base: string, path: string): string {
  // Only an unquoted `~` is a home folder, and `base` says so.
  if (base === '' && path.startsWith('~')) return `./${path}`;
  if (base === '' || path.startsWith('/')) return path;
  return base.endsWith('/') ? base + path : `${base}/${path}`;
}

function keyOf({ folder, previous, stack }: LocationState): string {
  return [folder, previous, ...(stack ?? ['none'])].map((each) => JSON.stringify(each)).join(' ');
}

/** Where the kernel comes to by a path, which the shell then knows by no other name. */
export function physicalFolder({ base, names }: ShellFolder, path: string): ShellFolder {
  return { base: joined(folderText({ base, names }), path), names: [] };
}

/**
 * Where `cd path` may lead. Bash takes `..` away as text; if there is no such folder, it goes where the kernel does.
 * Undefined: not known.
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
  // The line's first folder again, but found by its name.
  if (base === '' && names.length === 0) base = '.';
  const folder: ShellFolder = { base, names, closed: isRooted ? undefined : from.closed };
  return differs ? [folder, physicalFolder(from, path)] : [folder];
}

/** The home folder, or one below it: `~/x`. */
export function homeFolders(path: string): readonly ShellFolder[] | undefined {
  return logicalFolders(home, `.${path.slice(1)}`);
}
