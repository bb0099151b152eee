/** Many spellings of one word that bash reads the same way. */

import type { Choices } from './choices.ts';

const plain = /^[\w./:@%+,-][\w./:=@%+,-]*$/;

/** The word as it is if possible, else in single quotes; in any other way where the choices say so. */
export function spell(value: string, choices: Choices): string {
  switch (choices.below(12)) {
    case 1:
      return single(value);
    case 2:
      return double(value);
    case 3:
      return ansi(value, choices);
    case 4:
      return /\n/.test(value) || value === '' ? double(value) : escaped(value);
    case 5:
      return split(value, choices, '""');
    case 6:
      return split(value, choices, "''");
    case 7:
      return split(value, choices, '\\\n');
    default:
      return plain.test(value) ? value : single(value);
  }
}

/** Code as one word; long code in the way that adds least. */
export function quoteCode(code: string, choices: Choices): string {
  const ways = [single(code), double(code)];
  if (code.length > 200) return ways.reduce((best, way) => (way.length < best.length ? way : best));
  return choices.below(4) === 3 ? ansi(code, choices) : (ways[choices.below(2)] ?? single(code));
}

function single(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function double(value: string): string {
  return `"${value.replaceAll(/[\\"$`]/g, '\\$&')}"`;
}

function escaped(value: string): string {
  return value.replaceAll(/[^]/g, '\\$&');
}

function split(value: string, choices: Choices, with_: string): string {
  if (value === '') return single(value);
  const at = 1 + choices.below(value.length);
  return safe(value.slice(0, at)) + with_ + safe(value.slice(at));
}

function safe(value: string): string {
  return value === '' || plain.test(value) ? value : double(value);
}

function ansi(value: string, choices: Choices): string {
  const letters = Array.from(value, (letter) => {
    const code = letter.charCodeAt(0);
    if (code > 126) return letter;
    switch (choices.below(5)) {
      case 1:
        return `\\x${code.toString(16).padStart(2, '0')}`;
      case 2:
        return `\\${code.toString(8).padStart(3, '0')}`;
      case 3:
        return `\\u${code.toString(16).padStart(4, '0')}`;
      default:
        return code < 32 || letter === "'" || letter === '\\' ? `\\x${code.toString(16).padStart(2, '0')}` : letter;
    }
  });
  return `$'${letters.join('')}'`;
}

/** The text between two words. */
export function blank(choices: Choices): string {
  return choices.pick(' ', ' ', ' ', '  ', '\t', ' \\\n', ' \\\n\t', ' \t ');
}
