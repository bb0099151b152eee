/** Strict JSON as nodes: what is not JSON in a `.json` file is not read as the YAML it might be. */

import { quoteName } from '../catalog/names.ts';
import type { DocumentNode, ListNode, MapEntry, MapNode, ScalarNode } from './document-node.ts';
import type { DocumentReport } from './document-report.ts';
import { mostLevels } from './yaml-tokens.ts';

/** The root of a JSON text; undefined if a problem was reported. */
export function jsonNodes(text: string, report: DocumentReport): DocumentNode | undefined {
  const reader = new JsonReader(text, report);
  const root = reader.value(0);
  return root === undefined || !reader.atEnd() ? undefined : root;
}

const word = /[\w.+-]*/y;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class JsonReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly report: DocumentReport,
  ) {}

  atEnd(): boolean {
    if (this.peek() === '') return true;
    this.wrong('something follows the end of the JSON text');
    return false;
  }

  value(levels: number): DocumentNode | undefined {
    const sign = this.peek();
    if (sign === '"') return this.string();
    if (sign !== '{' && sign !== '[') return this.word();
    if (levels >= mostLevels) return this.wrong(`nested deeper than ${mostLevels} levels`);
    return sign === '{' ? this.map(levels + 1) : this.list(levels + 1);
  }

  private list(levels: number): ListNode | undefined {
    const at = this.at++;
    const items: DocumentNode[] = [];
    if (this.takes(']')) return { type: 'list', at, items };
    do {
      const item = this.value(levels);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.takes(','));
    return this.takes(']') ? { type: 'list', at, items } : this.wrong('a "," or "]" is missing');
  }

  private map(levels: number): MapNode | undefined {
    const at = this.at++;
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    if (this.takes('}')) return { type: 'map', at, entries };
    do {
      if (this.peek() !== '"') return this.wrong('a key in double quotes is missing');
      const key = this.string();
      if (key === undefined) return undefined;
      if (seen.has(key.value)) this.report.problem(key.at, `the key ${quoteName(key.value)} is there twice`);
      seen.add(key.value);
      if (!this.takes(':')) return this.wrong('a ":" is missing');
      const value = this.value(levels);
      if (value === undefined) return undefined;
      entries.push({ key: key.value, at: key.at, value });
    } while (this.takes(','));
    return this.takes('}') ? { type: 'map', at, entries } : this.wrong('a "," or "}" is missing');
  }

  private string(): (ScalarNode & { readonly value: string }) | undefined {
    const at = this.at++;
    for (let code = this.code(); code !== 34; code = this.code()) {
      // Also where the text ends: NaN is not above.
      if (!(code >= 32)) return this.wrong('a string has no closing quote on its line');
      this.at += code === 92 ? 2 : 1;
    }
    const raw = this.text.slice(at, ++this.at);
    const value = parsed(raw);
    if (value === undefined) return this.wrongAt(at, 'this string holds an escape that JSON does not know');
    if (!value.isWellFormed()) this.report.problem(at, 'this text holds half of a character, a lone surrogate');
    return { type: 'scalar', at, raw, style: 'double', indent: 0, value };
  }

  private word(): ScalarNode | undefined {
    const { at } = this;
    word.lastIndex = at;
    const raw = word.exec(this.text)?.[0] ?? '';
    this.at += raw.length;
    const value = number.test(raw) ? Number(raw) : words.get(raw);
    if (value !== undefined) return { type: 'scalar', at, raw, style: 'plain', indent: 0, value };
    return this.wrongAt(
      at,
      raw === '' ? 'a value is missing' : `${quoteName(raw)} is not JSON; a text has double quotes`,
    );
  }

  /** The next sign that is not white space; empty at the end. */
  private peek(): string {
    for (let code = this.code(); code === 32 || code === 10 || code === 13 || code === 9; code = this.code()) this.at++;
    return this.text.charAt(this.at);
  }

  private takes(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.at++;
    return true;
  }

  private code(): number {
    return this.text.charCodeAt(this.at);
  }

  private wrong(what: string): undefined {
    return this.wrongAt(this.at, what);
  }

  private wrongAt(at: number, what: string): undefined {
    this.report.problem(at, `not JSON: ${what}`);
  }
}

function parsed(raw: string): string | undefined {
  try {
    return JSON.parse(raw) as string;
  } catch {
    // The quotes are in their places, so it is an escape.
    return undefined;
  }
}
