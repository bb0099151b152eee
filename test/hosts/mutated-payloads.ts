/** Payloads with random damage: fields deleted, renamed, retyped or added at any depth. */

import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/kernel/json.ts';

interface Damage {
  /** Which of the fields of the payload, counted through all levels. */
  readonly at: number;
  readonly kind: 'delete' | 'replace' | 'rename' | 'add';
  readonly value: JsonValue;
  readonly name: string;
}

/** `names` are added as names and values, to hit fields and tools that exist. */
export function mutatedPayloads(payloads: readonly JsonObject[], names: readonly string[]): fc.Arbitrary<JsonObject> {
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.string({ maxLength: 8 }),
    fc.constantFrom('__proto__', 'toString'),
  );
  const value = fc.oneof(
    name,
    fc.constantFrom<JsonValue>('', null, 0, true, [], {}, '/etc/passwd', '../x', '~', '%2e', '@x', 'a\0b', 'rm -rf /'),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  );
  const damage: fc.Arbitrary<Damage> = fc.record({
    at: fc.nat(40),
    kind: fc.constantFrom('delete', 'replace', 'replace', 'rename', 'add'),
    value,
    name,
  });
  return fc
    .tuple(fc.constantFrom(...payloads), fc.array(damage, { minLength: 1, maxLength: 3 }))
    .map(([payload, damages]) => damages.reduce(apply, payload));
}

function apply(payload: JsonObject, damage: Damage): JsonObject {
  let left = damage.at % Math.max(1, countFields(payload));
  const walk = (value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]): (readonly [string, JsonValue])[] => {
        if (left-- === 0) return changed(key, inner, damage);
        return [[key, isJsonObject(inner) ? walk(inner) : inner]];
      }),
    );
  return walk(payload);
}

function changed(key: string, inner: JsonValue, { kind, value, name }: Damage): (readonly [string, JsonValue])[] {
  if (kind === 'delete') return [];
  if (kind === 'rename') return [[name, inner]];
  return kind === 'replace'
    ? [[key, value]]
    : [
        [key, inner],
        [name, value],
      ];
}

function countFields(value: JsonObject): number {
  return Object.values(value).reduce<number>(
    (sum, inner) => sum + 1 + (isJsonObject(inner) ? countFields(inner) : 0),
    0,
  );
}
