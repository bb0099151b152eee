/**
 * Operands of checkers, formatters and test runners. Such programs expand patterns and read option files themselves.
 */

import type { FolderReach, ValueRole } from '../usage/value-role.ts';
import { unknownWords, literal, type ShellWord } from '../words/shell-word.ts';
import { prefixOf } from '../words/inspect-word.ts';

export interface SourceArgument {
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  readonly harmless: boolean;
}

/** What a program does with the files it finds. `tests`: patterns only select tests. */
type Use = 'sources' | 'formatted' | 'tests';

/** `@file` contains options, and a URL is fetched. */
const optionsFileOrUrl = /^(?:@|(?:https?|jsr|npm|data|blob|file|git|ssh):)/iu;
/** Characters that the glob libraries of any language treat as special. */
const patternSyntax = /[*?[\]{}|\\]|^!|[!+@]\(/u;

const code =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|vue|svelte|astro|css|scss|sass|less|html|md|mdx|py|pyi|rb|go|rs|java|kt|php|graphql|gql';
/**
 * Policies and manifests have these extensions, so only a program that reads data files may match them by a pattern.
 */
const data = 'json|jsonc|json5|yaml|yml|toml';
const folders = String.raw`(?:(?:[\w@-][\w.@-]*|\*{1,2}|\{[\w@-]+(?:,[\w@-]+)*\})/)*`;

function knownPattern(endings: string): RegExp {
  const list = String.raw`\{(?:${endings})(?:,(?:${endings}))*\}`;
  return new RegExp(String.raw`^(?:\./)?${folders}[\w*-][\w.*-]*\.(?:${endings}|${list})$`, 'u');
}

const knownPatterns: Readonly<Record<'sources' | 'formatted', RegExp>> = {
  sources: knownPattern(`${code}|${data}`),
  formatted: knownPattern(code),
};

const none: readonly string[] = [];

/** Undefined: the word is a plain path. */
export function readSourceArgument(use: Use, word: ShellWord): SourceArgument | undefined {
  const role: ValueRole = use === 'formatted' ? 'writes' : 'reads';
  if (optionsFileOrUrl.test(prefixOf(word)) || texts(word).some((text) => optionsFileOrUrl.test(text)))
    return { word, role: 'harmful', reach: undefined, harmless: false };
  const pattern = texts(word).find((text) => patternSyntax.test(text)) ?? patternOf(word);
  if (use === 'tests' || pattern === undefined) return undefined;
  const isTame = knownPatterns[use].test(pattern) && texts(word).length === 0;
  if (!isTame) return { word: unknownWords(word.text), role, reach: undefined, harmless: false };
  // If bash expands the word, the files on the disk decide.
  return word.type === 'open' ? undefined : { word: folderOf(pattern), role, reach: 'picked', harmless: true };
}

/** The texts that a word with several choices may stand for. */
function texts(word: ShellWord): readonly string[] {
  if (word.type === 'literal' || word.choices === undefined) return none;
  return word.choices.flatMap((choice) => (choice.type === 'text' ? [choice.value] : none));
}

/** The pattern that the program itself expands. A bash glob counts only if other libraries read more into it. */
function patternOf(word: ShellWord): string | undefined {
  if (word.type === 'literal') return patternSyntax.test(word.value) ? word.value : undefined;
  const { glob } = word;
  return glob !== undefined && /\*\*|[{}|\\]|^!|[!+@?*]\(/u.test(glob) ? glob : undefined;
}

/** The folder that contains every file matched by a known pattern. */
function folderOf(pattern: string): ShellWord {
  const names = pattern.split('/').slice(0, -1);
  const end = names.findIndex((name) => patternSyntax.test(name));
  const plain = names.slice(0, end < 0 ? names.length : end);
  return literal(plain.length === 0 ? '.' : plain.join('/'), pattern);
}

/** A script may do anything with its files, including formatting them. */
export function readPassedSource(word: ShellWord): SourceArgument | undefined {
  // `tests/test_x.py::test_y[case]` names a test, not a file.
  if (word.type === 'literal' && /^[\w./-]+\.py::[\w:]+(?:\[[\w.,-]+\])?$/u.test(word.value)) return undefined;
  const found = readSourceArgument('formatted', word);
  return found?.role === 'writes' ? { ...found, role: 'either' } : found;
}
