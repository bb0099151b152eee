/** Masks the secrets in a value: by field names, and in all texts. */

import { readJson, stringifyLike, type DataFields, mapFields, mapList } from './map-value.ts';
import { isMasked, maskText } from './mask-text.ts';
import { secretPartOf } from './secret-values.ts';
import type { NameKind, SecretNames } from './secret-names.ts';
import { isNameValuePair, programOfArguments, secretArguments } from './command-secrets.ts';
import { minKnownLength } from './known-secrets.ts';
import { SecretFinder } from './secret-finder.ts';
import { maxDepth, minTextLength, SecretCheck } from './secret-check.ts';

export interface MaskerParts {
  readonly key: Uint8Array | string;
  readonly names: SecretNames;
  readonly texts: SecretFinder;
}

/** Levels of JSON inside JSON texts. */
const maxTextDepth = 4;
/** How many secrets of one value are searched for in the rest of it. */
const maxFoundSecrets = 64;
const maxRounds = 8;
const maxCachedMasks = 64;
const maxCachedFinders = 16;

/** Fields that describe a secret. */
const descriptiveFields = /^(?:type|kind|format|title|description|name|username|user|email)$/i;
const schemaTypes = /^(?:string|object|array|number|integer|boolean|null)$/;

export class Masker {
  private readonly check: SecretCheck;
  private readonly masks = new Map<string, string>();
  private readonly finders = new Map<string, SecretFinder>();
  /** Secrets found in the current value that are distinctive enough to search for. */
  private foundSecrets: string[] = [];
  /** True if a mask replaced a part of a text. */
  private hasPartialMask = false;
  /** Masked texts of the current value: the same text often occurs several times. */
  private readonly maskedTexts = new Map<string, string>();
  private jsonTextDepth = 0;

  constructor(private readonly parts: MaskerParts) {
    this.check = new SecretCheck(parts.texts.words, {
      meaningOf: (name) => parts.names.meaningOf(name),
      maskName: (name) => this.replaceSecrets(name, parts.texts),
      maskText: (text) => this.maskPlainText(text),
    });
  }

  mask<T>(value: T): T {
    if (this.maskedTexts.size > 0) this.maskedTexts.clear();
    if (!this.check.mayHold(value, 0)) return value;
    let masked: unknown = value;
    // Next to a mask, something else may look like a secret, so it repeats until masking again changes nothing.
    for (let round = 0; round < maxRounds; round++) {
      const before = masked;
      masked = this.maskOnce(before);
      if (masked === before || !this.hasPartialMask) break;
    }
    return masked as T;
  }

  private maskOnce(value: unknown): unknown {
    this.foundSecrets = [];
    this.hasPartialMask = false;
    this.maskedTexts.clear();
    const masked = this.maskValue(value, 0);
    // A secret found by its name may occur elsewhere without a name.
    if (this.foundSecrets.length === 0) return masked;
    return this.maskRepeats(masked, this.cachedFinderFor(this.foundSecrets), 0);
  }

  /** The same few secrets recur, and building a finder is slow. */
  private cachedFinderFor(secrets: readonly string[]): SecretFinder {
    const key = secrets.join('\n');
    const ready = this.finders.get(key);
    if (ready !== undefined) return ready;
    const finder = SecretFinder.ofKnown(secrets);
    if (this.finders.size >= maxCachedFinders) this.finders.clear();
    this.finders.set(key, finder);
    return finder;
  }

  private maskValue(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.maskPlainText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return this.cachedMaskOf('');
    return Array.isArray(value) ? this.maskList(value, depth, '') : this.maskObject(value as DataFields, depth);
  }

  private maskObject(fields: DataFields, depth: number): DataFields {
    const { setting, widget } = this.kindsFromLabels(fields);
    return mapFields(fields, {
      name: (name) => this.check.field(name).maskedName,
      value: (value, name) => {
        const { kind: ownKind, labelled } = this.check.field(name);
        const kindOfLabel = labelled === 'any' && setting !== 'plain' ? setting : widget;
        const kind = ownKind === 'plain' && labelled !== undefined ? kindOfLabel : ownKind;
        if (kind !== 'plain') return this.maskNamed(value, kind, depth + 1);
        return Array.isArray(value)
          ? this.maskList(value, depth + 1, programOfArguments(fields, name))
          : this.maskValue(value, depth + 1);
      },
    });
  }

  /** What some fields say about others, for settings and for input on a page: `{ name: 'API_KEY', value: '…' }`. */
  private kindsFromLabels(fields: DataFields): Readonly<Record<'setting' | 'widget', NameKind>> {
    const kinds: Record<'setting' | 'widget', NameKind> = { setting: 'plain', widget: 'plain' };
    for (const name in fields) {
      const { labels } = this.check.field(name);
      const value = fields[name];
      if (labels === undefined || kinds[labels] !== 'plain' || typeof value !== 'string') continue;
      kinds[labels] = this.parts.names.kindOfLabel(value);
    }
    return kinds;
  }

  private maskList(list: readonly unknown[], depth: number, program: string): readonly unknown[] {
    if (list.length > 0 && list.every(isNameValuePair))
      return mapList(list, (pair) => this.maskPair(pair as readonly [string, unknown], depth + 1));
    const secrets = secretArguments(list, program, this.parts.names);
    return mapList(list, (value, at) => {
      const secret = secrets.get(at);
      if (secret === undefined || typeof value !== 'string') return this.maskValue(value, depth + 1);
      const visible = value.slice(0, secret.from);
      return visible + String(this.maskNamed(value.slice(secret.from), secret.kind, depth + 1));
    });
  }

  /** `['Authorization', '…']` in a list of pairs. */
  private maskPair(pair: readonly [string, unknown], depth: number): readonly unknown[] {
    const kind = this.parts.names.kindOfLabel(pair[0]);
    return mapList(pair, (value, at) =>
      at === 1 && kind !== 'plain' ? this.maskNamed(value, kind, depth + 1) : this.maskValue(value, depth + 1),
    );
  }

  /** Masks a value whose name marks it as secret. */
  private maskNamed(value: unknown, kind: NameKind, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.maskNamedText(value, kind);
      case 'number':
        return kind === 'hidden' || (kind === 'digits' && /^\d{4,8}$/.test(String(value)))
          ? this.cachedMaskOf(String(value))
          : value;
      case 'object':
        if (value === null) return value;
        if (depth > maxDepth) return this.cachedMaskOf('');
        return kind === 'secret' || kind === 'hidden'
          ? this.maskNamedObject(value, kind, depth)
          : this.maskValue(value, depth);
      default:
        return value;
    }
  }

  /** Masks everything in it except descriptive fields. A schema describes a secret but contains none. */
  private maskNamedObject(value: object, kind: NameKind, depth: number): unknown {
    if (Array.isArray(value)) return mapList(value, (each) => this.maskNamed(each, kind, depth + 1));
    const fields = value as DataFields;
    if (typeof fields['type'] === 'string' && schemaTypes.test(fields['type'])) return this.maskObject(fields, depth);
    return mapFields(fields, {
      name: (name) => this.check.field(name).maskedName,
      value: (each, name) => {
        const ownKind = this.check.field(name).kind;
        if (ownKind === 'plain' && descriptiveFields.test(name)) return this.maskValue(each, depth + 1);
        return this.maskNamed(each, ownKind === 'secret' || ownKind === 'hidden' ? ownKind : kind, depth + 1);
      },
    });
  }

  private maskNamedText(text: string, kind: NameKind): string {
    const part = secretPartOf(text, kind);
    if (part === undefined) return this.maskPlainText(text);
    const secret = text.slice(part.start, part.end);
    if (isMasked(secret)) return text;
    this.rememberSecret(secret);
    return text.slice(0, part.start) + this.cachedMaskOf(secret) + text.slice(part.end);
  }

  private maskPlainText(text: string): string {
    const { texts } = this.parts;
    if (text.length < minTextLength) return text;
    // In nested texts, the result depends on the surrounding text.
    const known = this.jsonTextDepth === 0 ? this.maskedTexts.get(text) : undefined;
    if (known !== undefined) return known;
    if (texts.words.find(text) === -1) return text;
    const masked = this.replaceSecrets(this.maskJsonText(text), texts, (secret) => this.rememberSecret(secret));
    if (this.jsonTextDepth === 0) this.maskedTexts.set(text, masked);
    return masked;
  }

  /** Parses JSON in a text, because its field names reveal more. */
  private maskJsonText(text: string): string {
    const value = this.jsonTextDepth < maxTextDepth ? readJson(text) : undefined;
    if (value === undefined) return text;
    this.jsonTextDepth++;
    try {
      const masked = this.maskValue(value, 0);
      return masked === value ? text : stringifyLike(text, masked);
    } finally {
      this.jsonTextDepth--;
    }
  }

  private replaceSecrets(text: string, texts: SecretFinder, onFound?: (secret: string) => void): string {
    if (texts.words.find(text) === -1) return text;
    let [masked, from] = ['', 0];
    for (const { start, end, secret } of texts.findAll(text)) {
      const found = text.slice(start, end);
      if (secret === undefined) onFound?.(found);
      masked += text.slice(from, start) + this.cachedMaskOf(secret ?? found);
      from = end;
    }
    if (from === 0) return text;
    this.hasPartialMask = true;
    return masked + text.slice(from);
  }

  /** Remembers a secret that is distinctive enough to search for. */
  private rememberSecret(secret: string): void {
    const isDistinctive = secret.length >= minKnownLength && /\d/.test(secret) && /[A-Za-z]/.test(secret);
    const isWord = isDistinctive && secret.length <= 4096 && !/\s/.test(secret);
    if (isWord && this.foundSecrets.length < maxFoundSecrets && !this.foundSecrets.includes(secret))
      this.foundSecrets.push(secret);
  }

  private maskRepeats(value: unknown, known: SecretFinder, depth: number): unknown {
    if (typeof value === 'string') return this.replaceSecrets(value, known);
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
    const again = (each: unknown): unknown => this.maskRepeats(each, known, depth + 1);
    if (Array.isArray(value)) return mapList(value, again);
    return mapFields(value as DataFields, { name: (name) => this.replaceSecrets(name, known), value: again });
  }

  private cachedMaskOf(secret: string): string {
    const known = this.masks.get(secret);
    if (known !== undefined) return known;
    const mask = maskText(secret, this.parts.key);
    if (this.masks.size >= maxCachedMasks) this.masks.clear();
    this.masks.set(secret, mask);
    return mask;
  }
}
