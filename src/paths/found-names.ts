/** The names that `find` and its kin would print or hand on, looked up in the folders they look through (X08). */

import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { posix } from 'node:path';
import type { FileTest, FoundNames } from '../shell/word-choices.ts';
import { getOrMake } from '../lazy.ts';
import { IgnoreRules } from './ignore-files.ts';
import { readNamePattern } from './name-pattern.ts';
import { probe } from './refusal.ts';

/** Looking further takes too long for one decision. */
const mostEntries = 20_000;
/** Every name costs system calls. */
const mostFound = 1000;

interface Entry {
  /** As it is printed. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'f' | 'd' | 'l' | undefined;
  readonly depth: number;
}

/**
 * At least all names that are handed on. Undefined if there are too many, or a folder cannot be read. `looked` gets the
 * folders that were looked through, by their real paths.
 */
export function findNames(list: FoundNames, folder: string, looked: Set<string>): readonly string[] | undefined {
  const walk = new Walk(list, looked);
  for (const root of list.roots) if (!walk.start(root, folder)) return undefined;
  return walk.names;
}

interface Waiting {
  /** Without links. */
  readonly real: string;
  readonly printed: string;
  readonly depth: number;
}

class Walk {
  readonly names: string[] = [];
  private left = mostEntries;
  private readonly rules = new Map<string, IgnoreRules>();

  constructor(
    private readonly list: FoundNames,
    private readonly looked: Set<string>,
  ) {}

  start(root: string, folder: string): boolean {
    const place = root.startsWith('/') ? root : `${folder}/${root}`;
    const found = probe(() => lstatSync(place));
    if (found.type === 'failed') return found.code === 'ENOENT' || found.code === 'ENOTDIR';
    const real = probe(() => realpathSync.native(place));
    const led = probe(() => statSync(place));
    const entry = { path: root, name: posix.basename(root), kind: kindOf(found.value), depth: 0 };
    // Only `find` and those that are given folders print a folder they start from.
    const isUnnamed = !this.list.rooted && led.type === 'found' && led.value.isDirectory();
    const isPruned = !isUnnamed && this.take(entry);
    // A link that leads nowhere has nothing below it.
    if (real.type === 'failed' || led.type === 'failed') return true;
    if (isPruned || !led.value.isDirectory()) return true;
    const printed = this.list.rooted ? (root.endsWith('/') ? root : `${root}/`) : '';
    const waiting: Waiting[] = [{ real: real.value, printed, depth: 1 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!this.look(next, waiting)) return false;
    return this.names.length <= mostFound;
  }

  private look(at: Waiting, waiting: Waiting[]): boolean {
    const { real, printed, depth } = at;
    if (depth > this.list.most) return true;
    const listed = probe(() => readdirSync(real, { withFileTypes: true }));
    if (listed.type === 'failed') return false;
    this.looked.add(real);
    this.left -= listed.value.length;
    if (this.left < 0 || this.names.length > mostFound) return false;
    for (const found of listed.value) {
      const { name } = found;
      // A name that is not UTF-8 cannot be looked up under what it was read as.
      if (name.includes('\uFFFD')) return false;
      if (!this.list.hidden && name.startsWith('.') && !this.mayReturn(real, name)) continue;
      const kind = kindOf(found);
      const isPruned = this.take({ path: printed + name, name, kind, depth });
      if (this.list.tracked && kind === 'l' && !this.enterLink(posix.join(real, name), { ...at, name }, waiting))
        return false;
      if (kind !== 'd' && kind !== undefined) continue;
      if (kind === undefined) return false;
      if (!isPruned) waiting.push({ real: posix.join(real, name), printed: `${printed}${name}/`, depth: depth + 1 });
    }
    return true;
  }

  private mayReturn(folder: string, name: string): boolean {
    if (this.list.ignores !== true) return false;
    return getOrMake(this.rules, folder, () => IgnoreRules.at(folder)).mayReturn(name);
  }

  /** What git tracked in a folder may lie behind a link by now. False: the link leads in a circle. */
  private enterLink(
    path: string,
    { real, printed, depth, name }: Waiting & { name: string },
    waiting: Waiting[],
  ): boolean {
    if (!leadsToFolder(path)) return true;
    const led = probe(() => realpathSync.native(path));
    if (led.type === 'failed' || `${real}/`.startsWith(posix.join(led.value, '/'))) return false;
    waiting.push({ real: led.value, printed: `${printed}${name}/`, depth: depth + 1 });
    return true;
  }

  /** Notes the entry if it may be handed on. True: nothing below it is looked at. */
  private take(entry: Entry): boolean {
    if (entry.depth < this.list.least) return false;
    const outcome = { handed: false, pruned: false, action: this.list.action };
    evaluate(this.list.test, { entry, certain: true }, outcome);
    if (outcome.handed) this.names.push(entry.path);
    if (outcome.handed && this.list.slashes && entry.kind === 'd') this.names.push(`${entry.path}/`);
    return outcome.pruned && this.list.prunes;
  }
}

function kindOf(found: Dirent | Stats): Entry['kind'] {
  if (found.isFile()) return 'f';
  if (found.isDirectory()) return 'd';
  if (found.isSymbolicLink()) return 'l';
  // A pipe, a socket or a device is neither a folder nor a link.
  return found.isFIFO() || found.isSocket() || found.isBlockDevice() || found.isCharacterDevice() ? 'f' : undefined;
}

function leadsToFolder(path: string): boolean {
  const led = probe(() => statSync(path));
  return led.type === 'found' && led.value.isDirectory();
}

interface Outcome {
  handed: boolean;
  pruned: boolean;
  readonly action: number;
}

interface Tested {
  readonly entry: Entry;
  /** False: whether this test is made at all cannot be told. */
  readonly certain: boolean;
}

/** Undefined where it cannot be told. */
function evaluate(test: FileTest, tested: Tested, outcome: Outcome): boolean | undefined {
  const { entry, certain } = tested;
  switch (test.type) {
    case 'name':
      return fits(test.pattern, entry.name, test.folds);
    case 'path':
      return fits(test.pattern, entry.path, test.folds);
    case 'kind':
      // What is neither file, folder nor link was taken for a file.
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
      if (test.index === outcome.action) outcome.handed = true;
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

/** One after the other, until one of them is false, or true with `-o` between them. */
function evaluateAll(
  tests: readonly FileTest[],
  { entry, certain, stops }: Tested & { readonly stops: boolean },
  outcome: Outcome,
): boolean | undefined {
  let result: boolean | undefined = !stops;
  for (const test of tests) {
    const truth = evaluate(test, { entry, certain: certain && result !== undefined }, outcome);
    if (truth === stops) return stops;
    if (truth === undefined) result = undefined;
  }
  return result;
}

/** Undefined where it depends on the locale. */
export function fits(pattern: string, text: string, folds: boolean): boolean | undefined {
  const read = readNamePattern(pattern);
  if ('problem' in read || pattern.includes('[')) return undefined;
  // eslint-disable-next-line no-control-regex
  const isAscii = /^[\0-\u007F]*$/u.test(text + pattern);
  if (!isAscii && (folds || pattern.includes('?'))) return undefined;
  return read.matches(text, folds);
}
