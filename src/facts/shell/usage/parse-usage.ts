/** Parses the text of a usage: one token per option, per operand, and per word about the whole program. */

import type { ImpliedAccess, OutputKind, FolderReach, ValueRole, StdinUse } from './value-role.ts';
import { projectValueKinds, type ProjectTextSyntax } from './project-value-kinds.ts';

/**
 * Syntaxes of texts that can embed a file or code: `@file`, `file:///file`, `|code`, `ext::code`, `name[$(code)]`,
 * `%n`, `@options`, `%output{file}`, `file.gz`, `host:file`, `false`, `:(top)*`, `import "file"`, `load("file")`,
 * `.bak`, `part-`, `file#1`, `HEAD:file`, `1,5:file`, a file that is read and written, a file to pack, a file to unpack
 * into a pipe, `!code`, `./page`, `host:file`, `--option`, `merge file`.
 */
export type TextSyntax =
  | 'at'
  | 'url'
  | 'pipe'
  | 'remote'
  | 'target'
  | 'revision'
  | 'machine'
  | 'socket'
  | 'letters'
  | 'lines'
  | 'name'
  | 'format'
  | 'options'
  | 'output'
  | 'packed'
  | 'host'
  | 'switch'
  | 'filter'
  | 'expression'
  | 'backup'
  | 'prefix'
  | 'number'
  | 'edited'
  | 'packs'
  | 'zipped'
  | 'zip'
  | 'server'
  | 'cookie'
  | 'form'
  | 'encoded'
  | 'globbed'
  | 'download'
  | 'cert'
  | 'buffer'
  | 'page'
  | 'endpoint'
  | 'argument'
  | 'rules'
  | ProjectTextSyntax;

export interface ValueKind {
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach: FolderReach | undefined;
  /** Set if the text can embed a file or code. */
  readonly syntax?: TextSyntax;
}

export interface OptionUsage {
  /** One name for all spellings: the first long one, otherwise the first. */
  readonly name: string;
  /** `joined`: only in the same word. `until`: all words up to a `;`. */
  readonly takes: 'nothing' | 'value' | 'optional' | 'joined' | 'until';
  readonly value: ValueKind;
  /** The kind of a second value. */
  readonly second: ValueKind | undefined;
  readonly harmless: boolean;
  readonly marks: ReadonlySet<string>;
  /** What it turns file operands into. */
  readonly operands: ValueKind | undefined;
  readonly implied: readonly ImpliedAccess[];
  readonly stdin: StdinUse | undefined;
}

export interface OperandUsage extends ValueKind {
  readonly repeated: boolean;
  /** True: the working folder, if no such operand is given. */
  readonly folder: boolean;
  /** The program whose arguments start here. */
  readonly of: string | undefined;
}

export interface ParsedUsage {
  /** By every spelling. */
  readonly options: ReadonlyMap<string, OptionUsage>;
  readonly operands: readonly OperandUsage[];
  /** True: options end at the first operand. */
  readonly optionsFirst: boolean;
  readonly stdin: StdinUse;
  readonly prints: OutputKind | undefined;
  readonly implied: readonly ImpliedAccess[];
  /** `more`: adds words to what it starts. `dialect`: its code differs from bash. `safe`: no option is harmful. */
  readonly words: ReadonlySet<string>;
  /** Tokens that cannot be parsed. A test keeps this empty. */
  readonly problems: readonly string[];
}

const programWords: ReadonlySet<string> = new Set(
  'opaque moves shifts more dialect untouched safe pager repository shown alone fetches raw'.split(' '),
);
/**
 * unsure: may start a program that the line does not show; first: replaces the first operand; last: no options follow;
 * replace: its value is a placeholder in the words of the started command; split: its value is split into words that
 * replace it; tree: files are touched recursively; links: links below a folder are followed.
 */
const optionMarks: ReadonlySet<string> = new Set(
  'first last opaque moves shifts replace split tree copies links nomore unsure include exclude prune globs types unfiltered decides rest'.split(
    ' ',
  ),
);
const valueKinds: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ...(
    ['program', 'code', 'foreign', 'script', 'folder', 'assignment', 'variable', 'arithmetic', 'harmful'] as const
  ).map((role) => [role, { role, harmless: false, reach: undefined }] as const),
  ['text', { role: 'text', harmless: true, reach: undefined }],
  ['data', { role: 'text', harmless: false, reach: undefined, syntax: 'at' }],
  ['url', { role: 'text', harmless: false, reach: undefined, syntax: 'url' }],
  ['pipe', { role: 'writes', harmless: false, reach: 'itself', syntax: 'pipe' }],
  ['remote', { role: 'text', harmless: false, reach: undefined, syntax: 'remote' }],
  ['target', { role: 'text', harmless: false, reach: undefined, syntax: 'target' }],
  ['tracked', { role: 'reads', harmless: true, reach: 'picked', syntax: 'revision' }],
  ['letters', { role: 'text', harmless: true, reach: undefined, syntax: 'letters' }],
  ['input', { role: 'reads', harmless: true, reach: 'itself', syntax: 'socket' }],
  ['machine', { role: 'text', harmless: true, reach: undefined, syntax: 'machine' }],
  ['object', { role: 'text', harmless: true, reach: undefined, syntax: 'revision' }],
  ['lines', { role: 'text', harmless: true, reach: undefined, syntax: 'lines' }],
  ['format', { role: 'text', harmless: true, reach: undefined, syntax: 'format' }],
  ['given', { role: 'reads', harmless: true, reach: 'tree', syntax: 'options' }],
  ['report', { role: 'text', harmless: true, reach: undefined, syntax: 'output' }],
  ['packed', { role: 'writes', harmless: false, reach: 'itself', syntax: 'packed' }],
  ['source', { role: 'reads', harmless: true, reach: 'itself', syntax: 'switch' }],
  ['archived', { role: 'writes', harmless: false, reach: 'itself', syntax: 'host' }],
  ['filter', { role: 'text', harmless: true, reach: undefined, syntax: 'filter' }],
  ['expression', { role: 'text', harmless: true, reach: undefined, syntax: 'expression' }],
  ['backup', { role: 'text', harmless: true, reach: undefined, syntax: 'backup' }],
  ['prefix', { role: 'writes', harmless: false, reach: undefined, syntax: 'prefix' }],
  ['numbered', { role: 'writes', harmless: true, reach: 'itself', syntax: 'number' }],
  ['edited', { role: 'writes', harmless: false, reach: 'itself', syntax: 'edited' }],
  ['buffer', { role: 'writes', harmless: false, reach: 'itself', syntax: 'buffer' }],
  ['packs', { role: 'writes', harmless: false, reach: 'itself', syntax: 'packs' }],
  ['zipped', { role: 'reads', harmless: true, reach: 'itself', syntax: 'zipped' }],
  ['zip', { role: 'writes', harmless: false, reach: 'itself', syntax: 'zip' }],
  ['query', { role: 'text', harmless: true, reach: undefined, syntax: 'server' }],
  ['cookie', { role: 'text', harmless: false, reach: undefined, syntax: 'cookie' }],
  ['form', { role: 'text', harmless: false, reach: undefined, syntax: 'form' }],
  ['encoded', { role: 'text', harmless: false, reach: undefined, syntax: 'encoded' }],
  ['upload', { role: 'reads', harmless: false, reach: 'itself', syntax: 'globbed' }],
  ['download', { role: 'text', harmless: false, reach: 'itself', syntax: 'download' }],
  ['cert', { role: 'reads', harmless: true, reach: 'itself', syntax: 'cert' }],
  ['argument', { role: 'text', harmless: true, reach: undefined, syntax: 'argument' }],
  ['rules', { role: 'text', harmless: true, reach: undefined, syntax: 'rules' }],
  ['page', { role: 'text', harmless: true, reach: undefined, syntax: 'page' }],
  ['archive', { role: 'reads', harmless: true, reach: 'itself', syntax: 'host' }],
  ['word', { role: 'text', harmless: true, reach: undefined, syntax: 'name' }],
  ['in', { role: 'reads', harmless: true, reach: 'itself' }],
  ['reads', { role: 'reads', harmless: true, reach: 'tree' }],
  ['out', { role: 'writes', harmless: false, reach: 'itself' }],
  ['into', { role: 'writes', harmless: false, reach: 'into' }],
  ['onto', { role: 'writes', harmless: false, reach: 'onto' }],
  ['sync', { role: 'writes', harmless: false, reach: 'sync', syntax: 'endpoint' }],
  ['path', { role: 'writes', harmless: false, reach: 'path' }],
  ['link', { role: 'writes', harmless: false, reach: 'link' }],
  ['copied', { role: 'reads', harmless: true, reach: 'tree', syntax: 'endpoint' }],
  ['tree', { role: 'writes', harmless: false, reach: 'tree' }],
  ['writes', { role: 'writes', harmless: false, reach: undefined }],
  ['either', { role: 'either', harmless: false, reach: undefined }],
  ...projectValueKinds,
]);
const impliedWords: ReadonlyMap<string, ImpliedAccess> = new Map([
  ['.=reads', 'reads'],
  ['.=writes', 'writes'],
  ['.=anything', 'anything'],
  ['.=worktree', 'worktree'],
  ['.=history', 'history'],
  ['elsewhere', 'elsewhere'],
]);
const stdins: ReadonlySet<string> = new Set(['code', 'foreign', 'words', 'data']);

const optionToken =
  /^(?<names>[-+a-z][^\s[=!:]*)(?:\[=(?<optional>[^\]]+)\]|=(?<required>[^:]+?))?(?<bang>!?)(?<marks>(?::[^:]+)*)$/u;
const operandToken = /^<(?<value>[a-z]+!?)(?:=(?<of>[^>]+))?>(?<repeated>(?:\.\.\.)?)$/u;

export function parseUsage(text: string): ParsedUsage {
  const options = new Map<string, OptionUsage>();
  const operands: OperandUsage[] = [];
  const problems: string[] = [];
  const words: string[] = [];
  for (const token of text.split(/\s+/)) {
    if (token === '') continue;
    if (isWord(token)) words.push(token);
    else if (token.startsWith('<')) operands.push(...(parseOperand(token) ?? addProblem(problems, token)));
    else
      for (const [name, usage] of parseOption(token) ?? addProblem(problems, token)) addSpelling(options, name, usage);
  }
  return {
    options,
    operands,
    optionsFirst: words.includes('--'),
    stdin: (words.findLast((token) => token.startsWith('stdin='))?.slice(6) ?? 'data') as StdinUse,
    prints: words.findLast((token) => token.startsWith('prints='))?.slice(7) as OutputKind | undefined,
    implied: words.flatMap((token) => impliedWords.get(token) ?? []),
    words: new Set(words.filter((token) => programWords.has(token))),
    problems,
  };
}

function addProblem(problems: string[], token: string): readonly [] {
  problems.push(token);
  return [];
}

/** `-W*` also stands for a bare `-W`, unless that is listed itself. */
function addSpelling(options: Map<string, OptionUsage>, name: string, usage: OptionUsage): void {
  options.set(name, usage);
  if (name.length !== 3 || !name.endsWith('*')) return;
  const short = name.slice(0, 2);
  if (!options.has(short)) options.set(short, { ...usage, takes: 'optional' });
}

function isWord(token: string): boolean {
  if (token === '--' || programWords.has(token) || impliedWords.has(token)) return true;
  return /^(?:stdin=(?:code|foreign|words)|prints=(?:words|format|stdin))$/u.test(token);
}

/** Parses `reads` or `text!`: the role, whether it is harmless, and its reach. */
export function valueKind(text: string): ValueKind | undefined {
  const value = valueKinds.get(text.replace('!', ''));
  return value !== undefined && text.endsWith('!') ? { ...value, harmless: false } : value;
}

function parseOperand(token: string): readonly [OperandUsage] | undefined {
  const groups = operandToken.exec(token)?.groups;
  const value = valueKind(groups?.['value'] ?? '');
  if (groups === undefined || value === undefined) return undefined;
  const folder = groups['of'] === '.';
  return [{ ...value, repeated: groups['repeated'] !== '', folder, of: folder ? undefined : groups['of'] }];
}

/** Every spelling of an option. The optional value in `-u,--unified[=text]` belongs only to the long spelling. */
function parseOption(token: string): readonly (readonly [string, OptionUsage])[] | undefined {
  const plain = /^(-[\w,.@?-]+)(=text)?$/.exec(token);
  if (plain !== null) return plainOption((plain[1] ?? '').split(','), plain[2] !== undefined);
  const groups = optionToken.exec(token)?.groups;
  if (groups === undefined) return undefined;
  // A comma inside a name is written as a semicolon.
  const names = (groups['names'] ?? '').split(',').map((spelled) => spelled.replaceAll(';', ','));
  const required = groups['required'];
  const [first = 'text', other] = (required ?? groups['optional'] ?? 'text').replace(';', '').split('&');
  const value = valueKind(first);
  const second = other === undefined ? undefined : valueKind(other);
  const effects = parseMarks((groups['marks'] ?? '').split(':').slice(1));
  if (value === undefined || effects === undefined || (other !== undefined && second === undefined)) return undefined;
  const harmless = value.harmless && (second?.harmless ?? true) && effects.harmless && groups['bang'] === '';
  const name = (names.find((name) => name.startsWith('--')) ?? names[0] ?? '').replace(/\*$/u, '');
  const takes = takesOf(required, groups['optional']);
  const usage = { ...effects, name, takes, value, second, harmless };
  return names.map((spelled) => {
    if (spelled.endsWith('*')) return [spelled, { ...usage, takes: 'joined' }];
    return [spelled, takes === 'optional' && spelled.length === 2 ? { ...usage, takes: 'nothing' } : usage];
  });
}

const plainText: ValueKind = { role: 'text', harmless: true, reach: undefined };
const noEffects = { marks: new Set<string>(), operands: undefined, implied: [], stdin: undefined, second: undefined };

/** An option without side effects, with no value or a text value. Most options are like this. */
function plainOption(names: readonly string[], valued: boolean): readonly (readonly [string, OptionUsage])[] {
  const name = names.find((spelled) => spelled.startsWith('--')) ?? names[0] ?? '';
  const takes = valued ? 'value' : 'nothing';
  const usage: OptionUsage = { ...noEffects, name, takes, value: plainText, harmless: true };
  return names.map((spelled) => [spelled, usage]);
}

function takesOf(required: string | undefined, optional: string | undefined): OptionUsage['takes'] {
  if (optional !== undefined) return 'optional';
  if (required === undefined) return 'nothing';
  return required.endsWith(';') ? 'until' : 'value';
}

type MarkEffects = Pick<OptionUsage, 'marks' | 'operands' | 'implied' | 'stdin' | 'harmless'>;

function parseMarks(marks: readonly string[]): MarkEffects | undefined {
  const flags = marks.filter((mark) => optionMarks.has(mark));
  const operands = marks.filter((mark) => !optionMarks.has(mark)).flatMap((mark) => valueKind(mark) ?? []);
  const implied = marks.flatMap((mark) => impliedWords.get(mark) ?? []);
  const stdin = marks.flatMap((mark) => (mark.startsWith('stdin=') && stdins.has(mark.slice(6)) ? mark.slice(6) : []));
  if (flags.length + operands.length + implied.length + stdin.length !== marks.length) return undefined;
  const acts =
    ['opaque', 'split', 'shifts', 'moves', 'unsure'].some((mark) => flags.includes(mark)) || stdin.length > 0;
  return {
    marks: new Set(flags),
    operands: operands[0],
    implied,
    stdin: stdin[0] as StdinUse | undefined,
    harmless: !acts && implied.every((kind) => kind === 'reads') && (operands[0]?.harmless ?? true),
  };
}
