/** Texts that may hold something else: a file that is read, or code. */

import { folderOfRemote, isAddress, startedByRemote } from './git-names.ts';
import type { Reach, Role } from './role.ts';
import { anything, literal, type ShellWord } from './shell-word.ts';
import type { Holds, Value } from './usage-text.ts';
import { prefixOf, withoutPrefix } from './word-shape.ts';

interface Held {
  readonly role: Role;
  readonly reach: Reach | undefined;
  /** How such a text begins; what follows is what it holds. */
  readonly start: RegExp;
  /** How a text begins of which nothing more need be known. */
  readonly other: RegExp;
}

const held: Readonly<Record<Holds, Held>> = {
  at: { role: 'reads', reach: 'itself', start: /^(?:[^=]*=)?[@<]/u, other: /^$/u },
  url: { role: 'reads', reach: 'itself', start: /^file:(?:\/\/[^/]*(?=\/))?/iu, other: /^(?!file?$)./iu },
  pipe: { role: 'code', reach: undefined, start: /^[|!]/u, other: /^[^|!]/u },
  /** What these say is read with them. */
  remote: { role: 'reads', reach: 'tree', start: /(?!)/u, other: /^/u },
  target: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  revision: { role: 'reads', reach: 'tree', start: /(?!)/u, other: /^/u },
  lines: { role: 'reads', reach: 'itself', start: /^[^]*:/u, other: /^/u },
  options: { role: 'script', reach: undefined, start: /^@/u, other: /^[^@]/u },
  /** GNU tar starts a shell on another machine, unless a slash stands before the colon. */
  host: { role: 'harmful', reach: undefined, start: /^(?=[^/]*:)/u, other: /^[^:]*\// },
  /** `--noEmit false`, `@options`. */
  switch: { role: 'harmful', reach: undefined, start: /^(?=@|(?:true|false|null|undefined)$)/iu, other: /^[^@tfnu]/iu },
  /** Filters that read other files, of jq only at their beginning. */
  filter: { role: 'script', reach: undefined, start: /^(?=[^]*(?:import|include|modulemeta))/u, other: /^[^im\s#]/u },
  /** After the name of a subcommand of yq the filter would follow. */
  expression: {
    role: 'script',
    reach: undefined,
    start: /^(?=[^]*(?:load|import|include|modulemeta|system|exec)|(?:e|ea|eval|eval-all|shell-completion)$)/u,
    other: /(?!)/u,
  },
  /** What a file is called when it is put aside; by another text than the usual ones it may become any other. */
  backup: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  prefix: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  number: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  /** Git finds files by such a text itself. */
  pathspec: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  search: { role: 'reads', reach: 'tree', start: /(?!)/u, other: /^/u },
  /** What these say of others is read with them. */
  format: { role: 'text', reach: undefined, start: /(?!)/u, other: /^/u },
  packed: { role: 'writes', reach: undefined, start: /(?!)/u, other: /^/u },
  output: { role: 'script', reach: undefined, start: /^@/u, other: /^/u },
  name: { role: 'variable', reach: undefined, start: /^(?=[^]*\[[^]*[$`])/u, other: /^/u },
};

export interface HeldText {
  readonly word: ShellWord;
  readonly role: Role;
  readonly reach: Reach | undefined;
  readonly harmless: boolean;
}

/** What the text holds; of a text whose beginning is not known, the text itself. */
export function heldText({ holds }: Value, word: ShellWord): HeldText | undefined {
  if (holds === undefined) return undefined;
  const { role, reach, start, other } = held[holds];
  const found = start.exec(prefixOf(word))?.[0];
  if (holds === 'output' && found === undefined) return outputOf(word);
  if (holds === 'remote' || holds === 'target') return remoteOf(word, held[holds]);
  if (holds === 'lines' && found !== undefined)
    return { word: withoutPrefix(word, found.length), role, reach, harmless: true };
  if (opens[holds]?.(word) === true) return { word: anything(), role, reach, harmless: false };
  if (found !== undefined) return { word: withoutPrefix(word, found.length), role, reach, harmless: false };
  return word.type === 'literal' || other.test(prefixOf(word)) ? undefined : { word, role, reach, harmless: false };
}

/** Code, a helper that git starts, or a repository in a folder; undefined: one that has a name or an address. */
function remoteOf(word: ShellWord, { role, reach }: Held): HeldText | undefined {
  const text = prefixOf(word);
  const started = startedByRemote(text);
  if (started !== undefined)
    return { word: withoutPrefix(word, started.at), role: started.role, reach, harmless: false };
  const folder = folderOfRemote(text);
  if (folder !== undefined) return { word: withoutPrefix(word, folder), role, reach, harmless: false };
  return word.type === 'literal' || isAddress(text) ? undefined : { word, role: 'code', reach, harmless: false };
}

/** The file that curl is told to write within the text of `-w`. */
function outputOf(word: ShellWord): HeldText | undefined {
  const open: HeldText = { word: anything(), role: 'writes', reach: undefined, harmless: false };
  if (word.type === 'open') return open;
  const files = Array.from(word.value.matchAll(/%output\{(?:>>)?([^}]*)/gu), ([, file = '']) => file);
  if (files.length === 0) return undefined;
  const [file = ''] = files;
  return files.length > 1 ? open : { ...open, word: literal(file, word.text), reach: 'itself' };
}

/** What an unpacked file is called. */
export function unpackedName(word: ShellWord): ShellWord {
  if (word.type === 'open') return anything();
  const name = word.value.replace(/[._-][^./_-]*$/u, '');
  return literal(/\.t[a-z]+\d?$/iu.test(word.value) ? `${name}.tar` : name, word.text);
}

/** True of a text by which git finds files. */
function isPattern(word: ShellWord): boolean {
  return word.type === 'literal' && /^:|[*?[\\]/u.test(word.value);
}

/** Texts that stand for files which they do not name. */
const opens: Partial<Record<Holds, (word: ShellWord) => boolean>> = {
  pathspec: isPattern,
  search: isPattern,
  backup: (word) =>
    word.type === 'open' || !/^(?:[.~_-]?(?:bak|backup|back|bk|orig|old|save?|tmp)?~?|~)$/iu.test(word.value),
  prefix: () => true,
  number: (word) => word.type === 'literal' && /#\d/u.test(word.value),
};
