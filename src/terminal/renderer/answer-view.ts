/** Shows the model's answer while it arrives: as Markdown on a terminal, exactly as it is everywhere else. */

import { ControlEscaper } from '../output/safe-text.ts';
import type { LiveLine, Screen } from '../output/screen.ts';
import { wrapLines } from '../output/wrap-text.ts';
import { Markdown } from './markdown.ts';

const maxPreviewRows = 6;

export interface AnswerOptions {
  /** `markdown`: formatted, line by line. `stream`: piece by piece, unchanged. */
  readonly format: 'markdown' | 'stream';
  /** Called before complete lines are written, so that they are not shown as incomplete as well. */
  readonly beforeWrite: () => void;
}

export class AnswerView {
  private readonly escaper = new ControlEscaper();
  private readonly markdown: Markdown;
  /** The line that is not complete yet. */
  private line = '';

  constructor(
    private readonly screen: Screen,
    private readonly options: AnswerOptions,
  ) {
    this.markdown = new Markdown({ paint: screen.paint, columns: () => screen.columns });
  }

  push(piece: string): void {
    const text = this.escaper.push(piece);
    if (this.options.format === 'stream') return this.screen.write(text);
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.write(this.markdown.push(line));
  }

  /** Shows the rest of the answer. */
  end(): void {
    const rest = this.escaper.flush();
    if (this.options.format === 'stream') {
      this.screen.write(rest);
      return this.screen.startLine();
    }
    const last = this.line + rest;
    this.line = '';
    if (last !== '') this.write(this.markdown.push(last));
    this.write(this.markdown.end());
  }

  /** True if a part of the answer is not shown yet. */
  get hasRest(): boolean {
    return this.line !== '' || this.markdown.pending.length > 0;
  }

  /** The part of the answer that is not complete yet. */
  preview(): readonly LiveLine[] {
    const { paint, columns } = {
      paint: (_tone: unknown, text: string): string => text,
      columns: this.screen.columns - 1,
    };
    const rows = [...this.markdown.pending, ...(this.line === '' ? [] : [this.line])];
    const wrapped = rows.flatMap((row) => wrapLines(row.replaceAll('\t', '    '), paint, { columns, tone: 'plain' }));
    return wrapped.slice(-maxPreviewRows).map((text) => ({ text, tone: 'plain' }));
  }

  private write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.options.beforeWrite();
    this.screen.write(`${lines.join('\n')}\n`);
  }
}
