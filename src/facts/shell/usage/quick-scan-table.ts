/** Which options and operands of a usage start, set and hide nothing, so that a glance at the words is enough. */

import { filterKinds } from './name-filters.ts';
import type { ValueRole } from './value-role.ts';
import type { CodeScan } from '../embedded-code/code-scan.ts';
import type { TextSyntax, OperandUsage, OptionUsage, ParsedUsage, ValueKind } from './parse-usage.ts';

/** What is looked at of a usage. */
interface ScannableUsage extends ParsedUsage {
  readonly style: string;
  readonly with: ReadonlyMap<string, ParsedUsage>;
  readonly implies: ReadonlyMap<string, readonly string[]>;
  readonly keys: ReadonlyMap<string, unknown>;
  readonly scan: CodeScan | undefined;
  readonly starts: boolean;
  readonly command: unknown;
}

/** How an option that does nothing for the line is spelled; one that is not listed here may do something. */
export const skippableFlag = 1;
/** Its value is the rest of the word, or the next one. */
export const skippableValue = 2;
/** Its value is in the same word, if there is one. */
const skippableJoined = 3;

export interface QuickScanTable {
  /** True: whatever the words are, nothing but this is to be said of them. */
  readonly alwaysHidden: boolean;
  /** True: a subcommand is awaited. */
  readonly expectsSubcommand: boolean;
  /** True: a word that is not literal may start something. */
  readonly strict: boolean;
  /** True: what it does is not shown by the line, whatever the words are. */
  readonly opaque: boolean;
  /** By every spelling. */
  readonly options: ReadonlyMap<string, number>;
  /** By the code of the letter after one dash. */
  readonly letters: Uint8Array;
  /** True: some option of one dash has a longer name. */
  readonly longNames: boolean;
  /** How many operands do nothing. */
  readonly operands: number;
  /** The first operand is code, which does nothing if the scan finds nothing. */
  readonly code: CodeScan | undefined;
  /** True: an operand may be `ext::code`. */
  readonly remote: boolean;
}

const plainRoles: ReadonlySet<ValueRole> = new Set(['text', 'reads', 'writes', 'either', 'entry', 'folder']);
/** Words and marks that do nothing for the line, or nothing but what is looked at below: all others may. */
const skippableWords: ReadonlySet<string> = new Set(['opaque', 'safe', 'untouched', 'repository']);
const skippableMarks: ReadonlySet<string> = new Set(['first', 'tree', 'copies', 'nomore', 'decides', ...filterKinds]);
const overlayWords: ReadonlySet<string> = new Set(['safe', 'untouched']);

/** Texts that hold nothing but the name of a file that is read. */
export const fileSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>(['at', 'url', 'revision', 'lines']);
/** Texts that hold nothing but names of files. */
const namingSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>([
  ...fileSyntaxes,
  ...(['edited', 'endpoint', 'label', 'packs', 'pathspec', 'rules', 'search', 'zip', 'zipped'] as const),
]);
/** Texts that hold names of files, or something that hides what is done. */
const hidingSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>([
  'argument',
  'passed',
  'sources',
  'formatted',
  'tests',
  'ref',
  'keyed',
]);

function isRemote({ syntax: holds }: ValueKind): boolean {
  return holds === 'remote' || holds === 'target';
}

/** Undefined: the words always have to be read. */
export function buildQuickScanTable(usage: ScannableUsage): QuickScanTable | undefined {
  if (usage.stdin === 'code' || usage.stdin === 'foreign') return undefined;
  if (usage.style !== 'gnu' && (usage.style !== 'dash' || usage.options.has('-NUM'))) return undefined;
  if (!hasOnly(usage.words, skippableWords) || !impliesNothing(usage) || usage.implied.includes('anything'))
    return undefined;
  const opaque = usage.words.has('opaque');
  const awaits = usage.command !== undefined;
  // After a subcommand only that one tells what is hidden.
  const options = skippableOptions(usage, opaque && !awaits);
  const operands = countSkippableOperands(usage, opaque);
  const all = options.size === usage.options.size && operands === Infinity;
  return {
    alwaysHidden: opaque && all && !usage.starts && !awaits,
    expectsSubcommand: awaits,
    strict: usage.starts || awaits,
    opaque,
    options,
    letters: skippableLetters(usage, options),
    longNames: Array.from(usage.options.keys()).some((name) => name.length > 2 && !name.startsWith('--')),
    operands,
    code: usage.operands[0]?.role === 'foreign' ? usage.scan : undefined,
    remote: usage.operands.some(isRemote),
  };
}

/** A number may be an option of its own: `-5`. */
function skippableLetters(usage: ScannableUsage, options: ReadonlyMap<string, number>): Uint8Array {
  const letters = new Uint8Array(128);
  for (const [name, kind] of options) if (/^-[!-~]$/u.test(name)) letters[name.charCodeAt(1)] = kind;
  if (!usage.options.has('-NUM')) return letters;
  const kind = options.get('-NUM') === skippableFlag ? skippableFlag : 0;
  for (let digit = 0; digit < 10; digit += 1)
    if (kind === 0 || !usage.options.has(`-${digit}`)) letters[48 + digit] = kind;
  return letters;
}

/** What an option stands for besides must not do anything either. */
function impliesNothing(usage: ScannableUsage): boolean {
  for (const names of usage.implies.values()) {
    for (const name of names) {
      const option = usage.options.get(name);
      if (option === undefined) continue;
      if (hasActiveMark(option) || option.marks.has('first') || usage.with.has(option.name)) return false;
      if (option.operands !== undefined && !isSkippableValue(option.operands, false)) return false;
    }
  }
  return true;
}

function skippableOptions(usage: ScannableUsage, opaque: boolean): ReadonlyMap<string, number> {
  const options = new Map<string, number>();
  for (const [name, option] of usage.options) {
    const kind = skipKind(option);
    if (kind !== 0 && isSkippable(usage, option, opaque)) options.set(name, kind);
  }
  return options;
}

function skipKind({ takes }: OptionUsage): number {
  if (takes === 'nothing') return skippableFlag;
  if (takes === 'value') return skippableValue;
  return takes === 'until' ? 0 : skippableJoined;
}

function hasOnly(words: ReadonlySet<string>, allowed: ReadonlySet<string>): boolean {
  for (const word of words) if (!allowed.has(word)) return false;
  return true;
}

function hasActiveMark({ marks, stdin, implied }: OptionUsage): boolean {
  return stdin !== undefined || implied.includes('anything') || !hasOnly(marks, skippableMarks);
}

function isSkippable(usage: ScannableUsage, option: OptionUsage, opaque: boolean): boolean {
  if (hasActiveMark(option) || option.second !== undefined || usage.keys.has(option.name)) return false;
  if (option.takes !== 'nothing' && !isSkippableValue(option.value, opaque)) return false;
  if (option.operands !== undefined && !isSkippableValue(option.operands, opaque)) return false;
  if (option.marks.has('first') && countSkippableOperands(usage, opaque) !== Infinity) return false;
  const overlay = usage.with.get(option.name);
  return overlay === undefined || isSkippableOverlay(overlay, opaque);
}

/** What nobody knows the use of hides nothing more where everything is hidden. */
function isSkippableValue({ role, syntax: holds }: ValueKind, opaque: boolean): boolean {
  if (holds !== undefined && !namingSyntaxes.has(holds) && !(opaque && hidingSyntaxes.has(holds))) return false;
  return plainRoles.has(role) || (opaque && role === 'harmful');
}

function isSkippableOverlay({ stdin, words, operands, options }: ParsedUsage, opaque: boolean): boolean {
  if (stdin !== 'data' || !hasOnly(words, overlayWords)) return false;
  if (!operands.every((operand) => isSkippableValue(operand, opaque)) || !isEnough(operands, opaque)) return false;
  return Array.from(options.values()).every(({ value }) => isSkippableValue(value, opaque));
}

/** Operands beyond those that are listed may be anything. */
function isEnough(operands: readonly OperandUsage[], opaque: boolean): boolean {
  return opaque || operands.length === 0 || operands.some(({ repeated }) => repeated);
}

function countSkippableOperands({ operands, scan }: ScannableUsage, opaque: boolean): number {
  const silent = (operand: OperandUsage, index: number): boolean => {
    if (operand.of !== undefined) return false;
    if (operand.role === 'foreign') return index === 0 && scan !== undefined && !operand.repeated;
    return isRemote(operand) || isSkippableValue(operand, opaque);
  };
  if (!operands.every(silent)) return 0;
  return opaque || operands.some(({ repeated }) => repeated) ? Infinity : operands.length;
}
