/** A question in plain words as `ask_question` wants it. */

import type { JsonObject } from '../../../kernel/json.ts';

/** `which colour: red, green or blue` is a question with three options; without a colon it is open. */
export function parseQuestion(said: string): JsonObject {
  const colon = said.search(/:\s/);
  const options = colon === -1 ? [] : optionsIn(said.slice(colon + 1));
  const question = asQuestion(options.length > 1 ? said.slice(0, colon) : said);
  if (options.length < 2) return { question };
  const several = /\b(?:several|multiple|all that apply)\b/i.test(question);
  return { question, options: options.map((text) => ({ text })), ...(several ? { multi_select: true } : {}) };
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
