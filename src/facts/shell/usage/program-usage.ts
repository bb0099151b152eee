/** Compiles a row of the program table into the form that parses arguments. */

import type { ProgramRow, ProgramRows, RowParts, OptionStyle } from './program-row.ts';
import { lazy } from '../../../kernel/lazy.ts';
import type { ValueRole } from './value-role.ts';
import type { CodeScan } from '../embedded-code/code-scan.ts';
import { fileSyntaxes, buildQuickScanTable, type QuickScanTable } from './quick-scan-table.ts';
import {
  parseUsage,
  type TextSyntax,
  type OperandUsage,
  type OptionUsage,
  type ParsedUsage,
  type ValueKind,
} from './parse-usage.ts';

export interface ProgramUsage extends ParsedUsage {
  readonly style: OptionStyle;
  readonly inherits: boolean;
  readonly with: ReadonlyMap<string, ParsedUsage>;
  readonly implies: ReadonlyMap<string, readonly string[]>;
  /** The value kind by option and lower-case key. */
  readonly keys: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Finds what embedded code in another language uses. */
  readonly scan: CodeScan | undefined;
  /** True: words that start with `+` are options. */
  readonly plusOptions: boolean;
  /** True: assignments may appear among the operands. */
  readonly takesAssignments: boolean;
  /** True: an operand takes all following words. */
  readonly takesRest: boolean;
  /** True: an option or operand starts a program or runs code. */
  readonly starts: boolean;
  /** True: no option or operand starts, changes or hides anything, apart from files. */
  readonly onlyTouchesFiles: boolean;
  /** True: it writes nothing. */
  readonly readsOnly: boolean;
  /** True: no argument can name a file. */
  readonly namesNoFile: boolean;
  /** True: it is opaque, all operands have the same role whatever options are given, and none is started. */
  readonly alikeOperands: boolean;
  /** The option that excludes files by name. */
  readonly excludeOption: string | undefined;
  /** Undefined: it has no subcommands. */
  readonly findSubcommand: ((name: string) => Subcommand | undefined) | undefined;
  /** What a quick scan can skip. */
  readonly quickScanTable: () => QuickScanTable | undefined;
}

interface Subcommand {
  readonly name: string;
  readonly usage: ProgramUsage;
}

const startingRoles: ReadonlySet<ValueRole> = new Set(['program', 'code', 'foreign', 'script']);
const activeRoles: ReadonlySet<ValueRole> = new Set([
  ...startingRoles,
  'assignment',
  'variable',
  'arithmetic',
  'harmful',
  'folder',
]);
const writingRoles: ReadonlySet<ValueRole> = new Set([...activeRoles, 'writes', 'either']);
const startingSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>(['pipe', 'remote', 'target', 'buffer', 'page']);
const activeMarks = ['split', 'opaque', 'moves', 'shifts', 'unsure'];

const commonOptions = lazy(() => parseUsage('--help --version').options);

/** Compiles a row. Subcommands are compiled on first use. */
export function compileUsage(row: ProgramRow, parent?: ProgramUsage): ProgramUsage {
  const full: RowParts = typeof row === 'string' ? { usage: row } : row;
  const own = parseUsage(full.usage ?? '');
  const inherited = parent?.inherits === true ? parent : undefined;
  const options = new Map([...commonOptions(), ...(inherited?.options ?? []), ...own.options]);
  const overlays = new Map(Object.entries(full.with ?? {}).map(([name, text]) => [name, parseUsage(text)]));
  const usage: Omit<ProgramUsage, 'findSubcommand' | 'quickScanTable'> = {
    ...own,
    options,
    words: parent?.words.has('repository') === true ? new Set([...own.words, 'repository']) : own.words,
    scan: full.scan ?? inherited?.scan,
    style: full.style ?? parent?.style ?? 'gnu',
    inherits: full.inherits ?? inherited?.inherits ?? false,
    with: overlays,
    implies: new Map(Object.entries(full.implies ?? {}).map(([key, names]) => [key, names.split(' ')])),
    keys: new Map([...(inherited?.keys ?? []), ...Object.entries(full.keys ?? {}).map(keyRoles)]),
    takesAssignments: own.operands.some(isAssignments),
    takesRest: [own, ...overlays.values()].some(({ operands }) => operands.some(takesRest)),
    alikeOperands: hasAlikeOperands(own, overlays),
    excludeOption: Array.from(options.values()).find(isExcluding)?.name,
    plusOptions: Array.from(options.keys()).some((name) => name.startsWith('+')),
    ...summary([{ ...own, options }, ...overlays.values()], full.commands !== undefined),
  };
  const base = { ...usage, findSubcommand: undefined, quickScanTable: () => undefined };
  const findSubcommand = full.commands && subcommandFinder(full.commands, base);
  const compiled: ProgramUsage = {
    ...usage,
    findSubcommand,
    quickScanTable: lazy(() => buildQuickScanTable(compiled)),
  };
  return compiled;
}

function hasAlikeOperands(own: ParsedUsage, overlays: ReadonlyMap<string, ParsedUsage>): boolean {
  const texts = [own, ...overlays.values()];
  if (!own.words.has('opaque')) return false;
  return texts.every(
    ({ operands, optionsFirst, stdin }) =>
      !optionsFirst &&
      stdin === 'data' &&
      operands.length <= 1 &&
      operands.every(({ repeated, role }) => repeated && !startingRoles.has(role)),
  );
}

function isExcluding({ marks, value }: OptionUsage): boolean {
  return marks.size > 0 && marks.has('exclude') && value.role === 'text';
}

export function isAssignments({ role, repeated }: OperandUsage): boolean {
  return role === 'assignment' && repeated;
}

/** True for another program with its arguments, or for code that is joined. */
export function takesRest({ role, repeated, of }: OperandUsage): boolean {
  return role === 'program' || of !== undefined || (role === 'code' && repeated);
}

/** Properties that hold for any arguments. */
type Summary = Pick<ProgramUsage, 'starts' | 'onlyTouchesFiles' | 'readsOnly' | 'namesNoFile'>;

function summary(texts: readonly ParsedUsage[], nested: boolean): Summary {
  let starts = false;
  let passive = !nested;
  /** True: an option hides which files are read. */
  let hidesFileList = false;
  let readsOnly = true;
  let namesNoFile = true;
  const include = ({ role, syntax }: ValueKind): void => {
    starts ||= startingRoles.has(role) || (syntax !== undefined && startingSyntaxes.has(syntax));
    passive &&= !activeRoles.has(role) && (syntax === undefined || fileSyntaxes.has(syntax));
    readsOnly &&= !writingRoles.has(role);
    namesNoFile &&= role === 'text';
  };
  for (const text of texts) {
    passive &&=
      text.stdin === 'data' &&
      !text.implied.includes('anything') &&
      Array.from(text.words).every((word) => word === 'safe' || word === 'repository');
    readsOnly &&= text.implied.every((kind) => kind === 'reads');
    namesNoFile &&= text.implied.length === 0;
    for (const operand of text.operands) include(operand);
    for (const option of text.options.values()) {
      if (option.takes !== 'nothing') include(option.value);
      if (option.second !== undefined) include(option.second);
      starts ||= option.marks.has('split');
      passive &&=
        option.stdin === undefined &&
        !option.implied.includes('anything') &&
        !activeMarks.some((mark) => option.marks.has(mark) && !readsFileList(option, mark));
      hidesFileList ||= readsFileList(option, 'opaque');
      readsOnly &&= option.value.role === 'reads' || option.implied.every((kind) => kind === 'reads');
      readsOnly &&= option.operands === undefined || !writingRoles.has(option.operands.role);
    }
  }
  const onlyTouchesFiles = passive && !hidesFileList;
  return {
    starts,
    onlyTouchesFiles,
    readsOnly: readsOnly && passive,
    namesNoFile: namesNoFile && readsOnly && onlyTouchesFiles,
  };
}

/** `--files0-from=list` hides only which files are read. */
function readsFileList({ marks, value }: OptionUsage, mark: string): boolean {
  return mark === 'opaque' && marks.has(mark) && value.role === 'reads';
}

function keyRoles([option, roles]: readonly [string, Readonly<Record<string, string>>]) {
  const byKey = Object.entries(roles).flatMap(([keys, role]) =>
    keys.split(/\s+/u).map((key) => [key.toLowerCase(), role] as const),
  );
  return [option, new Map(byKey)] as const;
}

function subcommandFinder(rows: ProgramRows, parent: ProgramUsage): (name: string) => Subcommand | undefined {
  const index = indexRows(rows);
  const usages = new Map<ProgramRow, ProgramUsage>();
  const known = new Map<string, Subcommand>();
  const find = (name: string, key: string): Subcommand | undefined => {
    const row = rows[key];
    if (row === undefined) return undefined;
    const usage = usages.get(row) ?? compileUsage(row, parent);
    usages.set(row, usage);
    const other = key.includes('=') ? key.split(', ').find((text) => text.startsWith(`${name}=`)) : undefined;
    return { name: other?.slice(name.length + 1) ?? name, usage };
  };
  return (name) => {
    const same = known.get(name);
    if (same !== undefined) return same;
    const key = index.get(name) ?? index.get('*');
    const found = key === undefined ? undefined : find(name, key);
    // Names that match only `*` may be anything, so they are not cached.
    if (found !== undefined && index.has(name)) known.set(name, found);
    return found;
  };
}

/** Maps every name of a table to the key of its row. */
function indexRows(rows: ProgramRows): Map<string, string> {
  const index = new Map<string, string>();
  for (const key of Object.keys(rows)) {
    for (const text of key.split(', ')) index.set(text.includes('=') ? text.slice(0, text.indexOf('=')) : text, key);
  }
  return index;
}
