/** What the planner says of itself. */

import { grammar } from '../grammar/grammar.ts';

/** Everything there is to say, with examples for the tools that may be called. */
function helpText(listed: ReadonlySet<string>): string {
  const rows = grammar.filter(({ tool }) => (tool === undefined ? listed.size > 0 : listed.has(tool)));
  const examples = rows.map(({ example }) => `  ${example}`);
  if (rows.length === 0) return `${selfText}, but I have no tools here. ${realModelText}`;
  return [`${selfText}:`, '', ...examples, '', `${joiningText} ${realModelText}`].join('\n');
}

const selfText =
  "I am Bridle's small built-in planner, not a language model. I turn a few plain requests into tool calls";
const joiningText = 'Join several with "then", ";" or new lines.';
const realModelText = 'For anything else use a real model: --model anthropic/<id>.';

const greetings = new Set(['', 'help', 'hi', 'hello', 'hey', 'who are you', 'what are you', 'what can you do']);

/** The whole answer to a message that only wants to know who is there. */
export function introduction(message: string, listed: ReadonlySet<string>): string | undefined {
  if (message.length > 100) return undefined;
  const said = message.toLowerCase().replaceAll(/[^a-z ]/g, '');
  return greetings.has(said.trim()) && /^[\x20-\x7e\s]*$/.test(message) ? helpText(listed) : undefined;
}

/** One line with a hint, where there is one; else everything. */
export function notUnderstoodText(problem: string, hint: string | undefined, listed: ReadonlySet<string>): string {
  const said = `${problem} I have done nothing.`;
  return hint === undefined ? `${said}\n\n${helpText(listed)}` : `${said} ${hint} "help" lists what I understand.`;
}

export function missingToolsText(missing: readonly string[], listed: ReadonlySet<string>): string {
  const has = listed.size === 0 ? 'I have no tools here.' : `I have: ${[...listed].toSorted().join(', ')}.`;
  const needs =
    missing.length === 1 ? `the tool ${missing[0]}, which is` : `the tools ${missing.join(', ')}, which are`;
  return `That needs ${needs} not among the tools I was given. ${has}`;
}
