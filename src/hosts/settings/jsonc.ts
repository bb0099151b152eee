/**
 * Parses JSON with comments and trailing commas and keeps the position of every value, so that settings can be changed
 * without touching the rest of the text.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';

interface Span {
  /** Offsets in the text; `end` is after the last character. */
  readonly start: number;
  readonly end: number;
}

export interface JsoncMember {
  readonly key: string;
  /** Where the key starts. */
  readonly start: number;
  readonly value: JsoncNode;
}

export type JsoncObject = Span & { readonly type: 'object'; readonly members: readonly JsoncMember[] };
export type JsoncArray = Span & { readonly type: 'array'; readonly items: readonly JsoncNode[] };
export type JsoncNode =
  | JsoncObject
  | JsoncArray
  | (Span & { readonly type: 'scalar'; readonly value: string | number | boolean | null });

/** The value of a text; undefined if it contains only white space and comments. Throws with the position of a mistake. */
export function parseJsonc(text: string, file: string): JsoncNode | undefined {
  return new Parser(text, file).document();
}

/** The last member of that name: parsers use the last one, too. */
export function memberOf(node: JsoncNode | undefined, key: string): JsoncMember | undefined {
  return node?.type === 'object' ? node.members.findLast((member) => member.key === key) : undefined;
}

export function jsonOf(node: JsoncNode): JsonValue {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'array') return node.items.map(jsonOf);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, jsonOf(value)]));
}

const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const stringToken = /"(?:[^"\\\n]|\\.)*"/y;
const wordToken = /-?\d[\d.eE+-]*|true|false|null/y;
const maxDepth = 200;

class Parser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly file: string,
  ) {
    if (text.startsWith('\uFEFF')) this.at = 1;
  }

  document(): JsoncNode | undefined {
    this.skip();
    if (this.at === this.text.length) return undefined;
    const node = this.value();
    this.skip();
    if (this.at < this.text.length) this.fail('expected the end of the file');
    return node;
  }

  private value(): JsoncNode {
    const start = this.at;
    switch (this.text[start]) {
      case '{':
        return this.nested(() => ({
          type: 'object',
          members: this.list('}', () => this.member()),
          start,
          end: this.at,
        }));
      case '[':
        return this.nested(() => ({ type: 'array', items: this.list(']', () => this.value()), start, end: this.at }));
      default: {
        const token = this.token(this.text[start] === '"' ? stringToken : wordToken);
        return { type: 'scalar', value: this.scalar(token, start), start, end: this.at };
      }
    }
  }

  private nested<T>(parse: () => T): T {
    if ((this.depth += 1) > maxDepth) this.fail('too many levels');
    const node = parse();
    this.depth -= 1;
    return node;
  }

  private list<T>(close: string, parse: () => T): readonly T[] {
    const all: T[] = [];
    this.at += 1;
    for (;;) {
      this.skip();
      if (this.takes(close)) return all;
      all.push(parse());
      this.skip();
      if (this.takes(close)) return all;
      if (!this.takes(',')) this.fail(`expected a comma or ${close}`);
    }
  }

  private member(): JsoncMember {
    const start = this.at;
    const key = String(this.scalar(this.token(stringToken, 'a name in quotes'), start));
    this.skip();
    if (!this.takes(':')) this.fail('expected a colon');
    this.skip();
    return { key, start, value: this.value() };
  }

  private scalar(token: string, start: number): string | number | boolean | null {
    try {
      return JSON.parse(token) as string | number | boolean | null;
    } catch {
      this.at = start;
      return this.fail('invalid value');
    }
  }

  private token(pattern: RegExp, wanted = 'a value'): string {
    pattern.lastIndex = this.at;
    const [token] = pattern.exec(this.text) ?? this.fail(`expected ${wanted}`);
    this.at += token.length;
    return token;
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private skip(): void {
    blank.lastIndex = this.at;
    this.at += blank.exec(this.text)?.[0].length ?? 0;
  }

  private fail(problem: string): never {
    const before = this.text.slice(0, this.at).split('\n');
    const place = `${this.file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new BridleError('OPTION_INVALID', `${place}: this is not valid JSON: ${problem}`);
  }
}
