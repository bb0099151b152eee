/**
 * Everything the planner understands: a table from phrases to tool calls, tried from top to bottom. In a phrase, `(a|b)`
 * is one of two words, `[a ]` an optional word, and `{name:kind}` a slot for the argument of that name (for the kinds,
 * see `plan.ts`). A slot that accepts a list makes one call for each value.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { BuiltinToolName } from '../../tools/builtin-tools.ts';

interface RequestOptions {
  /** An example for the help text. */
  readonly example: string;
  /** Arguments that the slots do not set. */
  readonly defaults?: JsonObject;
  /** Makes the arguments, where the slots are not the arguments themselves. Slots that the phrase lacks are missing. */
  readonly args?: (slots: Readonly<Record<string, string>>) => JsonObject;
  /** The tool changes nothing, so several such requests joined with `and` run concurrently. */
  readonly reads?: true;
  /** The rest of the line always belongs to the request. */
  readonly takesLine?: true;
}

export interface RequestRow extends RequestOptions {
  /** The tool; `undefined` if the request names it in the slot `tool`. */
  readonly tool: BuiltinToolName | undefined;
  readonly phrases: readonly string[];
}

/** `phrases` has one phrase per line. */
function row(tool: BuiltinToolName | undefined, options: RequestOptions, phrases: string): RequestRow {
  return { tool, ...options, phrases: phrases.trim().split(/\s*\n\s*/) };
}

const see = '(read|show|view|open|print|cat|display) [me ][the ]';
const whatIs = "(what|what's|what’s|whats) [(is|are) ]";
const make = '(create|write|make|add|save) [(a|an) ][new ][empty ]';
const touch = '(create|make|add|touch) [(a|an) ][new ][empty ]';
const search = '(search|look|grep) for [the ][(text|word|string) ]';
const uses = 'find [all ][the ](text|uses|usages|occurrences) [of ]';
const find = '(find|locate) [me ][all ][the ][a ][(files|file) ][(named|called|matching|like) ]';
const inFolder = '(in|under|inside|through) [the ][folder ]{directory_path:words}';
const here = { directory_path: '.' };

export const requestRows: readonly RequestRow[] = [
  row(
    'read_url_content',
    { example: 'fetch https://example.com' },
    '(fetch|get|download|read|open|browse|visit|show) [me ][the ][(url|page|site) ]{url:urls}',
  ),
  row(
    'view_file',
    { example: 'what is in README.md', reads: true },
    `${whatIs}(in|inside) [the ][(file|files) ]{file_path:files}
    what does {file_path:files} (say|contain)`,
  ),
  row(
    'list_directory',
    { example: 'list src', reads: true, defaults: here },
    `(list|show|find|display) [me ][the ][all ](files|folders|everything) (in|of|under|inside) [the ][(folder|directory) ]{directory_path:words}
    (list|show|display) [me ][the ][contents of ](folder|directory) {directory_path:words}
    list [me ][the ][all ](files|folders|everything)[ here]
    (list|ls)[ here]
    (list|ls) [the ][contents ][(of|in) ]{directory_path:words}[ (folder|directory)]
    what files are (in|under) [the ][folder ]{directory_path:words}
    what files are (here|there)
    ${whatIs}[(in|inside) ]here
    ${whatIs}(in|inside) [(the|this) ][current ](folder|directory)
    ${whatIs}(in|inside) [the ][(folder|directory) ]{directory_path:words}[ (folder|directory)]`,
  ),
  row(
    'view_file',
    { example: 'show me lines 10-20 of README.md', reads: true, args: lineArgs },
    `${see}(lines|line) {from:number}[(-|–|..| to | through | until | - ){to:number}] (of|in|from) [the ][file ]{path:word}
    ${see}first {to:number} lines (of|in|from) [the ][file ]{path:word}
    ${see}{path:word} lines {from:number}(-|–|..| to | through | until | - ){to:number}`,
  ),
  row(
    'view_file',
    { example: 'read README.md', reads: true },
    `${see}[(file|files|contents|content) ][of ][the ][file ]{file_path:words}`,
  ),
  row(
    'search_directory',
    { example: 'search for TODO in src', reads: true, defaults: here },
    `${search}{query:contents} ${inFolder}
    ${search}{query:contents}
    (search|grep) [(in|through|inside) ][the ][(folder|directory) ]{directory_path:words} [(folder|directory) ]for {query:contents}
    ${uses}{query:contents} ${inFolder}
    ${uses}{query:contents}
    (search|grep) {query:contents} ${inFolder}
    grep {query:word} {directory_path:words}
    (search|grep) {query:word}`,
  ),
  row(
    'find_file',
    { example: 'find files named *.test.ts', reads: true, defaults: here },
    `${find}{query:word} ${inFolder}
    ${find}{query:word}
    where (is|are) [the ][(file|files) ]{query:word}`,
  ),
  row(
    'create_file',
    { example: 'create notes.txt with hello world', defaults: { contents: '' } },
    `${make}[file ][(named|called) ]{file_path:path} with [the ](contents|content|text) {contents}
    ${make}[file ][(named|called) ]{file_path:path} (with|containing|saying) {contents}
    ${make}file [(named|called) ]{file_path:word} (with|containing|saying) {contents}
    (write|save|put) {contents} (to|in|into|as) [the ][a ][new ][file ]{file_path:path}
    ${touch}[file ][(named|called) ]{file_path:path}
    ${touch}file [(named|called) ]{file_path:word}`,
  ),
  row(
    'edit_file',
    { example: 'replace all "colour" with "color" in notes.txt', defaults: { replace_all: true } },
    '(replace|change) (all|every) [occurrences ][of ]{old_text:before} (with|by|to) {new_text:contents} (in|inside) {file_path:path}',
  ),
  row(
    'edit_file',
    { example: 'replace "hello" with "good morning" in notes.txt', defaults: { new_text: '' } },
    `(replace|change|substitute) {old_text:before} (with|by|to) {new_text:contents} (in|inside) [the ][file ]{file_path:path}
    (edit|update) [the ][file ]{file_path:path} (replace|replacing|change|changing) {old_text:before} (with|by|to) {new_text:contents}
    (delete|remove) {old_text:contents} from [the ][file ]{file_path:path}`,
  ),
  row(
    'run_command',
    { example: 'delete notes.txt', args: deleteArgs },
    '(delete|remove) [the ][(file|files|folder|directory) ]{path:names}[ (folder|directory)]',
  ),
  row(
    'run_command',
    { example: 'run `ls -la`' },
    `(run|execute) [the ][command ]{command_line:quoted} (in|inside|under) [the ][(folder|directory) ]{working_dir:word}
    (run|execute) [the ]command {command_line:text}
    (run|execute|\\$) {command_line:command}`,
  ),
  row(
    'ask_question',
    { example: 'ask me which colour: red, green or blue', args: questionArgs },
    `ask (me|us|the user) {question:text}
    ask {question:quoted}`,
  ),
  row(
    'start_subagent',
    { example: 'delegate to researcher: search for TODO in src', takesLine: true },
    `delegate [this ]to [the ][(agent|subagent) ]{agent:word} {prompt:text}
    start [the ][a ]subagent {agent:word} (to|with) {prompt:text}`,
  ),
  row(
    'finish',
    { example: 'finish with all is well', defaults: { result: 'done' } },
    `finish [with ][the ][result ]{result:text}
    finish`,
  ),
  row(
    undefined,
    {
      example: 'call some_tool with {"key": "value"}',
      takesLine: true,
      args: ({ json = '{}' }) => JSON.parse(json) as JsonObject,
    },
    '(call|use) [the ][tool ]{tool:word}[ [with ][the ][(arguments|args) ]{json}]',
  ),
];

function lineArgs({ path = '', from = '1', to = from }: Readonly<Record<string, string>>): JsonObject {
  return { file_path: path, start_line: Number(from), end_line: Number(to) };
}

/** The path is a word of a command line, and never an option. */
function deleteArgs({ path = '' }: Readonly<Record<string, string>>): JsonObject {
  const isPlain = /^[\w./@+][\w./@+-]*$/.test(path);
  const word = isPlain ? path : `-- '${path.replaceAll("'", String.raw`'\''`)}'`;
  return { command_line: `rm ${/\.\w+$/.test(path) ? '' : '-r '}${word}` };
}

/** `which colour: red, green or blue` is a question with three options; without a colon it is open. */
function questionArgs({ question: text = '' }: Readonly<Record<string, string>>): JsonObject {
  const colon = text.search(/:\s/);
  const options = (colon === -1 ? '' : text.slice(colon + 1))
    .split(/,|\bor\b/i)
    .map((option) => option.trim().replaceAll(/^["'`]|["'`?.!]$/g, ''))
    .filter((option) => option !== '');
  const words = (options.length > 1 ? text.slice(0, colon) : text).trim();
  const question = words.slice(0, 1).toUpperCase() + words.slice(1) + (/[?!.]$/.test(words) ? '' : '?');
  if (options.length < 2) return { questions: [{ question }] };
  const several = /\b(?:several|multiple|all that apply)\b/i.test(question) ? { multi_select: true } : {};
  return { questions: [{ question, options: options.map((option) => ({ text: option })), ...several }] };
}
