/** Finds options and operands that start, set and hide nothing, so that a quick scan can skip them. */

import { filterKinds } from './name-filters.ts';
import type { ValueRole } from './value-role.ts';
import type { CodeScan } from '../embedded-code/code-scan.ts';
import type { TextSyntax, OperandUsage, OptionUsage, ParsedUsage, ValueKind } from './parse-usage.ts';

/** The parts of a usage that matter here. */
interface ScannableUsage extends ParsedUsage {
  readonly style: string;
  readonly with: ReadonlyMap<string, ParsedUsage>;
  readonly implies: ReadonlyMap<string, readonly string[]>;
  readonly keys: ReadonlyMap<string, unknown>;
  readonly scan: CodeScan | undefined;
  readonly starts: boolean;
  readonly findSubcommand: unknown;
}

/** An option without a value that has no effect on the line. An option missing from the table may have one. */
export const skippableFlag = 1;
/** Its value is the rest of the word, or the next word. */
export const skippableValue = 2;
/** Its value is in the same word, if it has one. */
const skippableJoined = 3;

export interface QuickScanTable {
  /** True: with any words, the only result is that the work is hidden. */
  readonly alwaysHidden: boolean;
  /** True: a subcommand must follow. */
  readonly expectsSubcommand: boolean;
  /** True: a word that is not literal may start something. */
  readonly strict: boolean;
  /** True: with any words, the line does not show what it does. */
  readonly opaque: boolean;
  /** By every spelling. */
  readonly options: ReadonlyMap<string, number>;
  /** By the code of the letter after a single dash. */
  readonly letters: Uint8Array;
  /** True: an option with a single dash has a longer name. */
  readonly longNames: boolean;
  /** How many operands have no effect. */
  readonly operands: number;
  /** The first operand is code. It has no effect if the scan finds nothing. */
  readonly code: CodeScan | undefined;
  /** True: an operand may be `ext::code`. */
  readonly remote: boolean;
}

const plainRoles: ReadonlySet<ValueRole> = new Set(['text', 'reads', 'writes', 'either', 'entry', 'folder']);
/** Words and marks without an effect on the line, or with one that is handled below. All others may have one. */
const skippableWords: ReadonlySet<string> = new Set(['opaque', 'safe', 'untouched', 'repository']);
const skippableMarks: ReadonlySet<string> = new Set(['first', 'tree', 'copies', 'nomore', 'decides', ...filterKinds]);
const overlayWords: ReadonlySet<string> = new Set(['safe', 'untouched']);

/** Texts that can embed only a file that is read. */
export const fileSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>(['at', 'url', 'revision', 'lines']);
/** Texts that can embed only files. */
const namingSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>([
  ...fileSyntaxes,
  ...(['edited', 'endpoint', 'label', 'packs', 'pathspec', 'rules', 'search', 'zip', 'zipped'] as const),
]);
/** Texts that can embed files, or something that hides the work. */
const hidingSyntaxes: ReadonlySet<TextSyntax> = new Set<TextSyntax>([
  'argument',
  'passed',
  'sources',
  'formatted',
  'tests',
  'ref',
  'keyed',
]);

function isRemote({ syntax }: ValueKind): boolean {
  return syntax === 'remote' || syntax === 'target';
}

/** Undefined: the words must always be parsed. */
export function buildQuickScanTable(usage: ScannableUsage): QuickScanTable | undefined {
  if (usage.stdin === 'code' || usage.stdin === 'foreign') return undefined;
  if (usage.style !== 'gnu' && (usage.style !== 'dash' || usage.options.has('-NUM'))) return undefined;
  if (!hasOnly(usage.words, skippableWords) || !impliesNothing(usage) || usage.implied.includes('anything'))
    return undefined;
  const opaque = usage.words.has('opaque');
  const expectsSubcommand = usage.findSubcommand !== undefined;
  // After a subcommand, only its own usage decides what is hidden.
  const options = skippableOptions(usage, opaque && !expectsSubcommand);
  const operands = countSkippableOperands(usage, opaque);
  const all = options.size === usage.options.size && operands === Infinity;
  return {
    alwaysHidden: opaque && all && !usage.starts && !expectsSubcommand,
    expectsSubcommand,
    strict: usage.starts || expectsSubcommand,
    opaque,
    options,
    letters: skippableLetters(usage, options),
    longNames: Array.from(usage.options.keys()).some((name) => name.length > 2 && !name.startsWith('--')),
    operands,
    code: usage.operands[0]?.role === 'foreign' ? usage.scan : undefined,
    remote: usage.operands.some(isRemote),
  };
}

/** A number may be an option: `-5`. */
function skippableLetters(usage: ScannableUsage, options: ReadonlyMap<string, number>): Uint8Array {
  const letters = new Uint8Array(128);
  for (const [name, kind] of options) if (/^-[!-~]$/u.test(name)) letters[name.charCodeAt(1)] = kind;
  if (!usage.options.has('-NUM')) return letters;
  const kind = options.get('-NUM') === skippableFlag ? skippableFlag : 0;
  for (let digit = 0; digit < 10; digit += 1)
    if (kind === 0 || !usage.options.has(`-${digit}`)) letters[48 + digit] = kind;
  return letters;
}

/** Implied options must have no effect either. */
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

/** If everything is hidden anyway, a value of unknown use hides nothing more. */
function isSkippableValue({ role, syntax }: ValueKind, opaque: boolean): boolean {
  if (syntax !== undefined && !namingSyntaxes.has(syntax) && !(opaque && hidingSyntaxes.has(syntax))) return false;
  return plainRoles.has(role) || (opaque && role === 'harmful');
}

function isSkippableOverlay({ stdin, words, operands, options }: ParsedUsage, opaque: boolean): boolean {
  if (stdin !== 'data' || !hasOnly(words, overlayWords)) return false;
  if (!operands.every((operand) => isSkippableValue(operand, opaque)) || !isEnough(operands, opaque)) return false;
  return Array.from(options.values()).every(({ value }) => isSkippableValue(value, opaque));
}

/** Operands beyond the listed ones may be anything. */
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
