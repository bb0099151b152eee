/**
 * What a person reads before answering an approval: one rendering for the dialog and for `bridle approvals`. The contents
 * are untrusted text: no line of an argument can pass for another argument, or for a line of Bridle.
 */

import type { ShownArgument, ShownCall } from '../../kernel/approval.ts';
import { changeSummary, diffRows, type FileChange } from './file-change.ts';
import { countSpaces, markedLines } from './marked-rows.ts';
import type { Paint, Tone } from './paint.ts';
import { safeText } from './safe-text.ts';
import { wrapLines } from './wrap-text.ts';

/** A question with the rule or hook that asks it. */
export interface CardQuestion {
  readonly text: string;
  readonly rule?: string | undefined;
  readonly hook?: string | undefined;
}

export interface CardOptions {
  /** What the call makes of a file, if that is known: see `fileChangeOf`. */
  readonly change?: FileChange | undefined;
  /** The width of the screen. Default: 80. */
  readonly columns?: number | undefined;
  /** True if diffs are not folded. */
  readonly isWhole?: boolean | undefined;
}

/** The most lines of a diff before it is folded. */
const maxDiffRows = 40;

/** The final call in rows of the screen, with long arguments cut and long diffs folded. */
export function callLines(shown: ShownCall, paint: Paint, options: CardOptions = {}): readonly string[] {
  const { change, isWhole = false } = options;
  const isOpen = ({ name }: ShownArgument): boolean => !(change?.shownArgs.includes(name) ?? false);
  return [
    ...cardRows(safeText(countSpaces(shown.title)), paint, options),
    ...shown.args.filter(isOpen).flatMap((arg) => cardRows(argText(shown, arg), paint, options)),
    ...folded(changeLines(paint, options), !isWhole && isFolded(change)),
    ...placeLines(shown).flatMap((line) => cardRows(safeText(countSpaces(line)), paint, options)),
  ];
}

/** True if something was cut in {@link callLines}. */
export function isCut({ args }: ShownCall, { change }: CardOptions = {}): boolean {
  if (isFolded(change)) return true;
  return args.some(({ name, missing }) => missing > 0 && !(change?.shownArgs.includes(name) ?? false));
}

/** Every argument in full, and the whole diff. */
export function fullArgLines({ args }: ShownCall, paint: Paint, options: CardOptions = {}): readonly string[] {
  return [
    ...args.flatMap(({ name, full }) => cardRows(namedText(name, full), paint, options)),
    ...changeLines(paint, options),
  ];
}

export interface RowOptions {
  readonly columns?: number | undefined;
  /** Default: strong. */
  readonly tone?: Tone | undefined;
}

/** Escaped text in rows of the screen. Further rows are marked, so none can pass for a line of Bridle. */
export function cardRows(text: string, paint: Paint, { columns = 80, tone = 'strong' }: RowOptions): readonly string[] {
  return markedLines(text, columns).map((row) => paint(tone, row));
}

export interface StartOptions {
  readonly paint: Paint;
  readonly columns: number;
  /** Where the other rows are. */
  readonly where: string;
}

/** What stays next to the question if a call is higher than the screen: its start, and where the rest is. */
export function cardStart(rows: readonly string[], { paint, columns, where }: StartOptions): readonly string[] {
  const first = rows.slice(0, 2);
  return [
    ...first,
    ...wrapLines(`  … ${rows.length - first.length} more rows ${where}`, paint, { columns, tone: 'warn' }),
  ];
}

/** `Run this? — asked by rule commands (bridle.yaml:3)`. */
export function questionText({ text, rule, hook }: CardQuestion): string {
  const other = hook === undefined ? "the policy's default" : `hook ${safeText(hook)}`;
  return `${safeText(text)} — asked by ${rule === undefined ? other : `rule ${safeText(rule)}`}`;
}

/** The command of `run_command` is shown as in a shell. Commands are never cut. */
function argText({ title }: ShownCall, { name, text, missing }: ShownArgument): string {
  const cut = missing === 0 ? '' : `… [${missing} more characters]`;
  const isCommand = title === 'run_command' && name === 'command_line' && missing === 0;
  return isCommand ? `  $ ${safeText(countSpaces(text))}` : namedText(name, text) + cut;
}

function namedText(name: string, text: string): string {
  return `  ${safeText(countSpaces(name))}: ${safeText(countSpaces(text))}`;
}

/** Where the call runs, and what its paths resolve to: the lines of the shown call after its arguments. */
export function placeLines({ text, args }: ShownCall): readonly string[] {
  const inArgs = args.reduce((sum, arg) => sum + arg.text.split('\n').length, 0);
  return text.split('\n').slice(1 + inArgs);
}

function changeLines(paint: Paint, { change, columns = 80 }: CardOptions): readonly string[] {
  if (change === undefined) return [];
  return [paint('dim', `  ${changeSummary(change)}`), ...diffRows(change, { paint, columns })];
}

/** Decided for 80 columns: a screen that changes its width must not change what is offered. */
function isFolded(change: FileChange | undefined): boolean {
  return changeLines((_, text) => text, { change }).length > maxDiffRows;
}

function folded(lines: readonly string[], isLong: boolean): readonly string[] {
  if (!isLong || lines.length <= maxDiffRows) return lines;
  const shown = lines.slice(0, maxDiffRows - 1);
  return [...shown, `  … ${lines.length - shown.length} more lines, see "Show everything"`];
}
