/** Converts a question in plain words to the arguments of `ask_question`. */

import type { JsonObject } from '../../../kernel/json.ts';

/** `which colour: red, green or blue` is a question with three options; without a colon it is open. */
export function parseQuestion(text: string): JsonObject {
  const colon = text.search(/:\s/);
  const options = colon === -1 ? [] : optionsIn(text.slice(colon + 1));
  const question = asQuestion(options.length > 1 ? text.slice(0, colon) : text);
  if (options.length < 2) return { question };
  const several = /\b(?:several|multiple|all that apply)\b/i.test(question);
  return { question, options: options.map((option) => ({ text: option })), ...(several ? { multi_select: true } : {}) };
}

function optionsIn(list: string): readonly string[] {
  return list
    .split(/,|\bor\b/i)
    .map((option) =>
      option
        .trim()
        .replace(/^["'`]/, '')
        .replace(/["'`?.!]$/, ''),
    )
    .filter((option) => option !== '');
}

function asQuestion(text: string): string {
  const words = text.trim().replaceAll(/^["'`“]|["'`”]$/g, '');
  return words.slice(0, 1).toUpperCase() + words.slice(1) + (/[?!.]$/.test(words) ? '' : '?');
}
