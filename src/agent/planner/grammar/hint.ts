/** A one-line hint on how to rephrase a request that is almost understood. */

import { editDistance } from '../../../kernel/similar-names.ts';
import { grammar } from './grammar.ts';
import { verbsOf } from './split-requests.ts';
import { trimPunctuation } from './slot-kinds.ts';
import { sourceTextOf, type RequestWord } from './words.ts';

export interface RequestHint {
  readonly text: string;
  /** The hint is useful only if one of these tools is available. */
  readonly tools: readonly string[];
}

/** Programs that people often type as a command. */
const programs = new Set(
  (
    'npm npx pnpm yarn bun deno node tsc vitest jest git gh make cmake cargo rustc go python python3 pip pip3 uv pytest ' +
    'docker kubectl mvn gradle java gcc bash sh sudo cd pwd cp mv rm mkdir rmdir chmod chown ln echo head tail wc sort ' +
    'sed awk curl wget tar unzip ssh which whoami env ps kill df du tree'
  ).split(' '),
);
const longestCommand = 120;
const additions = new Set(['append', 'prepend', 'insert']);
/** Verbs that too many other words resemble. */
const unlikely = new Set(['what', 'where']);

const verbs = [...verbsOf(grammar)].filter((verb) => verb.length > 2 && !unlikely.has(verb));

/** A hint for words that no row of the grammar matches. */
export function hintFor(words: readonly RequestWord[], source: string): RequestHint | undefined {
  const [first] = words;
  if (first === undefined || first.quote !== '') return undefined;
  const verb = trimPunctuation(first.text).toLowerCase();
  if (isCommand(words)) return { text: commandHint(sourceTextOf(source, words)), tools: ['run_command'] };
  if (additions.has(verb)) {
    const text = `I cannot ${verb}, but I can replace text: say \`replace "old text" with "old text and new text" in notes.txt\`.`;
    return { text, tools: ['edit_file'] };
  }
  const meant = nearVerb(verb);
  return meant === undefined ? undefined : { text: `Did you mean "${meant}"?`, tools: toolsOf(meant) };
}

/** `make test` is a command; `make a poem` is not. */
function isCommand([first, second]: readonly RequestWord[]): boolean {
  if (first === undefined || !programs.has(first.text)) return false;
  return second === undefined || second.quote !== '' || !/^(?:a|an|the|me|my|us|it|to)$/i.test(second.text);
}

function commandHint(command: string): string {
  const isShort = command.length <= longestCommand && !command.includes('\n');
  return isShort ? `To run it as a command, say "run ${command}".` : 'To run it as a command, begin with "run".';
}

/** The most similar verb. Short words are skipped, because they resemble too many others. */
function nearVerb(verb: string): string | undefined {
  if (verb.length < 4 || verb.length > 20 || verbs.includes(verb)) return undefined;
  const maxDistance = verb.length < 7 ? 1 : 2;
  const near = verbs.filter((known) => editDistance(verb, known) <= maxDistance || isTransposed(verb, known));
  return near.toSorted((a, b) => editDistance(verb, a) - editDistance(verb, b))[0];
}

/** True if two letters are swapped. */
function isTransposed(verb: string, known: string): boolean {
  return (
    editDistance(verb, known) === 2 && Array.from(verb).toSorted().join('') === Array.from(known).toSorted().join('')
  );
}

function toolsOf(verb: string): readonly string[] {
  return grammar.flatMap((row) => (row.tool !== undefined && verbsOf([row]).has(verb) ? [row.tool] : []));
}

/** True if one of the hint's tools is available, or the hint is not about a tool. */
export function isUseful({ tools }: RequestHint, listed: ReadonlySet<string>): boolean {
  return tools.length === 0 || tools.some((tool) => listed.has(tool));
}
