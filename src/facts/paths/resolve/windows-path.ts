/**
 * Windows path rules as pure functions of text (W07): how Win32 normalises a path before it touches any file. A path is
 * refused if the result depends on hidden state of a machine (current folder of a drive, short names, devices, streams,
 * case-sensitive folders). Links, junctions, mounted volumes and `subst` drives are not resolved.
 */

import { type PathRefusal, refusePath } from './path-refusal.ts';

export interface WindowsPath {
  readonly type: 'path';
  /** `C:\` or `\\server\share\`. */
  readonly root: string;
  readonly names: readonly string[];
  /** Root and names joined, with backslashes only. */
  readonly path: string;
}

export type WindowsPathCheck = { readonly type: 'inside' | 'outside'; readonly path: string } | PathRefusal;

interface RootedWindowsPath {
  readonly type: 'rooted';
  readonly root: string;
  readonly rest: string;
}

const maxPathLength = 32_766;

/** Parses and normalises a Windows path; a path that is not absolute needs `cwd`. */
export function parseWindowsPath(text: unknown, cwd?: string): WindowsPath | PathRefusal {
  if (typeof text !== 'string') return refusePath('is not a string');
  if (text === '') return refusePath('is empty');
  if (text.includes('\0')) return refusePath('contains a NUL character');
  if (!text.isWellFormed()) return refusePath('contains a lone surrogate');
  if (text.length > maxPathLength) return refusePath(`is longer than ${maxPathLength} characters`);
  const path = text.replaceAll('/', '\\');
  if (/^\\[\\?]\?\\/.test(path)) return parseExtended(text);
  if (/^\\\\\.(?:\\|$)/.test(path)) return refusePath('is a device path');
  const rooted = findRoot(path);
  if (rooted.type === 'refused') return rooted;
  if (rooted.root !== '') return normalise(rooted.root, [], rooted.rest);
  return parseFromCwd(rooted.rest, cwd);
}

/** Checks whether a path is inside a workspace: case-insensitive, name by name. */
export function checkWindowsPath(workspace: string, path: string, cwd?: string): WindowsPathCheck {
  const folder = parseWindowsPath(workspace, cwd);
  if (folder.type === 'refused') return refusePath(`cannot be compared: the workspace ${folder.reason}`);
  const parsed = parseWindowsPath(path, cwd);
  if (parsed.type === 'refused') return parsed;
  const outer = [folder.root, ...folder.names].map(foldWindowsName);
  const inner = [parsed.root, ...parsed.names].map(foldWindowsName);
  const inside = outer.every((name, index) => name === inner[index]);
  return { type: inside ? 'inside' : 'outside', path: parsed.path };
}

function parseFromCwd(rest: string, cwd: string | undefined): WindowsPath | PathRefusal {
  const start = cwd === undefined ? refusePath('is missing') : parseAbsolute(cwd);
  if (start.type === 'refused') return refusePath(`is not absolute, and the working folder ${start.reason}`);
  return normalise(start.root, rest.startsWith('\\') ? [] : start.names, rest);
}

function parseAbsolute(text: string): WindowsPath | PathRefusal {
  return /^(?:[a-z]:[\\/]|[\\/]{2}|\\\?\?\\)/i.test(text) ? parseWindowsPath(text) : refusePath('is not absolute');
}

/** After `\\?\` and `\??\` Windows normalises nothing, so names that it would normalise elsewhere are refused. */
function parseExtended(text: string): WindowsPath | PathRefusal {
  const body = /^\\[\\?]\?\\(?<body>.*)$/s.exec(text)?.groups?.['body'];
  if (body === undefined || body.includes('/')) return refusePath('mixes slashes with a verbatim prefix');
  const unc = /^unc\\/i.test(body) ? `\\\\${body.slice(4)}` : undefined;
  if (unc === undefined && !/^[a-z]:\\/i.test(body)) return refusePath('is a device or volume path');
  const rooted = findRoot(unc ?? body);
  if (rooted.type === 'refused') return rooted;
  const names = rooted.rest.replace(/^\\|\\$/g, '').split('\\');
  const isInvalid = names.some((name) => /[. ]$/.test(name)) || (names.length > 1 && names.includes(''));
  if (isInvalid) return refusePath('contains names that only a verbatim path can contain');
  return normalise(rooted.root, [], rooted.rest);
}

/** An empty root: the path is relative, or starts at the root of the current drive. */
function findRoot(path: string): RootedWindowsPath | PathRefusal {
  const drive = /^(?<letter>[a-z]):(?<rest>.*)$/is.exec(path)?.groups;
  if (drive !== undefined) {
    const rest = drive['rest'] ?? '';
    if (!rest.startsWith('\\')) return refusePath('is relative to the hidden current folder of a drive');
    return { type: 'rooted', root: `${drive['letter']?.toUpperCase()}:\\`, rest };
  }
  return path.startsWith('\\\\') ? findShare(path) : { type: 'rooted', root: '', rest: path };
}

function findShare(path: string): RootedWindowsPath | PathRefusal {
  const [server = '', share = '', ...rest] = path.slice(2).split('\\');
  const isInvalid = [server, share].some((name) => /^[. ]*$/.test(name) || /[. ]$/.test(name) || isInvalidName(name));
  if (isInvalid) return refusePath('is not a network path of the form \\\\server\\share');
  if (/^(?:pipe|mailslot|ipc\$)$/i.test(share)) return refusePath('is a network device');
  return { type: 'rooted', root: `\\\\${server}\\${share}\\`, rest: rest.join('\\') };
}

function isInvalidName(name: string): boolean {
  return windowsNameProblem(name) !== undefined;
}

function normalise(root: string, start: readonly string[], rest: string): WindowsPath | PathRefusal {
  const names = [...start];
  const parts = rest.split('\\');
  for (const [index, part] of parts.entries()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      names.pop();
      continue;
    }
    const name = trimName(part, index === parts.length - 1);
    const problem = name === undefined ? 'contains a name that ends in dots or blanks' : windowsNameProblem(name);
    if (name === undefined || problem !== undefined) return refusePath(problem ?? 'is malformed');
    names.push(name);
  }
  return { type: 'path', root, names, path: root + names.join('\\') };
}

/** Win32 removes all dots and blanks at the end of a path, but only a single dot at the end of a name in the middle. */
function trimName(name: string, isLast: boolean): string | undefined {
  const trimmed = isLast ? name.replace(/[. ]+$/, '') : name.replace(/(?<![. ])\.$/, '');
  return trimmed === '' || /[. ]$/.test(trimmed) ? undefined : trimmed;
}

/** Devices in every folder, with any extension and with superscript digits. */
const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
/** `PROGRA~1`: only that machine knows the long name. */
const shortName = /^(?=[^.]{1,8}(?:\.|$))[^.]*~\d+(?:\.[^.]{0,3})?$/;
// eslint-disable-next-line no-control-regex
const illegal = /[\x00-\x1f<>"|?*]/;
const maxNameLength = 255;

/** Returns why a name in a Windows path is refused, or undefined. */
function windowsNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'names an alternate data stream, or contains a colon';
  if (illegal.test(name)) return 'contains a character that Windows names cannot contain';
  if (name.length > maxNameLength) return `contains a name longer than ${maxNameLength} characters`;
  const stem = name.split('.', 1)[0] ?? '';
  if (devices.test(stem.replace(/ +$/, ''))) return 'names a device';
  if (shortName.test(name)) return 'may be a short (8.3) name, whose long name only that machine knows';
  return undefined;
}

/**
 * Converts to upper case as NTFS compares names: one UTF-16 unit for one. Letters whose lower case is another letter
 * (long s, dotless i, the micro sign) stay unchanged: names that Windows treats as different must never become equal
 * here.
 */
function foldWindowsName(name: string): string {
  return name.replace(/[a-z\u0080-\uffff]/g, (unit) => {
    const upper = unit.toUpperCase();
    return upper.length === 1 && upper.toLowerCase() === unit ? upper : unit;
  });
}
