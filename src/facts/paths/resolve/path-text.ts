/** Interprets the text of a path argument before the file system is asked: `~`, `file://`, relative or absolute. */

import { posix } from 'node:path';
import { homeFolder } from '../../../files/home-folder.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { probe, refusePath, type PathRefusal } from './path-refusal.ts';

export interface PathBase {
  /** The folder that relative paths start from; absolute. */
  readonly cwd: string;
  /** The folder that `~` means; the user's home folder by default. */
  readonly home?: string | undefined;
}

/** Absolute, not normalised. If programs interpret the text differently, all interpretations: they must agree. */
export interface PathReading {
  readonly type: 'read';
  readonly texts: readonly string[];
}

/** As Linux counts: PATH_MAX includes the terminating NUL. */
const maxPathBytes = 4095;
const maxNameBytes = 255;

export function readPathText(given: unknown, base: PathBase): PathReading | PathRefusal {
  if (typeof given !== 'string') return refusePath(`is ${kindOf(given)}, not a string`);
  if (given === '') return refusePath('is empty');
  if (given.includes('\0')) return refusePath('contains a NUL character');
  if (!given.isWellFormed()) return refusePath('contains a lone surrogate, which file names cannot contain');
  const texts = looksLikeFileUrl(given) ? readFileUrl(given) : expandHome(given, base);
  if (!Array.isArray(texts)) return texts;
  return readAbsolute(texts, base.cwd);
}

function readAbsolute(texts: readonly string[], cwd: string): PathReading | PathRefusal {
  if (!posix.isAbsolute(cwd) || cwd.includes('\0'))
    return refusePath('cannot be resolved: the working folder is not an absolute path');
  const absolute = texts.map((text) => (posix.isAbsolute(text) ? text : `${cwd}/${text}`));
  const tooLong = absolute.map(refuseIfTooLong).find((refusal) => refusal !== undefined);
  return tooLong ?? { type: 'read', texts: absolute };
}

/** The kernel stops at the first missing folder, so the names after it are measured here. */
export function refuseIfTooLong(text: string): PathRefusal | undefined {
  // Each UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxNameBytes) return undefined;
  if (Buffer.byteLength(text) > maxPathBytes) return refusePath(`is longer than ${maxPathBytes} bytes`);
  const isLong = text.split('/').some((name) => Buffer.byteLength(name) > maxNameBytes);
  return isLong ? refusePath(`contains a name longer than ${maxNameBytes} bytes`) : undefined;
}

/** `~user` is not expanded: its meaning depends on the program, so it is a normal name. */
function expandHome(given: string, base: PathBase): string[] | PathRefusal {
  if (given !== '~' && !given.startsWith('~/')) return [given];
  const home = probe(() => base.home ?? homeFolder());
  if (home.type === 'failed' || !posix.isAbsolute(home.value))
    return refusePath('starts with ~, but the home folder is unknown');
  return [home.value + given.slice(1)];
}

/** URL parsers skip leading whitespace and all tabs and newlines, so a scheme hidden that way counts, too. */
function looksLikeFileUrl(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\x01-\x20]*file:/i.test(text.replace(/[\t\n\r]/g, ''));
}

function readFileUrl(given: string): string[] | PathRefusal {
  const parts = /^file:\/\/(?<host>[^/]*)(?<path>\/.*)$/is.exec(given)?.groups;
  const path = parts?.['path'];
  if (path === undefined) return refusePath('is not a file URL of the form file:///path');
  const host = parts?.['host'] ?? '';
  if (host !== '' && host.toLowerCase() !== 'localhost') return refusePath('is a file URL of another host');
  if (/[?#]/.test(path)) return refusePath('is a file URL with a query or a fragment');
  if (/[\\\t\n\r]/.test(path)) return refusePath('is a file URL with a character that URL parsers rewrite');
  if (/%(?:2f|00)/i.test(path)) return refusePath('is a file URL with an encoded slash or NUL');
  const decoded = probe(() => decodeURIComponent(path));
  if (decoded.type === 'failed') return refusePath('is a file URL with broken percent-encoding');
  return readDotSegments(decoded.value);
}

/** URL parsers remove `..` as text, the kernel follows links first: both interpretations count. */
function readDotSegments(path: string): string[] {
  return path.split('/').includes('..') ? [path, posix.normalize(path)] : [path];
}
