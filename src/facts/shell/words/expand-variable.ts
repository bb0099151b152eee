/** The value of a known variable where it is expanded in a word. */

import type { ParameterExpansionPart, SimpleExpansionPart, Word } from 'unbash';
import { isPlain } from './plain-word.ts';
import type { KnownValue, KnownValues } from './known-values.ts';

/** bash splits at whitespace. How it treats brackets and backslashes depends on too much to predict. */
const splitsOrDiffers = /[\s[\]\\()|]/;
const pattern = /[*?]/;

/** Undefined: not known. `pattern`: a glob pattern that bash expands in place. */
export function expandVariable(
  part: SimpleExpansionPart | ParameterExpansionPart,
  values: KnownValues,
  quoted: boolean,
): KnownValue | { readonly pattern: string } | undefined {
  const value = part.type === 'SimpleExpansion' ? values.get(part.text.slice(1)) : parameterValue(part, values);
  if (value === undefined || quoted) return value;
  const [only] = value;
  if (value.length === 1 && only?.type === 'text' && pattern.test(only.value) && !splitsOrDiffers.test(only.value))
    return { pattern: only.value };
  // Among several values, an empty one would produce no word.
  const isOne = (text: string): boolean =>
    !splitsOrDiffers.test(text) && !pattern.test(text) && (text !== '' || value.length === 1);
  if (!value.every((choice) => choice.type === 'name' || isOne(choice.value))) return undefined;
  return value.map((choice) => (choice.type === 'name' ? { ...choice, plain: true } : choice));
}

function parameterValue(part: ParameterExpansionPart, values: KnownValues): KnownValue | undefined {
  const { parameter, prefix, index, operation } = part;
  const value = prefix === undefined && index === undefined ? values.get(parameter) : undefined;
  if (value === undefined || operation === undefined) return value;
  switch (operation.type) {
    case 'Default':
      // A value that is set and not empty is used as it is.
      return /^:?[-=?]$/.test(operation.operator) && value.every(isNonEmpty) ? value : undefined;
    case 'Remove':
      return operation.operator === '%' ? dropEnd(value, operation.operand) : undefined;
    default:
      return undefined;
  }
}

function isNonEmpty(choice: KnownValue[number]): boolean {
  return choice.type === 'text' ? choice.value !== '' : choice.before + choice.after !== '' || choice.cut === '';
}

/** `${f%.ts}`. */
function dropEnd(value: KnownValue, operand: Word): KnownValue | undefined {
  const end = operand.text;
  if (!isPlain(end)) return undefined;
  const cut = value.map((choice) => {
    if (choice.type === 'text')
      return { ...choice, value: choice.value.endsWith(end) ? choice.value.slice(0, -end.length) : choice.value };
    return choice.before + choice.cut + choice.after === '' ? { ...choice, cut: end } : undefined;
  });
  return cut.every((choice) => choice !== undefined) ? cut : undefined;
}
