/** File names that a command prints, or passes to the commands it starts, as a list to look up on the disk (X08). */

import type { LineCommand } from './line-command.ts';
import { readFind } from './find-expression.ts';
import type { OptionPart } from '../usage/program.ts';
import type { ShellWord } from '../words/shell-word.ts';
import { valueOfWords, type KnownValue } from '../words/known-values.ts';
import { nameChoice, type FileTest, type SearchedNames } from '../words/word-choices.ts';

export interface PrintedNames {
  readonly names: KnownValue;
  /** True: NUL separates the names. False: a line break. */
  readonly nul: boolean;
}

type Printer = (command: LineCommand, given: GivenArguments) => PrintedNames | undefined;

/** The options and operands of a command. */
interface GivenArguments {
  readonly options: readonly OptionPart[];
  readonly operands: readonly ShellWord[];
  readonly subcommands: readonly string[];
}

/** The names that a command prints, if it prints only names. Undefined: something else, or not known. */
export function printedNames(command: LineCommand): PrintedNames | undefined {
  const printer = isCalledByPath(command) ? undefined : printers[command.name ?? ''];
  const given = printer === undefined ? undefined : givenArguments(command);
  return given === undefined ? undefined : printer?.(command, given);
}

/** False for programs that never print names. `isFed`: the input may contain names. */
export function mayPrintNames(name = '', isFed: boolean): boolean {
  return Object.hasOwn(printers, name) || (isFed && Object.hasOwn(filters, name));
}

/** The names it passes to the `index`th command it starts. */
export function namesForChild(command: LineCommand, index: number): KnownValue | undefined {
  const {
    name = '',
    argv,
    location: { folders: from },
  } = command;
  if (isCalledByPath(command)) return undefined;
  if (/^g?find$/.test(name)) {
    const read = readFind(argv);
    const action = read?.execActions[index];
    if (read === undefined || action === undefined) return undefined;
    const { roots, test, prunes, minDepth, maxDepth } = read;
    return [nameChoice({ ...searchFrom(from), roots, rooted: true, test, action, prunes, minDepth, maxDepth }, false)];
  }
  const given = /^fd(?:find)?$/.test(name) ? givenArguments(command) : undefined;
  return given === undefined ? undefined : foundByFd(command, given)?.names;
}

/** `./find` may print anything. */
function isCalledByPath({ firstWord }: LineCommand): boolean {
  return firstWord === undefined || firstWord.includes('/');
}

/** Undefined if an argument is not known. */
function givenArguments({ parsed, more, name }: LineCommand): GivenArguments | undefined {
  if (parsed === undefined || more || parsed.unsureCommand !== undefined || parsed.changesMeaning !== undefined)
    return undefined;
  if (parsed.unsureFiles !== undefined && !/^g?find$/.test(name ?? '')) return undefined;
  const { parts } = parsed;
  return {
    options: parts.flatMap((part) => (part.type === 'option' ? [part] : [])),
    operands: parts.flatMap((part) => (part.type === 'operand' ? [part.word] : [])),
    subcommands: parts.flatMap((part) => (part.type === 'subcommand' ? [part.name] : [])),
  };
}

const matched: FileTest = { type: 'action', index: 1, succeeds: true };

function searchFrom(from: SearchedNames['from']): SearchedNames {
  return {
    type: 'found',
    from,
    roots: ['.'],
    rooted: false,
    test: matched,
    action: 1,
    hidden: true,
    prunes: true,
    minDepth: 0,
    maxDepth: Infinity,
    slashes: false,
    tracked: false,
  };
}

/** True if every given option is in the list. */
function hasOnly({ options }: GivenArguments, names: string): boolean {
  const known = new Set(names.split(/\s+/));
  return options.every(({ name }) => known.has(name));
}

function has({ options }: GivenArguments, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

/** The operands as start folders. Undefined if one is not literal. */
function rootsOf(operands: readonly ShellWord[]): Pick<SearchedNames, 'roots' | 'rooted'> | undefined {
  if (operands.length === 0) return { roots: ['.'], rooted: false };
  const roots = operands.map((word) => (word.type === 'literal' ? word.value : ''));
  return roots.includes('') ? undefined : { roots, rooted: true };
}

function printedByFind({ argv, location: { folders: from } }: LineCommand): PrintedNames | undefined {
  const read = readFind(argv);
  if (read?.printAction === undefined) return undefined;
  const { roots, test, prunes, minDepth, maxDepth, printAction } = read;
  const names = {
    ...searchFrom(from),
    roots,
    rooted: true,
    test,
    action: printAction.action,
    prunes,
    minDepth,
    maxDepth,
  };
  return { names: [nameChoice(names, false)], nul: printAction.nul };
}

const fdOptions = `--hidden --no-ignore --unrestricted --no-ignore-vcs --no-ignore-parent --case-sensitive --ignore-case --glob
  --regex --fixed-strings --and --full-path --print0 --max-depth --min-depth --exact-depth --prune --exclude --type
  --extension --size --changed-within --changed-before --newer --older --owner --threads --max-results -1
  --show-errors --strip-cwd-prefix --one-file-system --exec --exec-batch --batch-size`;

function printedByFd(command: LineCommand, given: GivenArguments): PrintedNames | undefined {
  return has(given, '--exec', '--exec-batch') ? undefined : foundByFd(command, given);
}

function foundByFd({ location: { folders: from } }: LineCommand, given: GivenArguments): PrintedNames | undefined {
  const [pattern, ...folders] = given.operands;
  const roots = rootsOf(folders);
  if (!hasOnly(given, fdOptions) || roots === undefined) return undefined;
  const tests: FileTest[] = [];
  const ends = valuesOf(given, '--extension');
  if (ends.length > 0)
    tests.push({ type: 'any', tests: ends.map((end) => nameTest(end === undefined ? undefined : `*.${end}`)) });
  if (pattern?.type === 'literal' && !has(given, '--full-path'))
    tests.push(fdTest(pattern.value, has(given, '--glob')));
  if (valuesOf(given, '--type').every((kind) => kind === 'f' || kind === 'file') && has(given, '--type'))
    tests.push({ type: 'kind', kinds: 'f' });
  const hidden = has(given, '--hidden', '--unrestricted');
  const test: FileTest = { type: 'all', tests: [...tests, matched] };
  return {
    names: [nameChoice({ ...searchFrom(from), ...roots, test, hidden, ignores: true, slashes: true }, false)],
    nul: has(given, '--print0'),
  };
}

/** A pattern for the last name, or for its end. */
function fdTest(pattern: string, globs: boolean): FileTest {
  if (globs) return nameTest(pattern.includes('/') ? undefined : pattern);
  const [, end] = /^(?:\.\*)?\\(\.\w+)\$$/.exec(pattern) ?? [];
  return nameTest(end === undefined ? undefined : `*${end}`);
}

function valuesOf({ options }: GivenArguments, name: string): readonly (string | undefined)[] {
  const found = options.filter((option) => option.name === name);
  return found.map(({ value }) => (value?.type === 'literal' ? value.value.replace(/^\./, '') : undefined));
}

/** Matches the last name, ignoring case. */
function nameTest(pattern: string | undefined): FileTest {
  return pattern === undefined || /[[{]/.test(pattern) ? { type: 'perhaps' } : { type: 'name', pattern, folds: true };
}

const lsFilesOptions = `-z --cached --deleted --modified --others --ignored --exclude-standard --exclude --error-unmatch
  --deduplicate --recurse-submodules`;

function printedByGit(
  { location: { folders: from }, argv }: LineCommand,
  given: GivenArguments,
): PrintedNames | undefined {
  const [, second] = argv;
  const isPlain = second?.type === 'literal' && second.value === 'ls-files' && given.subcommands[0] === 'ls-files';
  if (!isPlain || !hasOnly(given, lsFilesOptions)) return undefined;
  const specs = given.operands.flatMap((word) => pathspecTest(word) ?? []);
  if (specs.length < given.operands.length) return undefined;
  const test: FileTest = {
    type: 'all',
    tests: [...(specs.length === 0 ? [] : [{ type: 'any' as const, tests: specs }]), matched],
  };
  const names: SearchedNames = { ...searchFrom(from), test, tracked: true };
  return { names: [nameChoice(names, false)], nul: has(given, '-z') };
}

/** A pattern in which `*` also matches slashes, or a folder. Undefined if it may lead outside. */
function pathspecTest(word: ShellWord): FileTest | undefined {
  if (word.type === 'open' || /^[:/]|\.\./.test(word.value)) return undefined;
  const text = word.value.replace(/^(?:\.\/)+|\/+$/g, '');
  if (text === '' || text === '.') return { type: 'true' };
  return { type: 'any', tests: [pathTest(text), pathTest(`${text}/*`)] };
}

function pathTest(pattern: string): FileTest {
  return { type: 'path', pattern, folds: false };
}

const rgOptions = `--files --files-with-matches --files-without-match --null --hidden --no-ignore --unrestricted --glob --iglob
  --type --type-not --max-depth --sort --sortr --regexp --ignore-case --smart-case --case-sensitive --fixed-strings
  --word-regexp --line-regexp --invert-match --multiline --pcre2 --no-messages --no-config --threads --text --line-number
  --no-ignore-vcs --no-ignore-parent --glob-case-insensitive --max-filesize --max-count --no-heading --with-filename`;

function printedByRg({ location: { folders: from } }: LineCommand, given: GivenArguments): PrintedNames | undefined {
  const lists = has(given, '--files');
  if (!lists && !has(given, '--files-with-matches', '--files-without-match')) return undefined;
  const roots = rootsOf(lists || has(given, '--regexp') ? given.operands : given.operands.slice(1));
  if (!hasOnly(given, rgOptions) || roots === undefined) return undefined;
  const hidden = has(given, '--hidden', '--unrestricted');
  return {
    names: [nameChoice({ ...searchFrom(from), ...roots, hidden, ignores: true }, false)],
    nul: has(given, '--null'),
  };
}

const grepOptions = `--recursive --files-with-matches --files-without-match --null --include --exclude --exclude-dir --regexp
  --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --word-regexp --line-regexp
  --invert-match --no-messages --max-count --line-number --binary-files -I --text --with-filename`;

/** Without `-r`, some of the named files. */
function printedByGrep({ location: { folders: from } }: LineCommand, given: GivenArguments): PrintedNames | undefined {
  if (!has(given, '--files-with-matches', '--files-without-match') || !hasOnly(given, grepOptions)) return undefined;
  const operands = has(given, '--regexp') ? given.operands : given.operands.slice(1);
  const nul = has(given, '--null');
  if (!has(given, '--recursive')) {
    // For standard input, grep prints no name.
    const isInput = operands.some((word) => word.type === 'literal' && /^-?$/.test(word.value));
    const value = operands.length === 0 || isInput ? undefined : valueOfWords(operands, from);
    return value === undefined ? undefined : { names: value, nul };
  }
  const roots = rootsOf(operands);
  return roots === undefined ? undefined : { names: [nameChoice({ ...searchFrom(from), ...roots }, false)], nul };
}

/** `seq 1 5` prints numbers, which are harmless as names. */
function printedBySeq(_command: LineCommand, given: GivenArguments): PrintedNames | undefined {
  const ends = given.operands.map((word) =>
    word.type === 'literal' && /^\d{1,4}$/.test(word.value) ? Number(word.value) : NaN,
  );
  const [first = NaN, second] = ends;
  if (given.options.length > 0 || ends.length > 2 || ends.includes(NaN)) return undefined;
  const [from, to] = second === undefined ? [1, first] : [first, second];
  const value = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `${from + index}`);
  return { names: value.map((text) => ({ type: 'text', value: text })), nul: false };
}

const lsOptions = '-1 --reverse -t -S -U';

/** The names in a folder, or the names that match a pattern. */
function printedByLs({ location: { folders: from } }: LineCommand, given: GivenArguments): PrintedNames | undefined {
  const [first, ...others] = given.operands;
  if (!hasOnly(given, lsOptions) || others.length > 0) return undefined;
  if (first?.type === 'open')
    return first.glob === undefined
      ? undefined
      : { names: [nameChoice({ type: 'glob', glob: first.glob, from, filesOnly: true }, false)], nul: false };
  const names: SearchedNames = { ...searchFrom(from), roots: [first?.value ?? '.'], hidden: false, maxDepth: 1 };
  return { names: [nameChoice(names, false)], nul: false };
}

const printers: Readonly<Record<string, Printer>> = {
  find: printedByFind,
  gfind: printedByFind,
  fd: printedByFd,
  fdfind: printedByFd,
  git: printedByGit,
  rg: printedByRg,
  grep: printedByGrep,
  egrep: printedByGrep,
  fgrep: printedByGrep,
  seq: printedBySeq,
  ls: printedByLs,
};

/** Programs that print some of their input lines, with the options that keep it so. */
const filters: Readonly<Record<string, string>> = {
  cat: '',
  sort: '--reverse --unique --numeric-sort --version-sort --ignore-case --human-numeric-sort --random-sort --key --field-separator --stable',
  uniq: '--repeated --unique --ignore-case',
  head: '--lines -NUM --quiet',
  tail: '--lines -NUM --quiet',
  shuf: '--head-count',
  grep: `--invert-match --ignore-case --extended-regexp --fixed-strings --perl-regexp --basic-regexp --word-regexp
    --line-regexp --regexp --max-count --text --no-messages --line-buffered`,
};

/** True for a command that passes its input lines through unchanged, all or some of them. */
export function filtersLines(command: LineCommand): boolean {
  const name = isCalledByPath(command) ? '' : (command.name ?? '').replace(/^[ef](?=grep$)/, '');
  const options = Object.hasOwn(filters, name) ? filters[name] : undefined;
  const given = options === undefined ? undefined : givenArguments(command);
  if (options === undefined || given === undefined || !hasOnly(given, options)) return false;
  return given.operands.length === (name === 'grep' && !has(given, '--regexp') ? 1 : 0);
}
