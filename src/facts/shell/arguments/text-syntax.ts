/** Text arguments with a syntax that can name a file or contain code. */

import { remotePathStart, isAddress, remoteHelperOf } from './git-names.ts';
import { readSourceArgument } from './source-argument.ts';
import { readScriptArgument } from './package-script-argument.ts';
import type { FolderReach, ValueRole } from '../usage/value-role.ts';
import { unknownWords, literal, type ShellWord } from '../words/shell-word.ts';
import type { TextSyntax, ValueKind } from '../usage/parse-usage.ts';
import { appendText } from '../words/word-choices.ts';
import { prefixOf, withoutPrefix } from '../words/inspect-word.ts';

interface SyntaxRule {
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  /** Matches the start of a text that embeds something. The rest is the embedded value. */
  readonly embeds: RegExp;
  /** Matches the start of a text that is certainly plain. */
  readonly plain: RegExp;
}

/** Built-in reporters, formatters, environments, browsers, interfaces and parsers; one or a comma-separated list. */
const builtinNames =
  `default basic verbose dot line list spec min tap tap-flat json junit progress summary html github blob null
  agent stylish compact unix checkstyle string tsv pretty documentation failures simple clang emacs files offenses
  worst quiet node jsdom happy-dom edge-runtime chrome chromium edge electron firefox webkit bdd tdd qunit exports
  threads forks vmThreads vmForks v8 istanbul babel text text-summary lcov lcovonly clover cobertura json-summary
  babel-ts babel-flow flow typescript espree acorn meriyah css less scss json5 jsonc json-stringify graphql markdown
  mdx vue yaml angular lwc glimmer mjml all true false`.split(/\s+/u);
const unlessBuiltin = new RegExp(`^(?!(?:${builtinNames.join('|')})(?:,(?:${builtinNames.join('|')}))*$)`, 'u');

const syntaxRules: Readonly<Record<TextSyntax, SyntaxRule>> = {
  at: { role: 'reads', reach: 'itself', embeds: /^(?:[^=]*=)?[@<]/u, plain: /^$/u },
  url: { role: 'reads', reach: 'itself', embeds: /^(?:file:(?:\/\/[^/]*(?=\/))?|@)/iu, plain: /^(?!file?$)./iu },
  pipe: { role: 'code', reach: undefined, embeds: /^[|!]/u, plain: /^[^|!]/u },
  remote: { role: 'reads', reach: 'tree', embeds: /(?!)/u, plain: /^/u },
  target: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  revision: { role: 'reads', reach: 'tree', embeds: /(?!)/u, plain: /^/u },
  lines: { role: 'reads', reach: 'itself', embeds: /^[^]*:/u, plain: /^/u },
  options: { role: 'script', reach: undefined, embeds: /^@/u, plain: /^[^@]/u },
  /** GNU tar starts a shell on another machine, unless a slash precedes the colon. */
  host: { role: 'harmful', reach: undefined, embeds: /^(?=[^/]*:)/u, plain: /^[^:]*\// },
  /** `--noEmit false`, `@options`. */
  switch: {
    role: 'harmful',
    reach: undefined,
    embeds: /^(?=@|(?:true|false|null|undefined)$)/iu,
    plain: /^[^@tfnu]/iu,
  },
  /** Filters that read other files. jq allows this only at the start. */
  filter: { role: 'script', reach: undefined, embeds: /^(?=[^]*(?:import|include|modulemeta))/u, plain: /^[^im\s#]/u },
  /** In yq, a subcommand name may come first, and the filter follows. */
  expression: {
    role: 'script',
    reach: undefined,
    embeds: /^(?=[^]*(?:load|import|include|modulemeta|system|exec)|(?:e|ea|eval|eval-all|shell-completion)$)/u,
    plain: /(?!)/u,
  },
  /** The suffix of a backup file. An unusual suffix may turn the name into any other file. */
  backup: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  prefix: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  number: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  /** `ps axe` shows the environment of every process. */
  letters: { role: 'harmful', reach: undefined, embeds: /^(?=[A-Za-z]*e[A-Za-z]*$)/u, plain: /^[^A-Za-z]/u },
  /** Opens a connection: `/inet/tcp/0/host/80` in awk, `http://host/x` in other programs. */
  socket: { role: 'harmful', reach: undefined, embeds: /^(?=\/+inet[46]?\/|(?:https?|ftp):)/iu, plain: /^/u },
  /** A target description names the linker to start. */
  machine: { role: 'script', reach: undefined, embeds: /^(?=[^]*\.json$)/iu, plain: /(?!)/u },
  /** git expands such a text to files itself. */
  pathspec: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  search: { role: 'reads', reach: 'tree', embeds: /(?!)/u, plain: /^/u },
  /** `additionalFiles` adds the files these imply. */
  edited: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  packs: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  zipped: { role: 'reads', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  /** A file name, or code after an exclamation mark. */
  buffer: { role: 'code', reach: undefined, embeds: /^!/u, plain: /^[^!]/u },
  zip: { role: 'writes', reach: 'itself', embeds: /(?!)/u, plain: /^/u },
  /** `@server`: the server that receives the query. */
  server: { role: 'text', reach: undefined, embeds: /^(?=@)/u, plain: /^[^@]/u },
  /** A file unless it contains `=`. */
  cookie: { role: 'reads', reach: 'itself', embeds: /^(?![^]*=)/u, plain: /=/u },
  /** `name=@file;type=text/plain`. */
  form: { role: 'reads', reach: 'itself', embeds: /^[^=]*=[@<]/u, plain: /^[^=]*=[^@<]/u },
  /** `name@file`. */
  encoded: { role: 'reads', reach: 'itself', embeds: /^[^=@]*@/u, plain: /^[^=@]*=/u },
  /** A file, or several files by a pattern that the program expands itself. */
  globbed: { role: 'reads', reach: 'itself', embeds: /(?!)/u, plain: /^/u },
  /** A URL whose last part becomes a file name. */
  download: { role: 'reads', reach: 'itself', embeds: /^file:(?:\/\/[^/]*(?=\/))?/iu, plain: /^(?!file?$)./iu },
  /** `file:password`. */
  cert: { role: 'reads', reach: 'itself', embeds: /^(?=[^]*:)/u, plain: /^/u },
  /** A manual page is a file if its name contains a slash. */
  page: { role: 'script', reach: undefined, embeds: /^(?=[^]*\/)/u, plain: /(?!)/u },
  /** An argument for a script of the project; see script-argument.ts. */
  passed: { role: 'harmful', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  /** An argument for the tests of the project: a test name, or an option, which may write. */
  argument: {
    role: 'harmful',
    reach: undefined,
    embeds:
      /^(?=[^]*\/)|^(?=-)(?!--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|quiet|test-threads=\d+)$|-[DAWF]$)/u,
    plain: /^[^-]/u,
  },
  /** Files, or patterns that the program expands; see source-argument.ts. */
  sources: { role: 'harmful', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  formatted: { role: 'harmful', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  tests: { role: 'harmful', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  /** A name for git, or for a shell that calls git. Not an option, a path upwards or code. */
  ref: { role: 'harmful', reach: undefined, embeds: /^(?!\w(?!.*\.\.)[\w./~^@-]*$)/u, plain: /(?!)/u },
  /** `name=file`. */
  keyed: { role: 'reads', reach: 'tree', embeds: /^[^=]*=/u, plain: /(?!)/u },
  /** A built-in name. Any other name may be a file that is run. */
  builtin: { role: 'script', reach: undefined, embeds: unlessBuiltin, plain: /(?!)/u },
  /** Filter rules of rsync, which may come from a file. */
  rules: { role: 'reads', reach: 'itself', embeds: /(?!)/u, plain: /^/u },
  /** A file on another machine, unless a slash precedes the colon. */
  endpoint: { role: 'text', reach: undefined, embeds: /^(?=[^/]*:)/u, plain: /^/u },
  /** `xml:file`: the file after the colon is written. */
  label: { role: 'writes', reach: undefined, embeds: /^[^:]*:/u, plain: /(?!)/u },
  format: { role: 'text', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  packed: { role: 'writes', reach: undefined, embeds: /(?!)/u, plain: /^/u },
  output: { role: 'script', reach: undefined, embeds: /^@/u, plain: /^/u },
  name: { role: 'variable', reach: undefined, embeds: /^(?=[^]*\[[^]*[$`])/u, plain: /^/u },
};

export interface EmbeddedValue {
  readonly word: ShellWord;
  readonly role: ValueRole;
  readonly reach: FolderReach | undefined;
  readonly harmless: boolean;
}

/** The file or code that the text embeds. If its start is not known, the text itself. */
export function readEmbedded({ syntax }: ValueKind, word: ShellWord): EmbeddedValue | undefined {
  if (syntax === undefined) return undefined;
  const { role, reach, embeds, plain } = syntaxRules[syntax];
  const found = embeds.exec(prefixOf(word))?.[0];
  if (syntax === 'output' && found === undefined) return readWriteOut(word);
  if (syntax === 'passed') return readScriptArgument(word);
  if (syntax === 'sources' || syntax === 'formatted' || syntax === 'tests') return readSourceArgument(syntax, word);
  if (syntax === 'number' && namesUnknownFiles[syntax]?.(word) !== true) return readOutputFile(word);
  if (syntax === 'remote' || syntax === 'target') return readRemote(word, syntaxRules[syntax]);
  if (syntax === 'lines' && found !== undefined)
    return { word: withoutPrefix(word, found.length), role, reach, harmless: true };
  if (syntax === 'url' && isLoopback(word)) return { word, role: 'text', reach: undefined, harmless: true };
  if (namesUnknownFiles[syntax]?.(word) === true || (namesUnknownFiles[syntax] !== undefined && hasChoices(word)))
    return { word: unknownWords(), role, reach, harmless: false };
  if (found !== undefined)
    return { word: trimEmbedded(syntax, withoutPrefix(word, found.length)), role, reach, harmless: false };
  return word.type === 'literal' || plain.test(prefixOf(word)) ? undefined : { word, role, reach, harmless: false };
}

/** `-o /dev/null` writes nothing. */
function readOutputFile(word: ShellWord): EmbeddedValue {
  const isNothing = word.type === 'literal' && /^(?:\/dev\/null|-)$/u.test(word.value);
  return isNothing
    ? { word, role: 'text', reach: undefined, harmless: true }
    : { word, role: 'writes', reach: 'itself', harmless: false };
}

/** A request to this machine: `localhost:3000/health`. Braces and brackets would expand to several addresses. */
function isLoopback(word: ShellWord): boolean {
  const address = /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#][^{}[\]\\]*)?$/iu;
  return word.type === 'literal' && address.test(word.value);
}

/** Code, a helper that git starts, or a local repository. Undefined for a remote name or an address. */
function readRemote(word: ShellWord, { role, reach }: SyntaxRule): EmbeddedValue | undefined {
  const text = prefixOf(word);
  const started = remoteHelperOf(text);
  if (started !== undefined)
    return { word: withoutPrefix(word, started.at), role: started.role, reach, harmless: false };
  const folder = remotePathStart(text);
  if (folder !== undefined) return { word: withoutPrefix(word, folder), role, reach, harmless: false };
  return word.type === 'literal' || isAddress(text) ? undefined : { word, role: 'code', reach, harmless: false };
}

/** A semicolon separates the file type, a colon the password. */
function trimEmbedded(syntax: TextSyntax, word: ShellWord): ShellWord {
  if (word.type === 'open' || (syntax !== 'form' && syntax !== 'cert')) return word;
  return literal(word.value.replace(syntax === 'form' ? /;[^]*$/u : /:[^]*$/u, ''), word.text);
}

/** The file that `%output{file}` in the value of `curl -w` writes. */
function readWriteOut(word: ShellWord): EmbeddedValue | undefined {
  const open: EmbeddedValue = { word: unknownWords(), role: 'writes', reach: undefined, harmless: false };
  if (word.type === 'open') return open;
  const files = Array.from(word.value.matchAll(/%output\{(?:>>)?([^}]*)/gu), ([, file = '']) => file);
  if (files.length === 0) return undefined;
  const [file = ''] = files;
  return files.length > 1 ? open : { ...open, word: literal(file, word.text), reach: 'itself' };
}

/** The name of an unpacked file. */
function unpackedName(word: ShellWord): ShellWord {
  if (word.type === 'open') return unknownWords();
  const name = word.value.replace(/[._-][^./_-]*$/u, '');
  return literal(/\.t[a-z]+\d?$/iu.test(word.value) ? `${name}.tar` : name, word.text);
}

/** True if the text has several choices. These are not inspected further. */
function hasChoices(word: ShellWord): boolean {
  return word.type === 'open' && word.choices !== undefined;
}

/** True if git expands the text to files. */
function isPattern(word: ShellWord): boolean {
  return word.type === 'literal' && /^:|[*?[\\]/u.test(word.value);
}

const readableExtensions = ['.gz', '.z', '-gz', '-z', '_z', '.Z', '.tgz'];
const packedExtensions = ['.gz', '.bz2', '.xz', '.zst', '.lz4', '.lzma', '.lzo', '.lz', '.br', '.Z'];

/** Additional files that an operand stands for. */
export function additionalFiles(syntax: TextSyntax, word: ShellWord): readonly ExtraFile[] {
  switch (syntax) {
    case 'packed':
      return [
        { role: 'writes', word: unpackedName(word) },
        { role: 'reads', word },
      ];
    case 'formatted':
      return [{ role: 'reads', word: readSourceArgument(syntax, word)?.word ?? word }];
    case 'edited':
    case 'buffer':
      return prefixOf(word).startsWith('file:') ? uriFiles : [{ role: 'reads', word }];
    case 'packs':
      return [{ role: 'reads', word }, ...withExtensions('writes', word, packedExtensions)];
    case 'download':
      return [{ role: 'writes', word: downloadName(word) }];
    case 'filter':
    case 'expression':
      return syntaxRules[syntax].embeds.test(prefixOf(word)) ? [{ role: 'reads', word: unknownWords() }] : [];
    case 'zip':
      return /\.[^/]*$/u.test(prefixOf(word)) ? [] : withExtensions('writes', word, ['.zip']);
    case 'zipped':
      return withExtensions('reads', word, readableExtensions);
    default:
      return [];
  }
}

/** The name of a downloaded file. A text that the program decodes or expands may become any name. */
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

/** The name with each of these extensions, unless it already has one. */
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

/** Texts that stand for files they do not name. */
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
