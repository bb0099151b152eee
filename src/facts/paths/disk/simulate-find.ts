/** Predicts the names that `find` and similar programs print or pass on, by searching the same folders (X08). */

import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import type { FileTest, SearchedNames } from '../../shell/words/word-choices.ts';
import { getOrCreate } from '../../../kernel/lazy.ts';
import { diskCosts } from './disk-budget.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import { probe } from '../resolve/path-refusal.ts';
import type { DiskCache } from './disk-cache.ts';

/** Names that cost system calls. */
const maxCostlyNames = 1000;
/** Regular files, which cost none. */
const maxPlainFiles = 20_000;

interface FindEntry {
  /** As printed. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'f' | 'd' | 'l' | undefined;
  readonly depth: number;
  /** Real path of a regular file. */
  readonly realPath?: string | undefined;
}

interface FindContext {
  /** Collects the real paths of the searched folders. */
  readonly searched: Set<string>;
  readonly disk: DiskCache;
}

/** Returns at least all names that are passed on, or undefined if there are too many or a folder cannot be read. */
export function simulateFind(list: SearchedNames, folder: string, look: FindContext): readonly string[] | undefined {
  const walk = new FindWalk(list, folder, look);
  for (const root of list.roots) if (!walk.start(root)) return undefined;
  return walk.names;
}

interface PendingFolder {
  /** Contains no links. */
  readonly real: string;
  readonly printed: string;
  readonly depth: number;
}

class FindWalk {
  readonly names: string[] = [];
  /** The number of names that cost system calls. */
  private costly = 0;
  private isSpent = false;
  private readonly searched: Set<string>;
  private readonly disk: DiskCache;
  private readonly tests = new NamePatternCache();

  constructor(
    private readonly list: SearchedNames,
    private readonly folder: string,
    { searched, disk }: FindContext,
  ) {
    this.searched = searched;
    this.disk = disk;
  }

  start(root: string): boolean {
    if (!this.disk.spend(root.split('/').length * diskCosts.name)) return false;
    const fullPath = root.startsWith('/') ? root : `${this.folder}/${root}`;
    const found = probe(() => lstatSync(fullPath));
    if (found.type === 'failed') return found.code === 'ENOENT' || found.code === 'ENOTDIR';
    const real = probe(() => realpathSync.native(fullPath));
    const target = probe(() => statSync(fullPath));
    const entry = { path: root, name: posix.basename(root), kind: kindOf(found.value), depth: 0 };
    // A start folder is printed only by `find` and by programs that were given folders.
    const isUnnamed = !this.list.rooted && target.type === 'found' && target.value.isDirectory();
    const isPruned = !isUnnamed && this.testEntry(entry);
    // A dangling link has nothing below it.
    if (real.type === 'failed' || target.type === 'failed') return true;
    if (isPruned || !target.value.isDirectory()) return true;
    const printed = this.list.rooted ? (root.endsWith('/') ? root : `${root}/`) : '';
    const pending: PendingFolder[] = [{ real: real.value, printed, depth: 1 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop())
      if (!this.searchFolder(next, pending)) return false;
    return !this.isFull;
  }

  private get isFull(): boolean {
    return this.isSpent || this.costly > maxCostlyNames || this.names.length > maxPlainFiles;
  }

  private searchFolder(at: PendingFolder, pending: PendingFolder[]): boolean {
    const { real, printed, depth } = at;
    if (depth > this.list.maxDepth) return true;
    const listed = this.disk.listFolder(real);
    if (listed === 'unreadable') return false;
    this.searched.add(real);
    const prefix = real === '/' ? real : `${real}/`;
    for (const { name, isFolder, isPlain } of listed.names) {
      if (this.isSkipped(real, name)) continue;
      const path = printed + name;
      const realPath = isPlain ? prefix + name : undefined;
      const isPruned = this.testEntry({ path, name, kind: isFolder ? 'd' : 'f', depth, realPath });
      if (isFolder && !isPruned) pending.push({ real: prefix + name, printed: `${path}/`, depth: depth + 1 });
    }
    for (const { text } of listed.links) {
      const name = posix.basename(text);
      if (this.isSkipped(real, name)) continue;
      this.testEntry({ path: printed + name, name, kind: 'l', depth });
      if (this.list.tracked && !this.enterLink(text, { ...at, name }, pending)) return false;
    }
    // A name that is not valid UTF-8 cannot be looked up by its decoded form.
    return !this.isFull && this.disk.spend(listed.size) && !listed.hasInvalidName;
  }

  private isSkipped(folder: string, name: string): boolean {
    return !this.list.hidden && name.startsWith('.') && !this.mayBeReincluded(folder, name);
  }

  private mayBeReincluded(folder: string, name: string): boolean {
    if (this.list.ignores !== true) return false;
    const rules = this.disk.ignoreRules(folder);
    return !this.disk.spend(rules.cost) || rules.mayBeReincluded(name);
  }

  /** Files that git tracked in a folder may now be behind a link. Returns false if the link leads in a circle. */
  private enterLink(
    path: string,
    { real, printed, depth, name }: PendingFolder & { name: string },
    pending: PendingFolder[],
  ): boolean {
    if (!leadsToFolder(path)) return true;
    const target = probe(() => realpathSync.native(path));
    if (target.type === 'failed' || `${real}/`.startsWith(posix.join(target.value, '/'))) return false;
    pending.push({ real: target.value, printed: `${printed}${name}/`, depth: depth + 1 });
    return true;
  }

  /** Adds the entry if it may be passed on. Returns true if nothing below it is searched. */
  private testEntry(entry: FindEntry): boolean {
    if (this.isSpent) return true;
    if (entry.depth < this.list.minDepth) return false;
    const outcome = { passedOn: false, pruned: false, action: this.list.action, tests: this.tests };
    evaluate(this.list.test, { entry, certain: true }, outcome);
    this.isSpent = !this.disk.spend(this.tests.takeCost());
    if (outcome.passedOn) this.addName(entry);
    if (outcome.passedOn && this.list.slashes && entry.kind === 'd') this.names.push(`${entry.path}/`);
    return outcome.pruned && this.list.prunes;
  }

  private addName({ path, realPath }: FindEntry): void {
    this.names.push(path);
    if (realPath === undefined || !this.disk.rememberFile(path, this.folder, realPath)) this.costly += 1;
  }
}

function kindOf(found: Stats): FindEntry['kind'] {
  if (found.isFile()) return 'f';
  if (found.isDirectory()) return 'd';
  if (found.isSymbolicLink()) return 'l';
  // A pipe, socket or device counts as a file.
  return found.isFIFO() || found.isSocket() || found.isBlockDevice() || found.isCharacterDevice() ? 'f' : undefined;
}

function leadsToFolder(path: string): boolean {
  const target = probe(() => statSync(path));
  return target.type === 'found' && target.value.isDirectory();
}

interface TestResult {
  passedOn: boolean;
  pruned: boolean;
  readonly action: number;
  readonly tests: NamePatternCache;
}

/** Parses each pattern once and counts the cost of matching. */
class NamePatternCache {
  private readonly known = new Map<string, ReturnType<typeof readNamePattern>>();
  private cost = 0;

  matches(pattern: string, text: string, folds: boolean): boolean | undefined {
    const read = getOrCreate(this.known, pattern, () => readNamePattern(pattern));
    this.cost += 1 + (pattern.length * text.length) / 256;
    return matchesPattern({ pattern, read }, text, folds);
  }

  step(): void {
    this.cost += 0.2;
  }

  /** The cost since the last call. */
  takeCost(): number {
    const { cost } = this;
    this.cost = 0;
    return cost;
  }
}

interface TestContext {
  readonly entry: FindEntry;
  /** False if it is unknown whether this test is evaluated at all. */
  readonly certain: boolean;
}

/** Returns undefined if the result is unknown. */
function evaluate(test: FileTest, tested: TestContext, outcome: TestResult): boolean | undefined {
  const { entry, certain } = tested;
  const { tests } = outcome;
  tests.step();
  switch (test.type) {
    case 'name':
      return tests.matches(test.pattern, entry.name, test.folds);
    case 'path':
      return tests.matches(test.pattern, entry.path, test.folds);
    case 'kind':
      // Pipes, sockets and devices have kind `f`, so `-type f` is unknown for them.
      return entry.kind === 'f' && test.kinds.includes('f') ? undefined : test.kinds.includes(entry.kind ?? ' ');
    case 'true':
      return true;
    case 'false':
      return false;
    case 'perhaps':
      return undefined;
    case 'prune':
      if (certain) outcome.pruned = true;
      return true;
    case 'action':
      if (test.index === outcome.action) outcome.passedOn = true;
      return test.succeeds ? true : undefined;
    case 'not': {
      const truth = evaluate(test.test, tested, outcome);
      return truth === undefined ? undefined : !truth;
    }
    case 'all':
    case 'any':
      return evaluateAll(test.tests, { ...tested, stops: test.type === 'any' }, outcome);
    default:
      return test satisfies never;
  }
}

/** Evaluates tests in order until one is false, or, for `-o`, until one is true. */
function evaluateAll(
  tests: readonly FileTest[],
  { entry, certain, stops }: TestContext & { readonly stops: boolean },
  outcome: TestResult,
): boolean | undefined {
  let result: boolean | undefined = !stops;
  for (const test of tests) {
    const truth = evaluate(test, { entry, certain: certain && result !== undefined }, outcome);
    if (truth === stops) return stops;
    if (truth === undefined) result = undefined;
  }
  return result;
}

/** Returns undefined if the result depends on the locale. */
export function matchesFindPattern(pattern: string, text: string, folds: boolean): boolean | undefined {
  return matchesPattern({ pattern, read: readNamePattern(pattern) }, text, folds);
}

interface ParsedPattern {
  readonly pattern: string;
  readonly read: ReturnType<typeof readNamePattern>;
}

function matchesPattern({ pattern, read }: ParsedPattern, text: string, folds: boolean): boolean | undefined {
  if ('problem' in read || pattern.includes('[')) return undefined;
  // eslint-disable-next-line no-control-regex
  const isAscii = /^[\0-\u007F]*$/u.test(text + pattern);
  if (!isAscii && (folds || pattern.includes('?'))) return undefined;
  return read.matches(text, folds);
}
