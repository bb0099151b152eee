/**
 * Shows Markdown while it is streamed: each line is shown as soon as it is complete, a table as soon as it ends. The text
 * must be safe to print already. Words are never lost or moved; marks such as `**` disappear.
 */

import type { Paint } from '../output/paint.ts';
import { paintSpans, wrapSpans } from '../output/wrap-text.ts';
import { codeSpans } from './code-colours.ts';
import { inlineSpans } from './inline-markdown.ts';
import { isTableDivider, isTableRow, tableLines } from './markdown-table.ts';

type Block = 'none' | 'blank' | 'text' | 'list' | 'quote' | 'heading' | 'rule' | 'code' | 'table';

export interface MarkdownOptions {
  readonly paint: Paint;
  /** The width of the screen now. */
  readonly columns: () => number;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
  readonly indent: number;
}

export class Markdown {
  private fence: Fence | undefined;
  private table: string[] = [];
  private last: Block = 'none';

  constructor(private readonly options: MarkdownOptions) {}

  /** The screen lines that one more complete line of source adds. */
  push(line: string): readonly string[] {
    if (this.fence !== undefined) return this.codeLine(line, this.fence);
    if (this.continuesTable(line)) {
      this.table.push(line);
      return [];
    }
    return [...this.endTable(), ...this.blockLine(line)];
  }

  /** The lines that were waiting for the end. The next line starts a new text. */
  end(): readonly string[] {
    const rest = this.endTable();
    this.fence = undefined;
    this.last = 'none';
    return rest;
  }

  /** Source lines that are not shown yet. */
  get pending(): readonly string[] {
    return this.table;
  }

  private blockLine(line: string): readonly string[] {
    if (line.trim() === '') {
      if (this.last !== 'none') this.last = 'blank';
      return [];
    }
    const fence = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    if (fence !== null) return this.openFence(fence);
    const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (heading !== null) return this.place('heading', this.wrapped(heading[2] ?? '', '', 'strong'));
    if (/^ {0,3}([-*_])\s*(?:\1\s*){2,}$/.test(line))
      return this.place('rule', [this.options.paint('dim', '─'.repeat(Math.min(40, this.options.columns())))]);
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
    if (item !== null) return this.place('list', this.listItem(item));
    const quote = /^\s{0,3}((?:>\s?)+)(.*)$/.exec(line);
    if (quote !== null) return this.place('quote', this.wrapped(quote[2] ?? '', '│ ', 'dim'));
    const [indent = ''] = /^\s*/.exec(line) ?? [];
    // A line that is indented below a list item belongs to it.
    const block = this.last === 'list' && indent.length > 1 ? 'list' : 'text';
    return this.place(block, this.wrapped(line.slice(indent.length), this.usable(indent), 'plain'));
  }

  private listItem([, indent = '', bullet = '', text = '']: RegExpExecArray): readonly string[] {
    const mark = /^\d/.test(bullet) ? bullet : '•';
    return this.wrapped(text, `${this.usable(indent)}${mark} `, 'plain');
  }

  private wrapped(text: string, first: string, tone: 'plain' | 'strong' | 'dim'): readonly string[] {
    const rest = first.startsWith('│') ? first : undefined;
    return wrapSpans(inlineSpans(text, tone), this.options.paint, { columns: this.options.columns(), first, rest });
  }

  /** A deep indentation would leave no room for words on a narrow screen. */
  private usable(indent: string): string {
    const spaces = indent.replaceAll('\t', '    ');
    return spaces.length > this.options.columns() / 3 ? '' : spaces;
  }

  private openFence([, indent = '', mark = '', info = '']: RegExpExecArray): readonly string[] {
    const [language = ''] = info.trim().split(/\s/);
    this.fence = { mark, language, indent: indent.length };
    return this.place('code', info.trim() === '' ? [] : [this.options.paint('dim', `  ${info.trim()}`)]);
  }

  private codeLine(line: string, { mark, language, indent }: Fence): readonly string[] {
    const closing = line.trim();
    if (closing.startsWith(mark) && closing === mark.charAt(0).repeat(closing.length)) {
      this.fence = undefined;
      return [];
    }
    const code = line.slice(0, indent).trim() === '' ? line.slice(indent) : line;
    return [`  ${paintSpans(codeSpans(code, language), this.options.paint)}`.trimEnd()];
  }

  private continuesTable(line: string): boolean {
    if (!isTableRow(line)) return false;
    // The second row decides whether the first one is a header.
    return this.table.length !== 1 || isTableDivider(line);
  }

  private endTable(): readonly string[] {
    const { table } = this;
    this.table = [];
    if (table.length === 0) return [];
    const [first = ''] = table;
    if (table.length === 1) return this.blockLine(first);
    return this.place('table', tableLines(table, { paint: this.options.paint, columns: this.options.columns() }));
  }

  /** A blank line separates blocks of different kinds. */
  private place(block: Block, lines: readonly string[]): readonly string[] {
    const { last } = this;
    this.last = block;
    const isApart = block !== last || block === 'heading' || block === 'rule' || block === 'code' || block === 'table';
    const isListAfterText = block === 'list' && last === 'text';
    return last === 'none' || !isApart || isListAfterText ? lines : ['', ...lines];
  }
}
