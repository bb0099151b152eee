/** One line for requests that are nearly understood: how to say it so that they are. */

import { editDistance } from '../../../kernel/similar-names.ts';
import { grammar } from './grammar.ts';
import { verbsOf } from './split-requests.ts';
import { trimPunctuation } from './slot-kinds.ts';
import { sourceTextOf, type RequestWord } from './words.ts';

export interface RequestHint {
  readonly text: string;
  /** It helps where one of these tools is listed. */
  readonly tools: readonly string[];
}

/** Programs that people start by their name. */
const programs = new Set(
  (
    'npm npx pnpm yarn bun deno node tsc vitest jest git gh make cmake cargo rustc go python python3 pip pip3 uv pytest ' +
    'docker kubectl mvn gradle java gcc bash sh sudo cd pwd cp mv rm mkdir rmdir chmod chown ln echo head tail wc sort ' +
    'sed awk curl wget tar unzip ssh which whoami env ps kill df du tree'
  ).split(' '),
);
const longestCommand = 120;
const additions = new Set(['append', 'prepend', 'insert']);
/** Many words look like these. */
const unlikely = new Set(['what', 'where']);

const verbs = [...verbsOf(grammar)].filter((verb) => verb.length > 2 && !unlikely.has(verb));

/** A hint for words that no row of the grammar matches. */
export function hintFor(words: readonly RequestWord[], source: string): RequestHint | undefined {
  const [first] = words;
  if (first === undefined || first.quote !== '') return undefined;
  const verb = trimPunctuation(first.text).toLowerCase();
  if (isCommand(words)) return { text: commandHint(sourceTextOf(source, words)), tools: ['run_command'] };
  if (additions.has(verb)) {
    const text = `I cannot ${verb}, but I can replace: say \`replace "old words" with "old words and new ones" in notes.txt\`.`;
    return { text, tools: ['edit_file'] };
  }
  const meant = nearVerb(verb);
  return meant === undefined ? undefined : { text: `Did you mean "${meant}"?`, tools: toolsOf(meant) };
}

/** `make a poem` is a wish, `make test` is a command. */
function isCommand([first, second]: readonly RequestWord[]): boolean {
  if (first === undefined || !programs.has(first.text)) return false;
  return second === undefined || second.quote !== '' || !/^(?:a|an|the|me|my|us|it|to)$/i.test(second.text);
}

function commandHint(command: string): string {
  const isShort = command.length <= longestCommand && !command.includes('\n');
  return isShort ? `To run it as a command, say "run ${command}".` : 'To run it as a command, begin with "run".';
}

/** Short words have many neighbours that mean something else. */
function nearVerb(verb: string): string | undefined {
  if (verb.length < 4 || verb.length > 20 || verbs.includes(verb)) return undefined;
  const most = verb.length < 7 ? 1 : 2;
  const near = verbs.filter((known) => editDistance(verb, known) <= most || isTransposed(verb, known));
  return near.toSorted((a, b) => editDistance(verb, a) - editDistance(verb, b))[0];
}

/** Two letters have changed places. */
function isTransposed(verb: string, known: string): boolean {
  return (
    editDistance(verb, known) === 2 && Array.from(verb).toSorted().join('') === Array.from(known).toSorted().join('')
  );
}

function toolsOf(verb: string): readonly string[] {
  return grammar.flatMap((row) => (row.tool !== undefined && verbsOf([row]).has(verb) ? [row.tool] : []));
}

/** Whether a hint is of use to who has these tools; one about no tool in particular always is. */
export function isUseful({ tools }: RequestHint, listed: ReadonlySet<string>): boolean {
  return tools.length === 0 || tools.some((tool) => listed.has(tool));
}
