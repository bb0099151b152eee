/** Texts that may hold something else: a file that is read, or code. */

import { remotePathStart, isAddress, remoteHelperOf } from './git-names.ts';
import { readSourceArgument } from './source-argument.ts';
import { readScriptArgument } from './script-argument.ts';
import type { FolderReach, ValueRole } from '../usage/value-role.ts';
import { unknownWords, literal, type ShellWord } from '../words/shell-word.ts';
import type { TextSyntax, ValueKind } from '../usage/parse-usage.ts';
import { appendText } from '../words/word-choices.ts';
import { prefixOf, withoutPrefix } from '../words/inspect-word.ts';

interface SyntaxRule {
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  /** How such a text begins; what follows is what it holds. */
  readonly holdsStart: RegExp;
  /** How a text begins of which nothing more need be known. */
  readonly plainStart: RegExp;
}

/** Reporters, formatters, environments, browsers, interfaces and parsers, one or a list of them. */
const builtinNames =
  `default basic verbose dot line list spec min tap tap-flat json junit progress summary html github blob null
  agent stylish compact unix checkstyle string tsv pretty documentation failures simple clang emacs files offenses
  worst quiet node jsdom happy-dom edge-runtime chrome chromium edge electron firefox webkit bdd tdd qunit exports
  threads forks vmThreads vmForks v8 istanbul babel text text-summary lcov lcovonly clover cobertura json-summary
  babel-ts babel-flow flow typescript espree acorn meriyah css less scss json5 jsonc json-stringify graphql markdown
  mdx vue yaml angular lwc glimmer mjml all true false`.split(/\s+/u);
const unlessBuiltin = new RegExp(`^(?!(?:${builtinNames.join('|')})(?:,(?:${builtinNames.join('|')}))*$)`, 'u');

const syntaxRules: Readonly<Record<TextSyntax, SyntaxRule>> = {
  at: { role: 'reads', reach: 'itself', holdsStart: /^(?:[^=]*=)?[@<]/u, plainStart: /^$/u },
  url: {
    role: 'reads',
    reach: 'itself',
    holdsStart: /^(?:file:(?:\/\/[^/]*(?=\/))?|@)/iu,
    plainStart: /^(?!file?$)./iu,
  },
  pipe: { role: 'code', reach: undefined, holdsStart: /^[|!]/u, plainStart: /^[^|!]/u },
  remote: { role: 'reads', reach: 'tree', holdsStart: /(?!)/u, plainStart: /^/u },
  target: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  revision: { role: 'reads', reach: 'tree', holdsStart: /(?!)/u, plainStart: /^/u },
  lines: { role: 'reads', reach: 'itself', holdsStart: /^[^]*:/u, plainStart: /^/u },
  options: { role: 'script', reach: undefined, holdsStart: /^@/u, plainStart: /^[^@]/u },
  /** GNU tar starts a shell on another machine, unless a slash stands before the colon. */
  host: { role: 'harmful', reach: undefined, holdsStart: /^(?=[^/]*:)/u, plainStart: /^[^:]*\// },
  /** `--noEmit false`, `@options`. */
  switch: {
    role: 'harmful',
    reach: undefined,
    holdsStart: /^(?=@|(?:true|false|null|undefined)$)/iu,
    plainStart: /^[^@tfnu]/iu,
  },
  /** Filters that read other files, of jq only at their beginning. */
  filter: {
    role: 'script',
    reach: undefined,
    holdsStart: /^(?=[^]*(?:import|include|modulemeta))/u,
    plainStart: /^[^im\s#]/u,
  },
  /** After the name of a subcommand of yq the filter would follow. */
  expression: {
    role: 'script',
    reach: undefined,
    holdsStart: /^(?=[^]*(?:load|import|include|modulemeta|system|exec)|(?:e|ea|eval|eval-all|shell-completion)$)/u,
    plainStart: /(?!)/u,
  },
  /** What a file is called when it is put aside; by another text than the usual ones it may become any other. */
  backup: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  prefix: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  number: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  /** `ps axe` shows the environment of every process. */
  letters: { role: 'harmful', reach: undefined, holdsStart: /^(?=[A-Za-z]*e[A-Za-z]*$)/u, plainStart: /^[^A-Za-z]/u },
  /** A connection is opened: `/inet/tcp/0/host/80` by awk, `http://host/x` by others. */
  socket: { role: 'harmful', reach: undefined, holdsStart: /^(?=\/+inet[46]?\/|(?:https?|ftp):)/iu, plainStart: /^/u },
  /** A description of a machine names the linker that is started. */
  machine: { role: 'script', reach: undefined, holdsStart: /^(?=[^]*\.json$)/iu, plainStart: /(?!)/u },
  /** Git finds files by such a text itself. */
  pathspec: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  search: { role: 'reads', reach: 'tree', holdsStart: /(?!)/u, plainStart: /^/u },
  /** What these say of others is read with them. */
  edited: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  packs: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  zipped: { role: 'reads', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  /** A name, or code after an exclamation mark. */
  buffer: { role: 'code', reach: undefined, holdsStart: /^!/u, plainStart: /^[^!]/u },
  zip: { role: 'writes', reach: 'itself', holdsStart: /(?!)/u, plainStart: /^/u },
  /** `@server`: where a query is sent. */
  server: { role: 'text', reach: undefined, holdsStart: /^(?=@)/u, plainStart: /^[^@]/u },
  /** Without `=` it is a file. */
  cookie: { role: 'reads', reach: 'itself', holdsStart: /^(?![^]*=)/u, plainStart: /=/u },
  /** `name=@file;type=text/plain`. */
  form: { role: 'reads', reach: 'itself', holdsStart: /^[^=]*=[@<]/u, plainStart: /^[^=]*=[^@<]/u },
  /** `name@file`. */
  encoded: { role: 'reads', reach: 'itself', holdsStart: /^[^=@]*@/u, plainStart: /^[^=@]*=/u },
  /** A file, or several by a pattern that the program reads itself. */
  globbed: { role: 'reads', reach: 'itself', holdsStart: /(?!)/u, plainStart: /^/u },
  /** A URL whose last part becomes the name of a file. */
  download: {
    role: 'reads',
    reach: 'itself',
    holdsStart: /^file:(?:\/\/[^/]*(?=\/))?/iu,
    plainStart: /^(?!file?$)./iu,
  },
  /** `file:password`. */
  cert: { role: 'reads', reach: 'itself', holdsStart: /^(?=[^]*:)/u, plainStart: /^/u },
  /** A page of the manual is a file if a slash is in its name. */
  page: { role: 'script', reach: undefined, holdsStart: /^(?=[^]*\/)/u, plainStart: /(?!)/u },
  /** What is given to a script of a project; see passed-argument.ts. */
  passed: { role: 'harmful', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  /** What is given to the tests of a project: a name of some, or an option, which may write. */
  argument: {
    role: 'harmful',
    reach: undefined,
    holdsStart:
      /^(?=[^]*\/)|^(?=-)(?!--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|quiet|test-threads=\d+)$|-[DAWF]$)/u,
    plainStart: /^[^-]/u,
  },
  /** Files, or patterns that the program expands; see found-sources.ts. */
  sources: { role: 'harmful', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  formatted: { role: 'harmful', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  tests: { role: 'harmful', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  /** A name for git, or for a shell that calls git: not an option, a path upwards or code. */
  ref: { role: 'harmful', reach: undefined, holdsStart: /^(?!\w(?!.*\.\.)[\w./~^@-]*$)/u, plainStart: /(?!)/u },
  /** `name=file`. */
  keyed: { role: 'reads', reach: 'tree', holdsStart: /^[^=]*=/u, plainStart: /(?!)/u },
  /** What the program brings along; any other name may be a file that is run. */
  builtin: { role: 'script', reach: undefined, holdsStart: unlessBuiltin, plainStart: /(?!)/u },
  /** Rules of rsync, which may stand in a file. */
  rules: { role: 'reads', reach: 'itself', holdsStart: /(?!)/u, plainStart: /^/u },
  /** A file on another machine, unless a slash stands before the colon. */
  endpoint: { role: 'text', reach: undefined, holdsStart: /^(?=[^/]*:)/u, plainStart: /^/u },
  /** `xml:file`: what stands after a colon is written. */
  label: { role: 'writes', reach: undefined, holdsStart: /^[^:]*:/u, plainStart: /(?!)/u },
  format: { role: 'text', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  packed: { role: 'writes', reach: undefined, holdsStart: /(?!)/u, plainStart: /^/u },
  output: { role: 'script', reach: undefined, holdsStart: /^@/u, plainStart: /^/u },
  name: { role: 'variable', reach: undefined, holdsStart: /^(?=[^]*\[[^]*[$`])/u, plainStart: /^/u },
};

export interface EmbeddedValue {
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  readonly harmless: boolean;
}

/** What the text holds; of a text whose beginning is not known, the text itself. */
export function readEmbedded({ syntax: holds }: ValueKind, word: ShellWord): EmbeddedValue | undefined {
  if (holds === undefined) return undefined;
  const { role, reach, holdsStart: start, plainStart: other } = syntaxRules[holds];
  const found = start.exec(prefixOf(word))?.[0];
  if (holds === 'output' && found === undefined) return readWriteOut(word);
  if (holds === 'passed') return readScriptArgument(word);
  if (holds === 'sources' || holds === 'formatted' || holds === 'tests') return readSourceArgument(holds, word);
  if (holds === 'number' && namesUnknownFiles[holds]?.(word) !== true) return readOutputFile(word);
  if (holds === 'remote' || holds === 'target') return readRemote(word, syntaxRules[holds]);
  if (holds === 'lines' && found !== undefined)
    return { word: withoutPrefix(word, found.length), role, reach, harmless: true };
  if (holds === 'url' && isLoopback(word)) return { word, role: 'text', reach: undefined, harmless: true };
  if (namesUnknownFiles[holds]?.(word) === true || (namesUnknownFiles[holds] !== undefined && hasChoices(word)))
    return { word: unknownWords(), role, reach, harmless: false };
  if (found !== undefined)
    return { word: trimEmbedded(holds, withoutPrefix(word, found.length)), role, reach, harmless: false };
  return word.type === 'literal' || other.test(prefixOf(word)) ? undefined : { word, role, reach, harmless: false };
}

/** `-o /dev/null` writes nothing. */
function readOutputFile(word: ShellWord): EmbeddedValue {
  const isNothing = word.type === 'literal' && /^(?:\/dev\/null|-)$/u.test(word.value);
  return isNothing
    ? { word, role: 'text', reach: undefined, harmless: true }
    : { word, role: 'writes', reach: 'itself', harmless: false };
}

/** Only this machine is asked: `localhost:3000/health`. Braces and brackets would stand for several addresses. */
function isLoopback(word: ShellWord): boolean {
  const address = /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#][^{}[\]\\]*)?$/iu;
  return word.type === 'literal' && address.test(word.value);
}

/** Code, a helper that git starts, or a repository in a folder; undefined: one that has a name or an address. */
function readRemote(word: ShellWord, { role, reach }: SyntaxRule): EmbeddedValue | undefined {
  const text = prefixOf(word);
  const started = remoteHelperOf(text);
  if (started !== undefined)
    return { word: withoutPrefix(word, started.at), role: started.role, reach, harmless: false };
  const folder = remotePathStart(text);
  if (folder !== undefined) return { word: withoutPrefix(word, folder), role, reach, harmless: false };
  return word.type === 'literal' || isAddress(text) ? undefined : { word, role: 'code', reach, harmless: false };
}

/** Of which kind a file is stands after a semicolon, a password after a colon. */
function trimEmbedded(holds: TextSyntax, word: ShellWord): ShellWord {
  if (word.type === 'open' || (holds !== 'form' && holds !== 'cert')) return word;
  return literal(word.value.replace(holds === 'form' ? /;[^]*$/u : /:[^]*$/u, ''), word.text);
}

/** The file that curl is told to write within the text of `-w`. */
function readWriteOut(word: ShellWord): EmbeddedValue | undefined {
  const open: EmbeddedValue = { word: unknownWords(), role: 'writes', reach: undefined, harmless: false };
  if (word.type === 'open') return open;
  const files = Array.from(word.value.matchAll(/%output\{(?:>>)?([^}]*)/gu), ([, file = '']) => file);
  if (files.length === 0) return undefined;
  const [file = ''] = files;
  return files.length > 1 ? open : { ...open, word: literal(file, word.text), reach: 'itself' };
}

/** What an unpacked file is called. */
function unpackedName(word: ShellWord): ShellWord {
  if (word.type === 'open') return unknownWords();
  const name = word.value.replace(/[._-][^./_-]*$/u, '');
  return literal(/\.t[a-z]+\d?$/iu.test(word.value) ? `${name}.tar` : name, word.text);
}

/** Which of several names a text holds is not read any further. */
function hasChoices(word: ShellWord): boolean {
  return word.type === 'open' && word.choices !== undefined;
}

/** True of a text by which git finds files. */
function isPattern(word: ShellWord): boolean {
  return word.type === 'literal' && /^:|[*?[\\]/u.test(word.value);
}

const readableExtensions = ['.gz', '.z', '-gz', '-z', '_z', '.Z', '.tgz'];
const packedExtensions = ['.gz', '.bz2', '.xz', '.zst', '.lz4', '.lzma', '.lzo', '.lz', '.br', '.Z'];

/** Further files that such an operand stands for. */
export function additionalFiles(holds: TextSyntax, word: ShellWord): readonly ExtraFile[] {
  switch (holds) {
    case 'packed':
      return [
        { role: 'writes', word: unpackedName(word) },
        { role: 'reads', word },
      ];
    case 'formatted':
      return [{ role: 'reads', word: readSourceArgument(holds, word)?.word ?? word }];
    case 'edited':
    case 'buffer':
      return prefixOf(word).startsWith('file:') ? uriFiles : [{ role: 'reads', word }];
    case 'packs':
      return [{ role: 'reads', word }, ...withExtensions('writes', word, packedExtensions)];
    case 'download':
      return [{ role: 'writes', word: downloadName(word) }];
    case 'filter':
    case 'expression':
      return syntaxRules[holds].holdsStart.test(prefixOf(word)) ? [{ role: 'reads', word: unknownWords() }] : [];
    case 'zip':
      return /\.[^/]*$/u.test(prefixOf(word)) ? [] : withExtensions('writes', word, ['.zip']);
    case 'zipped':
      return withExtensions('reads', word, readableExtensions);
    default:
      return [];
  }
}

/** What a downloaded file is called; a text that the program decodes or expands may become any name. */
function downloadName(word: ShellWord): ShellWord {
  if (word.type === 'open' || /[%{[]/u.test(word.value)) return unknownWords();
  const name = word.value.replace(/^[a-z]+:\/\/[^/]*/iu, '').replace(/^.*\//su, '');
  return literal(name === '' ? 'index.html' : name, word.text);
}

const uriFiles: readonly ExtraFile[] = [
  { role: 'reads', word: unknownWords() },
  { role: 'writes', word: unknownWords() },
];

interface ExtraFile {
  readonly role: 'reads' | 'writes';
  readonly word: ShellWord;
}

/** The name with each of these ends, unless it has one. */
function withExtensions(role: ExtraFile['role'], word: ShellWord, ends: readonly string[]): readonly ExtraFile[] {
  if (word.type === 'open') {
    const { choices } = word;
    return choices === undefined
      ? []
      : ends.map((end) => ({ role, word: { ...word, choices: appendText(choices, end) } }));
  }
  if (role === 'reads' && ends.some((end) => word.value.endsWith(end))) return [];
  return ends.map((end) => ({ role, word: literal(`${word.value}${end}`, word.text) }));
}

/** Texts that stand for files which they do not name. */
const namesUnknownFiles: Partial<Record<TextSyntax, (word: ShellWord) => boolean>> = {
  pathspec: isPattern,
  search: isPattern,
  backup: (word) =>
    word.type === 'open' || !/^(?:[.~_-]?(?:bak|backup|back|bk|orig|old|save?|tmp)?~?|~)$/iu.test(word.value),
  prefix: () => true,
  rules: (word) => word.type === 'open' || /^(?:dir-)?merge|^[.:]/u.test(word.value),
  // curl decodes and expands such texts itself.
  url: (word) => word.type === 'literal' && /^file:[^]*[%{[?#]|^[^/:]*[{[]/iu.test(word.value),
  form: (word) => word.type === 'literal' && /^[^=]*=[@<][^]*[",\\]/u.test(word.value),
  globbed: (word) => word.type === 'literal' && /[{[*?]/u.test(word.value),
  number: (word) => word.type === 'literal' && /#\d/u.test(word.value),
};
