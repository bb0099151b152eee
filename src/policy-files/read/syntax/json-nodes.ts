/** Parses strict JSON into nodes. A `.json` file that is not JSON is never read as YAML. */

import { quoteName } from '../../../kernel/names.ts';
import {
  jsonNumber,
  maxLevels,
  type FileNode,
  type ListNode,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from './file-node.ts';
import type { FileReport } from './file-report.ts';

/** The root node; undefined if a problem was reported. */
export function jsonNodes(text: string, report: FileReport): FileNode | undefined {
  const reader = new JsonReader(text, report);
  const root = reader.value(0);
  return root === undefined || !reader.atEnd() ? undefined : root;
}

const wordPattern = /[\w.+-]*/y;
const keywords: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class JsonReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly report: FileReport,
  ) {}

  atEnd(): boolean {
    if (this.peek() === '') return true;
    this.reportProblem('there is text after the end of the JSON');
    return false;
  }

  value(levels: number): FileNode | undefined {
    const next = this.peek();
    if (next === '"') return this.string();
    if (next !== '{' && next !== '[') return this.keywordOrNumber();
    if (levels >= maxLevels) return this.reportProblem(`nested deeper than ${maxLevels} levels`);
    return next === '{' ? this.map(levels + 1) : this.list(levels + 1);
  }

  private list(levels: number): ListNode | undefined {
    const at = this.at++;
    const items: FileNode[] = [];
    if (this.skip(']')) return { type: 'list', at, items };
    do {
      const item = this.value(levels);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.skip(','));
    return this.skip(']') ? { type: 'list', at, items } : this.reportProblem('a "," or "]" is missing');
  }

  private map(levels: number): MapNode | undefined {
    const at = this.at++;
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    if (this.skip('}')) return { type: 'map', at, entries };
    do {
      if (this.peek() !== '"') return this.reportProblem('a key in double quotes is missing');
      const key = this.string();
      if (key === undefined) return undefined;
      if (seen.has(key.value)) this.report.problem(key.at, `the key ${quoteName(key.value)} appears twice`);
      seen.add(key.value);
      if (!this.skip(':')) return this.reportProblem('a ":" is missing');
      const value = this.value(levels);
      if (value === undefined) return undefined;
      entries.push({ key: key.value, at: key.at, value });
    } while (this.skip(','));
    return this.skip('}') ? { type: 'map', at, entries } : this.reportProblem('a "," or "}" is missing');
  }

  private string(): (ScalarNode & { readonly value: string }) | undefined {
    const at = this.at++;
    for (let code = this.codeAtCursor(); code !== 34; code = this.codeAtCursor()) {
      // Also true at the end of the text, where `code` is NaN.
      if (!(code >= 32)) return this.reportProblem('a string has no closing quote on its line');
      this.at += code === 92 ? 2 : 1;
    }
    const raw = this.text.slice(at, ++this.at);
    const value = parseString(raw);
    if (value === undefined) return this.reportProblemAt(at, 'this string has an escape that is not valid in JSON');
    if (!value.isWellFormed()) this.report.problem(at, 'this string contains half of a surrogate pair');
    return { type: 'scalar', at, raw, style: 'double', indent: 0, value };
  }

  private keywordOrNumber(): ScalarNode | undefined {
    const { at } = this;
    wordPattern.lastIndex = at;
    const raw = wordPattern.exec(this.text)?.[0] ?? '';
    this.at += raw.length;
    const value = jsonNumber.test(raw) ? Number(raw) : keywords.get(raw);
    if (value !== undefined) return { type: 'scalar', at, raw, style: 'plain', indent: 0, value };
    return this.reportProblemAt(
      at,
      raw === '' ? 'a value is missing' : `${quoteName(raw)} is not JSON; put strings in double quotes`,
    );
  }

  /** The next character that is not white space; empty at the end. */
  private peek(): string {
    for (
      let code = this.codeAtCursor();
      code === 32 || code === 10 || code === 13 || code === 9;
      code = this.codeAtCursor()
    )
      this.at++;
    return this.text.charAt(this.at);
  }

  private skip(expected: string): boolean {
    if (this.peek() !== expected) return false;
    this.at++;
    return true;
  }

  private codeAtCursor(): number {
    return this.text.charCodeAt(this.at);
  }

  private reportProblem(problem: string): undefined {
    return this.reportProblemAt(this.at, problem);
  }

  private reportProblemAt(at: number, problem: string): undefined {
    this.report.problem(at, `invalid JSON: ${problem}`);
  }
}

function parseString(raw: string): string | undefined {
  try {
    return JSON.parse(raw) as string;
  } catch {
    // The quotes are correct, so an escape is invalid.
    return undefined;
  }
}
