/** Shows the model's answer while it arrives: as Markdown on a terminal, exactly as it is everywhere else. */

import { wrappedOrMarked } from '../output/marked-rows.ts';
import { ControlEscaper } from '../output/safe-text.ts';
import type { LiveLine, Screen } from '../output/screen.ts';
import { wrapLines } from '../output/wrap-text.ts';
import { openHint } from './call-view.ts';
import { Markdown } from './markdown.ts';

/** `markdown`: formatted. `lines`: wrapped, but otherwise as it is. `stream`: piece by piece, unchanged. */
export type AnswerFormat = 'markdown' | 'lines' | 'stream';

const maxPreviewRows = 6;
/** How many lines of one result are shown. */
const maxResultLines = 20;

export class AnswerView {
  format: AnswerFormat = 'stream';
  /** Changes a line of the format `lines` before it is shown. */
  shorten: (line: string) => string = (line) => line;
  /** Gets the lines of a result that is shown in part. */
  onFold: (rows: readonly string[]) => void = () => undefined;
  private readonly escaper = new ControlEscaper();
  private readonly markdown: Markdown;
  /** The line that is not complete yet. */
  private line = '';
  /** The last line of the format `lines` that is not part of a result: it says which call has the result below it. */
  private title = '';
  private result: string[] = [];

  constructor(
    private readonly screen: Screen,
    /** Called before complete lines are written, so that they are not shown as incomplete as well. */
    private readonly beforeWrite: () => void,
  ) {
    this.markdown = new Markdown({ paint: screen.paint, columns: () => screen.columns });
  }

  push(piece: string): void {
    const text = this.escaper.push(piece);
    if (this.format === 'stream') return this.screen.write(text);
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    this.showLines(lines);
  }

  /** Shows the rest of the answer. */
  end(): void {
    const rest = this.escaper.flush();
    if (this.format === 'stream') {
      this.screen.write(rest);
      return this.screen.startLine();
    }
    const last = this.line + rest;
    this.line = '';
    if (last !== '') this.showLines([last]);
    this.endResult();
    this.write(this.markdown.end());
  }

  /** True if a part of the answer is not shown yet. */
  get hasRest(): boolean {
    return this.line !== '' || this.result.length > 0 || this.markdown.pending.length > 0;
  }

  /** The part of the answer that is not complete yet. */
  preview(): readonly LiveLine[] {
    const { paint, columns } = {
      paint: (_tone: unknown, text: string): string => text,
      columns: this.screen.columns - 1,
    };
    const rows = [
      ...this.markdown.pending,
      ...this.result.slice(-maxPreviewRows),
      ...(this.line === '' ? [] : [this.line]),
    ];
    const wrapped = rows.flatMap((row) => wrapLines(row.replaceAll('\t', '    '), paint, { columns, tone: 'plain' }));
    return wrapped.slice(-maxPreviewRows).map((text) => ({ text, tone: 'plain' }));
  }

  private showLines(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.format === 'markdown') this.write(this.markdown.push(line));
      else if (line.startsWith('  ')) this.result.push(line);
      else {
        this.endResult();
        this.title = line;
        this.write(this.wrapped(this.shorten(line)));
      }
    }
  }

  /** Shows the result of a call: the start of a long one, but the end of a command's output, which has its errors. */
  private endResult(): void {
    const { result: lines } = this;
    this.result = [];
    if (lines.length === 0) return;
    const rows = (shown: readonly string[]): readonly string[] => shown.flatMap((line) => this.resultRows(line));
    // A line about one missing line would take as much room as that line.
    if (lines.length <= maxResultLines + 1 || !this.title.endsWith(':')) return this.write(rows(lines));
    this.onFold(rows(lines));
    const [status = '', ...output] = lines;
    const isCommand = this.title.startsWith('Ran ') && status.startsWith('  [');
    const missing = lines.length - maxResultLines;
    const note = this.screen.paint('dim', `  … ${missing} more lines, ${openHint}`);
    this.write(
      isCommand
        ? [...rows([status]), note, ...rows(output.slice(1 - maxResultLines))]
        : [...rows(lines.slice(0, maxResultLines)), note],
    );
  }

  /** A result is untrusted text: none of its rows can pass for a line of Bridle, which starts in the first column. */
  private resultRows(line: string): readonly string[] {
    return wrappedOrMarked(line, this.wrapped(line), { columns: this.screen.columns, indent: '  ' });
  }

  private wrapped(line: string): readonly string[] {
    const { paint, columns } = this.screen;
    return wrapLines(line, paint, { columns, tone: 'plain' });
  }

  private write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.beforeWrite();
    this.screen.write(`${lines.join('\n')}\n`);
  }
}
