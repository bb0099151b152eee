/** How git reads names of repositories and of files in its history. */

import type { ValueRole } from '../usage/value-role.ts';
import { literal, type ShellWord } from '../words/shell-word.ts';
import { prefixOf } from '../words/inspect-word.ts';

interface RemoteHelper {
  readonly role: ValueRole;
  /** Where the code to run starts in the text. */
  readonly at: number;
}

/** Addresses that git or ssh connects to itself. */
const builtInSchemes = /^(?:https?|ftps?|ssh|git|git\+ssh|ssh\+git|file):\/\//iu;

/** `ext::code` runs the code. `name::address` and `name://address` run the program `git-remote-name`. */
export function remoteHelperOf(text: string): RemoteHelper | undefined {
  if (!text.includes('::') && !text.includes('://')) return undefined;
  if (/^ext::/iu.test(text)) return { role: 'code', at: 5 };
  return builtInSchemes.test(text) || !/^[\w+.-]*:(?::|\/\/)/u.test(text) ? undefined : { role: 'harmful', at: 0 };
}

/** True if the text starts with an address or a host. */
export function isAddress(text: string): boolean {
  return builtInSchemes.test(text) || /^[\w.@-]+:[^:]/u.test(text);
}

/** Where the path of a local repository starts in the text. Undefined for a name or an address. */
export function remotePathStart(text: string): number | undefined {
  const url = /^file:\/\/[^/]*(?=\/)/iu.exec(text);
  if (url !== null) return url[0].length;
  return /^(?:[./~]|[^:]*\/)/u.test(text) ? 0 : undefined;
}

/** The files named by `HEAD:file`, `:0:file`, `:(top)file` or `HEAD:file..main:file`. Empty for other texts. */
export function filesOfRevision(word: ShellWord): readonly ShellWord[] {
  const text = prefixOf(word);
  // A word that is not literal may contain a colon.
  if (word.type === 'open') return [word];
  if (!text.includes(':')) return [];
  const plain = text.replaceAll(/[@^]\{[^}]*\}/gu, '');
  const found = plain.split(/\.{2,3}(?![./]|$)/u).flatMap((part) => fileIn(part) ?? []);
  return found.map((path) => literal(path, word.text));
}

function fileIn(text: string): string | undefined {
  const magic = /^:(?:\((?<words>[^)]*)\)|[0-3]:|(?<signs>[/!^]*))/u.exec(text);
  if (magic !== null) {
    const { words = '', signs = '' } = magic.groups ?? {};
    return words.includes('exclude') || /[!^]/u.test(signs) ? undefined : text.slice(magic[0].length);
  }
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}
