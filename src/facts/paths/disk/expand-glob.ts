/** Expands a glob as bash would, using the files that exist now (X08). */

import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { diskCosts } from './disk-budget.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import { probe } from '../resolve/path-refusal.ts';
import { DiskCache } from './disk-cache.ts';

/** If a glob expands to more names, they are not looked up one by one. */
export const maxNames = 200;
const maxEntries = 5000;

/**
 * Returns the paths, relative if the pattern is, or the literal pattern if nothing matches. Returns undefined if there
 * are too many, or a folder cannot be read. Adds the real paths of the folders it reads to `searched`.
 */
export function expandGlob(
  pattern: string,
  folder: string,
  { searched, disk = new DiskCache() }: ExpandOptions = {},
): readonly string[] | undefined {
  const budget = { entries: maxEntries, searched, disk };
  const isRooted = pattern.startsWith('/');
  let found: readonly string[] | undefined = [isRooted ? '/' : ''];
  for (const name of pattern.split('/').filter((part) => part !== '')) {
    found = found.length > maxNames ? undefined : expandName(found, { name, folder, budget });
    if (found === undefined) return undefined;
  }
  if (found.length > maxNames || !disk.spend(found.length * diskCosts.call)) return undefined;
  // A dangling link matches, too.
  const exist = found.filter((path) => probe(() => lstatSync(isRooted ? path : `${folder}/${path}`)).type === 'found');
  // Whether `.*` matches `.` and `..` depends on the bash version, so both are possible.
  const mayBeLiteral = exist.length === 0 || /(?:^|\/)\\?\.[^/]*[*?]/u.test(pattern);
  return mayBeLiteral ? [...exist, pattern.replaceAll(/\\(.)/gsu, '$1')] : exist;
}

interface ExpandOptions {
  readonly searched?: Set<string> | undefined;
  readonly disk?: DiskCache | undefined;
}

interface Step {
  readonly name: string;
  readonly folder: string;
  readonly budget: { entries: number; readonly searched: Set<string> | undefined; readonly disk: DiskCache };
}

function expandName(starts: readonly string[], { name, folder, budget }: Step): readonly string[] | undefined {
  const pattern = readNamePattern(name);
  if ('problem' in pattern) return undefined;
  const { literal } = pattern;
  if (literal !== undefined) return starts.map((start) => join(start, literal));
  const isHidden = name.startsWith('.') || name.startsWith('\\.');
  const found: string[] = [];
  for (const start of starts) {
    const fullPath = start.startsWith('/') ? start : `${folder}/${start}`;
    if (!budget.disk.spend(diskCosts.folder)) return undefined;
    const listed = probe(() => readdirSync(fullPath, { encoding: 'utf8' }));
    // A file has no entries. A folder that cannot be read may have some.
    if (listed.type === 'failed' && listed.code !== 'ENOTDIR' && listed.code !== 'ENOENT') return undefined;
    const names = listed.type === 'found' ? listed.value : [];
    if (budget.searched !== undefined && listed.type === 'found') budget.searched.add(realpathSync.native(fullPath));
    budget.entries -= names.length;
    // A name that is not valid UTF-8 cannot be looked up by its decoded form.
    if (budget.entries < 0 || !budget.disk.spend(names.length * diskCosts.entry)) return undefined;
    if (names.some((each) => each.includes('\uFFFD'))) return undefined;
    const visible = isHidden ? ['.', '..', ...names] : names.filter((each) => !each.startsWith('.'));
    if (visible.some((each) => dependsOnLocale(name, each))) return undefined;
    found.push(...visible.filter((each) => pattern.matches(each, false)).map((each) => join(start, each)));
  }
  return found;
}

/** Without a UTF-8 locale, bash matches bytes: `?` then matches only a part of `é`. */
function dependsOnLocale(text: string, name: string): boolean {
  if (!text.includes('?') || !/[^\0-\u007F]/u.test(name)) return false;
  const pattern = readNamePattern(text);
  const ofBytes = readNamePattern(asBytes(text));
  if ('problem' in pattern || 'problem' in ofBytes) return true;
  return pattern.matches(name, false) !== ofBytes.matches(asBytes(name), false);
}

function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function join(start: string, name: string): string {
  return start === '' || start.endsWith('/') ? start + name : `${start}/${name}`;
}
