/** What the planner says of itself. */

import { grammar } from './grammar.ts';

const examples = grammar.map(({ example }) => `  ${example}`).join('\n');

const self = `I am Bridle's small built-in planner, not a language model. I turn a few plain requests into tool calls:

${examples}

Join several with "then", ";" or new lines. For anything else use a real model: --model anthropic/<id>.`;

const greetings = new Set(['', 'help', 'hi', 'hello', 'hey', 'who are you', 'what are you', 'what can you do']);

/** The whole answer to a message that only wants to know who is there. */
export function introduction(message: string): string | undefined {
  if (message.length > 100) return undefined;
  const said = message.toLowerCase().replaceAll(/[^a-z ]/g, '');
  return greetings.has(said.trim()) && /^[\x20-\x7e\s]*$/.test(message) ? self : undefined;
}

export function notUnderstood(problem: string): string {
  return `${problem} I have done nothing.\n\n${self}`;
}

export function notListed(missing: readonly string[], listed: ReadonlySet<string>): string {
  const has = listed.size === 0 ? 'I have no tools here.' : `I have: ${[...listed].toSorted().join(', ')}.`;
  const needs =
    missing.length === 1 ? `the tool ${missing[0]}, which is` : `the tools ${missing.join(', ')}, which are`;
  return `That needs ${needs} not among the tools I was given. ${has}`;
}
