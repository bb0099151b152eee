/** The paths of protected files, under every name that leads to them, for fast comparison with other paths. */

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import type { FileIdentity } from '../../../kernel/call.ts';
import { foldCase } from '../globs/name-pattern.ts';
import { probe } from '../resolve/path-refusal.ts';
import { resolveParent, type PathLocation } from '../resolve/path-location.ts';
import { resolvePath } from '../resolve/resolve-path.ts';

/** A file, or a folder with everything in it, that must not be written; absolute. It need not exist. */
export type ProtectedFile =
  | string
  | {
      readonly path: string;
      /** True if it must not be read either. */
      readonly secret?: boolean | undefined;
      /**
       * True if it may be removed together with a parent folder, because nothing is less protected without it:
       * installed code.
       */
      readonly expendable?: boolean | undefined;
    };

/** `at`: the path is a protected file or inside one. `above`: a protected file is below it. */
export type Relation = 'at' | 'above' | 'apart';

/** A protected file in its object form. */
export type ProtectedEntry = Exclude<ProtectedFile, string>;

type LocationParts = Pick<PathLocation, 'text' | 'checked'>;

/** Case is ignored: refusing a file that differs only in case does no harm. */
export class ProtectedPaths {
  /** From the folded path to the path as given. */
  private readonly paths = new Map<string, string>();
  private readonly above = new Set<string>();
  private readonly identities = new Set<string>();
  private readonly names = new Set<string>();
  private readonly relations = new WeakMap<LocationParts, Relation>();
  private readonly folders: string[] = [];
  /** The names of all entries in protected folders. */
  private innerNames: ReadonlySet<string> | 'too many' | undefined;

  constructor(files: readonly ProtectedEntry[]) {
    for (const file of files) this.add(file);
  }

  get isEmpty(): boolean {
    return this.paths.size === 0;
  }

  relation(location: LocationParts): Relation {
    const known = this.relations.get(location) ?? this.findRelation(location);
    this.relations.set(location, known);
    return known;
  }

  private findRelation({ text, checked }: LocationParts): Relation {
    if (this.isEmpty) return 'apart';
    if (checked?.identity !== undefined && this.identities.has(keyOf(checked.identity))) return 'at';
    const relationOfTarget = checked === undefined ? 'apart' : this.relationOfPath(foldCase(checked.path));
    // A link can itself be removed or replaced, so its own path counts as well as its target.
    const isPlain = text === '' || posix.normalize(text) === checked?.path;
    if (relationOfTarget === 'at' || isPlain) return relationOfTarget;
    const relationOfLink = this.relationOfPath(foldCase(resolveParent(text)));
    return relationOfLink === 'apart' ? relationOfTarget : relationOfLink;
  }

  /** Returns the protected file that this location is, is inside of, or contains. */
  protectedFileAt({ text, checked }: LocationParts): string | undefined {
    const names = [checked?.path, text === '' ? undefined : resolveParent(text)]
      .filter((name) => name !== undefined)
      .map(foldCase);
    const enclosing = names.flatMap(enclosingFolders).find((name) => this.paths.has(name));
    if (enclosing !== undefined) return this.paths.get(enclosing);
    const below = this.below(names).map(([, given]) => given);
    // An existing file makes the clearest message.
    return below.find((given) => existsSync(given)) ?? below[0];
  }

  /** True if it contains a protected file that is not hidden by a name with a leading dot. */
  containsVisible({ checked }: LocationParts): boolean {
    const folder = checked === undefined ? '' : foldCase(checked.path);
    return this.below([folder]).some(([path]) => !path.slice(folder.length).includes('/.'));
  }

  private below(names: readonly string[]): readonly (readonly [path: string, given: string])[] {
    const isBelow = (path: string): boolean => names.some((name) => path.startsWith(name === '/' ? name : `${name}/`));
    return [...this.paths].filter(([path]) => isBelow(path));
  }

  /**
   * Returns the protected file that a text mentions. Names without a dot, such as `dist`, are too common: for these
   * only the whole path counts. A few other names count only with their folder.
   */
  mentionedIn(text: string): string | undefined {
    const folded = foldCase(text);
    for (const [path, given] of this.paths) {
      const mention = mentionOf(path);
      if (mention !== undefined && folded.includes(mention)) return given;
    }
    return undefined;
  }

  /** True if a path of which only the end is known may be a protected file or contain one. */
  mayEndWith(pathEnd: string | undefined): boolean {
    if (this.isEmpty || pathEnd === undefined) return !this.isEmpty;
    const names = foldCase(pathEnd).split('/');
    const last = names.at(-1) ?? '';
    this.innerNames ??= namesBelow(this.folders);
    if (this.innerNames === 'too many') return true;
    const known = ['', '.', '..', ...this.names, ...this.innerNames];
    return known.some((name) => name === last || (names.length === 1 && name.endsWith(last)));
  }

  private add({ path: given, expendable = false }: ProtectedEntry): void {
    const resolution = resolvePath(given);
    const checked = resolution.type === 'resolved' ? resolution.checked : undefined;
    // A path that resolves to itself contains no link.
    const names = checked?.path === given ? [given] : [posix.normalize(given), resolveParent(given), checked?.path];
    for (const path of names) {
      if (path !== undefined) this.addPath(path.replace(/(?<=.)\/+$/, ''), expendable);
    }
    if (checked?.identity !== undefined) this.identities.add(keyOf(checked.identity));
    if (checked?.identity !== undefined) this.folders.push(checked.path);
  }

  private addPath(given: string, expendable: boolean): void {
    const path = foldCase(given);
    this.paths.set(path, given);
    this.names.add(posix.basename(path));
    if (expendable) return;
    for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
      this.above.add(folder);
      this.names.add(posix.basename(folder));
      if (folder === posix.dirname(folder)) return;
    }
  }

  private relationOfPath(path: string): Relation {
    if (enclosingFolders(path).some((each) => this.paths.has(each))) return 'at';
    return this.above.has(path) ? 'above' : 'apart';
  }
}

/** Parts of many other names and expressions: `tsconfig.json`, `process.env`, `profile.data`. */
const commonNames = new Set(['config.json', '.env', 'profile.d']);

/** What a text must contain to mention a file; undefined if no text is clear enough. */
function mentionOf(path: string): string | undefined {
  const name = posix.basename(path);
  const folder = posix.basename(posix.dirname(path));
  if (commonNames.has(name)) return folder === '' ? undefined : `${folder}/${name}`;
  // Also the name of a field: `user.profile`.
  if (name === '.profile') return `/${name}`;
  return name.includes('.') ? name : path;
}

/** The path and all its parent folders. */
function enclosingFolders(path: string): readonly string[] {
  const all = [path];
  for (let each = path; each !== posix.dirname(each);) all.push((each = posix.dirname(each)));
  return all;
}

/** Searching more entries takes too long for one decision. */
const maxEntries = 10_000;

/** The names of everything in these folders, including behind links. Each folder is read once. */
function namesBelow(folders: readonly string[]): ReadonlySet<string> | 'too many' {
  const names = new Set<string>();
  const seen = new Set(folders);
  let remaining = maxEntries;
  // Entries added during the loop are visited, too.
  for (const folder of seen) {
    const listed = probe(() => readdirSync(folder, { withFileTypes: true }));
    if (listed.type === 'failed') continue;
    remaining -= listed.value.length;
    if (remaining < 0) return 'too many';
    for (const entry of listed.value) {
      const path = posix.join(folder, entry.name);
      const real = entry.isSymbolicLink() ? probe(() => realpathSync.native(path)) : undefined;
      if (real?.type === 'found') seen.add(real.value);
      else if (entry.isDirectory()) seen.add(path);
      names.add(foldCase(entry.name));
    }
  }
  return names;
}

function keyOf({ device, inode }: FileIdentity): string {
  return `${device}:${inode}`;
}
