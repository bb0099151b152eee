/** Functions of strings, lists and numbers. */

import type { JsonValue } from '../../../kernel/json.ts';
import { bool, type CelType, double, int, string } from '../expression/cel-type.ts';
import { type Evaluation, failure, type CelValue } from '../expression/evaluation.ts';
import type { ValueRow } from './function-row.ts';

const textList: CelType = { kind: 'list', item: string };

export const valueFunctions: readonly ValueRow[] = [
  {
    type: 'method',
    name: 'startsWith',
    signature: 'text.startsWith(prefix)',
    description: 'The text starts with the prefix.',
    parameters: ['text', 'text'],
    returns: bool,
    run: twoTextFunction((text, prefix) => text.startsWith(prefix)),
  },
  {
    type: 'method',
    name: 'endsWith',
    signature: 'text.endsWith(suffix)',
    description: 'The text ends with the suffix.',
    parameters: ['text', 'text'],
    returns: bool,
    run: twoTextFunction((text, suffix) => text.endsWith(suffix)),
  },
  {
    type: 'method',
    name: 'contains',
    signature: 'text.contains(part)',
    description: 'The text contains the part.',
    parameters: ['text', 'text'],
    returns: bool,
    run: twoTextFunction((text, part) => text.includes(part)),
  },
  {
    type: 'method',
    name: 'lowerAscii',
    signature: 'text.lowerAscii()',
    description: 'The text with `A` to `Z` as `a` to `z`; other letters stay.',
    parameters: ['text'],
    returns: string,
    run: textFunction((text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  },
  {
    type: 'method',
    name: 'upperAscii',
    signature: 'text.upperAscii()',
    description: 'The text with `a` to `z` as `A` to `Z`; other letters stay.',
    parameters: ['text'],
    returns: string,
    run: textFunction((text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())),
  },
  {
    type: 'method',
    name: 'trim',
    signature: 'text.trim()',
    description: 'The text without white space at its start and end.',
    parameters: ['text'],
    returns: string,
    run: textFunction((text) => text.trim()),
  },
  {
    type: 'method',
    name: 'split',
    signature: 'text.split(separator)',
    description: 'The pieces of the text between separators, as a list.',
    parameters: ['text', 'text'],
    returns: textList,
    run: split,
  },
  {
    type: 'method',
    name: 'join',
    signature: 'list.join(separator)',
    description: 'The strings of the list, joined into one string.',
    parameters: ['list', 'text'],
    returns: string,
    run: join,
  },
  {
    type: 'method',
    name: 'size',
    signature: 'value.size()',
    description: 'The same as `size(value)`.',
    parameters: ['sized'],
    returns: int,
    run: size,
  },
  {
    type: 'function',
    name: 'size',
    signature: 'size(value)',
    description: 'The number of characters in a string, items in a list, or fields in a map.',
    parameters: ['sized'],
    returns: int,
    run: size,
  },
  {
    type: 'function',
    name: 'string',
    signature: 'string(value)',
    description: 'A number, `true` or `false` as text.',
    parameters: ['scalar'],
    returns: string,
    run: ([value]) => `${value as string | number | boolean}`,
  },
  {
    type: 'function',
    name: 'int',
    signature: 'int(value)',
    description: 'A number without its fraction, or a string converted to a whole number.',
    parameters: ['number or text'],
    returns: int,
    run: toInt,
  },
  {
    type: 'function',
    name: 'double',
    signature: 'double(value)',
    description: 'A number, or a string converted to a number.',
    parameters: ['number or text'],
    returns: double,
    run: toDouble,
  },
];

function textFunction(compute: (text: string) => CelValue): ValueRow['run'] {
  return ([value], evaluation) => {
    const text = value as string;
    evaluation.spendOnResult({ characters: text.length });
    return compute(text);
  };
}

/** In the worst case, a search takes the product of both lengths; engines are a few hundred times faster than that. */
function twoTextFunction(compute: (text: string, part: string) => CelValue): ValueRow['run'] {
  return ([value, other], evaluation) => {
    const [text, part] = [value as string, other as string];
    searchCost(text, part, evaluation);
    return compute(text, part);
  };
}

function searchCost(text: string, part: string, evaluation: Evaluation): void {
  evaluation.spend(1 + text.length / 1000 + (text.length * part.length) / 100_000);
}

function split([value, separator]: readonly JsonValue[], evaluation: Evaluation): CelValue {
  const [text, between] = [value as string, separator as string];
  searchCost(text, between, evaluation);
  const pieces = text.split(between, 200_001);
  evaluation.spendOnResult({ items: pieces.length });
  return pieces;
}

function join([list, separator]: readonly JsonValue[], evaluation: Evaluation): CelValue {
  const [items, between] = [list as readonly JsonValue[], separator as string];
  evaluation.spendOnResult({ items: items.length });
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length < items.length) return failure('join needs a list of strings');
  const characters = texts.reduce((sum, { length }) => sum + length, items.length * between.length);
  evaluation.spendOnResult({ characters });
  return texts.join(between);
}

function size([value]: readonly JsonValue[], evaluation: Evaluation): CelValue {
  if (typeof value === 'string') {
    evaluation.spend(1 + value.length / 100);
    let count = value.length;
    // A surrogate pair counts as one character.
    for (let i = 1; i < value.length; i++) {
      if (isHigh(value.charCodeAt(i - 1)) && isLow(value.charCodeAt(i))) count--;
    }
    return count;
  }
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function toInt([value]: readonly JsonValue[]): CelValue {
  const isSpelled = typeof value === 'number' || /^-?\d{1,16}$/.test(value as string);
  const number = isSpelled ? Math.trunc(Number(value)) : Number.NaN;
  return Number.isSafeInteger(number)
    ? number === 0
      ? 0
      : number
    : failure('this is not a whole number, or it is too large');
}

function toDouble([value]: readonly JsonValue[]): CelValue {
  if (typeof value === 'number') return value;
  const text = value as string;
  const number = text.length <= 32 && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : failure('this string is not a number');
}
