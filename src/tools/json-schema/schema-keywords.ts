/** The JSON Schema keywords that affect validation, and the value each must have. */

import { isJsonObject, type JsonValue } from '../../kernel/json.ts';

const typeNames: ReadonlySet<unknown> = new Set('object array string number integer boolean null'.split(' '));

function areNames(held: JsonValue): boolean {
  return Array.isArray(held) && held.every((each: JsonValue) => typeof each === 'string');
}

/** Kinds of values that contain no schemas. */
export const plainKinds = {
  names: { expected: 'a list of names', fits: areNames },
  nameMap: {
    expected: 'an object of lists of names',
    fits: (held) => isJsonObject(held) && Object.values(held).every(areNames),
  },
  number: { expected: 'a number', fits: (held) => typeof held === 'number' },
  numberOrFlag: { expected: 'a number', fits: (held) => typeof held === 'number' || typeof held === 'boolean' },
  flag: { expected: 'true or false', fits: (held) => typeof held === 'boolean' },
  type: {
    expected: 'a type of JSON',
    fits: (held) => (Array.isArray(held) ? held.every((each) => typeNames.has(each)) : typeNames.has(held)),
  },
  list: { expected: 'a list', fits: (held) => Array.isArray(held) },
  anything: { expected: 'a value', fits: () => true },
} as const satisfies Record<string, { readonly expected: string; readonly fits: (held: JsonValue) => boolean }>;

export type KeywordKind =
  | keyof typeof plainKinds
  | 'schema'
  | 'schemas'
  | 'schemaOrSchemas'
  | 'schemaMap'
  | 'dependencies'
  | 'text';

const byKind: Readonly<Record<KeywordKind, string>> = {
  schema:
    'additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if then else',
  schemas: 'prefixItems allOf anyOf oneOf',
  schemaOrSchemas: 'items',
  schemaMap: '$defs definitions properties patternProperties dependentSchemas',
  dependencies: 'dependencies',
  names: 'required',
  nameMap: 'dependentRequired',
  number:
    'maximum minimum multipleOf maxLength minLength maxItems minItems maxProperties minProperties minContains maxContains',
  numberOrFlag: 'exclusiveMaximum exclusiveMinimum',
  flag: 'uniqueItems',
  text: '$ref $id $anchor pattern format',
  type: 'type',
  list: 'enum',
  anything: 'const',
};

export const schemaKeywords: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(byKind).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as KeywordKind])),
);

/** Keywords that do not affect validation, or only widen it. Some are from OpenAPI. */
export const annotations: readonly string[] =
  '$schema $comment $vocabulary title description default examples deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema $dynamicAnchor $recursiveAnchor id nullable example discriminator xml externalDocs'.split(
    ' ',
  );

/** Keywords the validator does not support. Ignoring them would allow what they forbid. */
export const unsupportedKeywords: ReadonlySet<string> = new Set(['$dynamicRef', '$recursiveRef']);

/** Keywords whose validation can take much longer than the schema's size suggests. */
export const costlyKeywords: ReadonlySet<string> = new Set(
  '$ref pattern patternProperties uniqueItems format anyOf oneOf allOf not if contains unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
);
