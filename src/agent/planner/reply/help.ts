/** The planner's help text and its answers to requests it cannot fulfil. */

import { grammar } from '../grammar/grammar.ts';

/** The full help text, with examples for the available tools. */
function helpText(listed: ReadonlySet<string>): string {
  const rows = grammar.filter(({ tool }) => (tool === undefined ? listed.size > 0 : listed.has(tool)));
  const examples = rows.map(({ example }) => `  ${example}`);
  if (rows.length === 0) return `${selfText}, but I have no tools here. ${realModelText}`;
  return [`${selfText}:`, '', ...examples, '', `${joiningText} ${realModelText}`].join('\n');
}

const selfText =
  "I am Bridle's small built-in planner, not a language model. I turn a few plain requests into tool calls";
const joiningText = 'Join several with "then", ";" or new lines.';
const realModelText = 'For anything else, use a real model: --model anthropic/<id>.';

const greetings = new Set(['', 'help', 'hi', 'hello', 'hey', 'who are you', 'what are you', 'what can you do']);

/** The answer to a greeting or a request for help. */
export function introduction(message: string, listed: ReadonlySet<string>): string | undefined {
  if (message.length > 100) return undefined;
  const words = message.toLowerCase().replaceAll(/[^a-z ]/g, '');
  return greetings.has(words.trim()) && /^[\x20-\x7e\s]*$/.test(message) ? helpText(listed) : undefined;
}

/** One line with the hint if there is one, otherwise the full help text. */
export function notUnderstoodText(problem: string, hint: string | undefined, listed: ReadonlySet<string>): string {
  const start = `${problem} I have done nothing.`;
  return hint === undefined ? `${start}\n\n${helpText(listed)}` : `${start} ${hint} "help" lists what I understand.`;
}

export function missingToolsText(missing: readonly string[], listed: ReadonlySet<string>): string {
  const has = listed.size === 0 ? 'I have no tools here.' : `I have: ${[...listed].toSorted().join(', ')}.`;
  const needs =
    missing.length === 1 ? `the tool ${missing[0]}, which is` : `the tools ${missing.join(', ')}, which are`;
  return `That needs ${needs} not available here. ${has}`;
}
