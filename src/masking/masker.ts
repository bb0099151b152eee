/** Masks what is secret in a value: by the names of its fields, and in all its texts. */

import { readJson, writeLike } from './json-text.ts';
import { type Fields, mapFields, mapList } from './map-value.ts';
import { isMasked, maskText } from './masked.ts';
import { maskedPart } from './named-text.ts';
import type { FieldName, NameKind, SecretNames } from './secret-names.ts';
import { isPair, isProgramName, programOf, secretWords } from './secret-words.ts';
import { shortestKnown } from './secret-forms.ts';
import type { Span } from './span.ts';
import { TextSecrets } from './text-secrets.ts';

export interface MaskerParts {
  readonly key: Uint8Array | string;
  readonly names: SecretNames;
  readonly texts: TextSecrets;
}

/** A field as it is met again and again. */
interface KnownField extends FieldName {
  /** Its name without secrets. */
  readonly shown: string;
  /** True if a text in it says what others beside it are. */
  readonly tells: boolean;
  /** The last short text in it that holds no secret: most fields have the same one again and again. */
  clean: string;
}

/** Deeper than any data of a call. */
const deepest = 256;
/** JSON in a text in JSON in a text. */
const deepestText = 4;
/** `curl` */
const shortestText = 4;
/** How many secrets of one value are looked for in the rest of it. */
const mostFound = 64;
const mostRounds = 8;
const mostFields = 4096;
const mostMasks = 64;
const mostFinders = 16;
const longestKept = 256;

/** Fields that say what a secret is about. */
const about = /^(?:type|kind|format|title|description|name|username|user|email)$/i;
const schemaTypes = /^(?:string|object|array|number|integer|boolean|null)$/;

export class Masker {
  private readonly fields = new Map<string, KnownField>();
  private readonly masks = new Map<string, string>();
  private readonly finders = new Map<string, TextSecrets>();
  /** What was masked in the value at hand and would be known again. */
  private found: string[] = [];
  /** True if a mask was put into a text, beside other words of it. */
  private isBeside = false;
  /** Texts of the value at hand: what was asked for is often what is done. */
  private readonly read = new Map<string, string>();
  private textsAround = 0;

  constructor(private readonly parts: MaskerParts) {}

  mask<T>(value: T): T {
    this.read.clear();
    if (!this.mayHold(value, 0)) return value;
    let masked: unknown = value;
    // Beside a mask something else may look like a secret; what is masked in the end stays as it is.
    for (let round = 0; round < mostRounds; round++) {
      const before = masked;
      masked = this.maskOnce(before);
      if (masked === before || !this.isBeside) break;
    }
    return masked as T;
  }

  private maskOnce(value: unknown): unknown {
    this.found = [];
    this.isBeside = false;
    this.read.clear();
    const masked = this.value(value, 0);
    // A secret that a name gave away may stand elsewhere, too, where no name is.
    return this.found.length === 0 ? masked : this.repeated(masked, this.finderOf(this.found), 0);
  }

  /** The same few secrets come again and again, and what finds them takes long to make. */
  private finderOf(secrets: readonly string[]): TextSecrets {
    const key = secrets.join('\n');
    const ready = this.finders.get(key);
    if (ready !== undefined) return ready;
    const made = TextSecrets.ofKnown(secrets);
    if (this.finders.size >= mostFinders) this.finders.clear();
    this.finders.set(key, made);
    return made;
  }

  /** False for nearly every value without secrets: it costs one look at each name and text, and makes nothing. */
  private mayHold(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return value.length >= shortestText && this.parts.texts.mayHold(value);
    if (typeof value !== 'object' || value === null) return false;
    if (depth > deepest) return true;
    if (Array.isArray(value)) {
      for (const each of value) if (this.mayHold(each, depth + 1)) return true;
      return false;
    }
    for (const name in value) {
      const each = (value as Fields)[name];
      if (each === undefined) continue;
      const field = this.field(name);
      if (field.kind !== 'plain' || field.holds === 'any' || field.shown !== name) return true;
      if (each === field.clean) continue;
      // Words like "session" or "key" stand in many texts without a secret; but what tells of others is read with them.
      if (this.mayHold(each, depth + 1) && (typeof each !== 'string' || field.tells || this.text(each) !== each))
        return true;
      if (typeof each === 'string' && each.length <= longestKept) field.clean = each;
    }
    return false;
  }

  private value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return this.maskOf('');
    return Array.isArray(value) ? this.list(value, depth, '') : this.object(value as Fields, depth);
  }

  private object(fields: Fields, depth: number): Fields {
    const { setting, widget } = this.toldKinds(fields);
    return mapFields(fields, {
      name: (name) => this.field(name).shown,
      value: (value, name) => {
        const { kind: own, holds } = this.field(name);
        const told = holds === 'any' && setting !== 'plain' ? setting : widget;
        const kind = own === 'plain' && holds !== undefined ? told : own;
        if (kind !== 'plain') return this.named(value, kind, depth + 1);
        return Array.isArray(value)
          ? this.list(value, depth + 1, programOf(fields, name))
          : this.value(value, depth + 1);
      },
    });
  }

  /** What fields say of others, of settings and of what is typed into a page: `{ name: 'API_KEY', value: '…' }`. */
  private toldKinds(fields: Fields): Readonly<Record<'setting' | 'widget', NameKind>> {
    const told: Record<'setting' | 'widget', NameKind> = { setting: 'plain', widget: 'plain' };
    for (const name in fields) {
      const { names } = this.field(name);
      const value = fields[name];
      if (names === undefined || told[names] !== 'plain' || typeof value !== 'string') continue;
      told[names] = this.parts.names.kindOfNamed(value);
    }
    return told;
  }

  private list(list: readonly unknown[], depth: number, program: string): readonly unknown[] {
    if (list.length > 0 && list.every(isPair))
      return mapList(list, (pair) => this.pair(pair as readonly [string, unknown], depth + 1));
    const secrets = secretWords(list, program, this.parts.names);
    return mapList(list, (value, at) => {
      const secret = secrets.get(at);
      if (secret === undefined || typeof value !== 'string') return this.value(value, depth + 1);
      const kept = value.slice(0, secret.from);
      return kept + String(this.named(value.slice(secret.from), secret.kind, depth + 1));
    });
  }

  /** `['Authorization', '…']` in a list of such. */
  private pair(pair: readonly [string, unknown], depth: number): readonly unknown[] {
    const kind = this.parts.names.kindOfNamed(pair[0]);
    return mapList(pair, (value, at) =>
      at === 1 && kind !== 'plain' ? this.named(value, kind, depth + 1) : this.value(value, depth + 1),
    );
  }

  /** A value that a name calls a secret. */
  private named(value: unknown, kind: NameKind, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.namedText(value, kind);
      case 'number':
        return kind === 'hidden' || (kind === 'digits' && /^\d{4,8}$/.test(String(value)))
          ? this.maskOf(String(value))
          : value;
      case 'object':
        if (value === null) return value;
        if (depth > deepest) return this.maskOf('');
        return kind === 'secret' || kind === 'hidden' ? this.namedInside(value, kind, depth) : this.value(value, depth);
      default:
        return value;
    }
  }

  /** All that lies in it, but not what it says about itself; a schema describes a secret and holds none. */
  private namedInside(value: object, kind: NameKind, depth: number): unknown {
    if (Array.isArray(value)) return mapList(value, (each) => this.named(each, kind, depth + 1));
    const fields = value as Fields;
    if (typeof fields['type'] === 'string' && schemaTypes.test(fields['type'])) return this.object(fields, depth);
    return mapFields(fields, {
      name: (name) => this.field(name).shown,
      value: (each, name) => {
        const own = this.field(name).kind;
        if (own === 'plain' && about.test(name)) return this.value(each, depth + 1);
        return this.named(each, own === 'secret' || own === 'hidden' ? own : kind, depth + 1);
      },
    });
  }

  private namedText(text: string, kind: NameKind): string {
    const part = maskedPart(text, kind);
    if (part === undefined) return this.text(text);
    const secret = text.slice(part.start, part.end);
    if (isMasked(secret)) return text;
    this.note(secret);
    return text.slice(0, part.start) + this.maskOf(secret) + text.slice(part.end);
  }

  private text(text: string): string {
    const { texts } = this.parts;
    if (text.length < shortestText) return text;
    // Deeper inside, what a text is read as depends on those around it.
    const known = this.textsAround === 0 ? this.read.get(text) : undefined;
    if (known !== undefined) return known;
    if (!texts.mayHold(text)) return text;
    const masked = this.replaced(this.jsonText(text), texts, (secret) => this.note(secret));
    if (this.textsAround === 0) this.read.set(text, masked);
    return masked;
  }

  /** A text that is JSON says more as data. */
  private jsonText(text: string): string {
    const value = this.textsAround < deepestText ? readJson(text) : undefined;
    if (value === undefined) return text;
    this.textsAround++;
    try {
      const masked = this.value(value, 0);
      return masked === value ? text : writeLike(text, masked);
    } finally {
      this.textsAround--;
    }
  }

  private replaced(text: string, texts: TextSecrets, onFound?: (secret: string) => void): string {
    if (!texts.mayHold(text)) return text;
    let [masked, from] = ['', 0];
    for (const { start, end, secret } of spansOf(text, texts)) {
      const own = text.slice(start, end);
      if (secret === undefined) onFound?.(own);
      masked += text.slice(from, start) + this.maskOf(secret ?? own);
      from = end;
    }
    if (from === 0) return text;
    this.isBeside = true;
    return masked + text.slice(from);
  }

  /** Keeps what would be known again. */
  private note(secret: string): void {
    const isTelling = secret.length >= shortestKnown && /\d/.test(secret) && /[A-Za-z]/.test(secret);
    const isWord = isTelling && secret.length <= 4096 && !/\s/.test(secret);
    if (isWord && this.found.length < mostFound && !this.found.includes(secret)) this.found.push(secret);
  }

  private repeated(value: unknown, known: TextSecrets, depth: number): unknown {
    if (typeof value === 'string') return this.replaced(value, known);
    if (typeof value !== 'object' || value === null || depth > deepest) return value;
    const again = (each: unknown): unknown => this.repeated(each, known, depth + 1);
    if (Array.isArray(value)) return mapList(value, again);
    return mapFields(value as Fields, { name: (name) => this.replaced(name, known), value: again });
  }

  private maskOf(secret: string): string {
    const known = this.masks.get(secret);
    if (known !== undefined) return known;
    const mask = maskText(secret, this.parts.key);
    if (this.masks.size >= mostMasks) this.masks.clear();
    this.masks.set(secret, mask);
    return mask;
  }

  private field(name: string): KnownField {
    const known = this.fields.get(name);
    if (known !== undefined) return known;
    const { names, texts } = this.parts;
    const told = names.of(name);
    const tells = told.names !== undefined || isProgramName(name);
    const read = { ...told, tells, shown: this.replaced(name, texts), clean: '' };
    if (this.fields.size >= mostFields) this.fields.clear();
    if (name.length <= 256) this.fields.set(name, read);
    return read;
  }
}

/** A text that cannot be read for its sheer size is masked whole. */
function spansOf(text: string, texts: TextSecrets): readonly Span[] {
  try {
    return texts.find(text);
  } catch {
    return [{ start: 0, end: text.length }];
  }
}
