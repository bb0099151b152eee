/**
 * Everything the planner understands: a table from phrases to tool calls, tried from top to bottom. In a phrase, `(a|b)`
 * is one of two words, `[a ]` an optional word, and `{name:kind}` a slot for the argument of that name (for the kinds,
 * see `plan.ts`). A slot that accepts a list makes one call for each value.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { BuiltinToolName } from '../../tools/builtin-tools.ts';

/** The values of the slots, by name. Slots that the phrase does not have are missing. */
type SlotValues = Readonly<Record<string, string>>;

export interface RequestRow {
  /** The tool; `undefined` if the request names it in the slot `tool`. */
  readonly tool: BuiltinToolName | undefined;
  readonly phrases: readonly string[];
  /** Arguments that the slots do not set. */
  readonly defaults?: JsonObject;
  /** Makes the arguments, where the slots are not the arguments themselves. */
  readonly args?: (slots: SlotValues) => JsonObject;
  /** An example for the help text. */
  readonly example: string;
  /** The tool changes nothing, so several such requests joined with `and` run concurrently. */
  readonly reads?: true;
  /** The rest of the line always belongs to the request. */
  readonly takesLine?: true;
}

const see = '(read|show|view|open|print|cat|display) [me ][the ]';
const whatIs = "(what|what's|what’s|whats) [(is|are) ]";
const make = '(create|write|make|add|save) [(a|an) ][new ][empty ]';
const search = '(search|look|grep) for [the ][(text|word|string) ]';
const uses = 'find [all ][the ](text|uses|usages|occurrences) [of ]';
const find = '(find|locate) [me ][all ][the ][a ][(files|file) ][(named|called|matching|like) ]';

export const requestRows: readonly RequestRow[] = [
  {
    tool: 'read_url_content',
    phrases: ['(fetch|get|download|read|open|browse|visit|show) [me ][the ][(url|page|site) ]{url:urls}'],
    example: 'fetch https://example.com',
  },
  {
    tool: 'view_file',
    phrases: [
      `${whatIs}(in|inside) [the ][(file|files) ]{file_path:files}`,
      'what does {file_path:files} (say|contain)',
    ],
    example: 'what is in README.md',
    reads: true,
  },
  {
    tool: 'list_directory',
    phrases: [
      '(list|show|find|display) [me ][the ][all ](files|folders|everything) (in|of|under|inside) [the ][(folder|directory) ]{directory_path:words}',
      '(list|show|display) [me ][the ][contents of ](folder|directory) {directory_path:words}',
      'list [me ][the ][all ](files|folders|everything)[ here]',
      '(list|ls)[ here]',
      '(list|ls) [the ][contents ][(of|in) ]{directory_path:words}[ (folder|directory)]',
      'what files are (in|under) [the ][folder ]{directory_path:words}',
      'what files are (here|there)',
      `${whatIs}[(in|inside) ]here`,
      `${whatIs}(in|inside) [(the|this) ][current ](folder|directory)`,
      `${whatIs}(in|inside) [the ][(folder|directory) ]{directory_path:words}[ (folder|directory)]`,
    ],
    defaults: { directory_path: '.' },
    example: 'list src',
    reads: true,
  },
  {
    tool: 'view_file',
    phrases: [
      `${see}(lines|line) {from:number}[(-|–|..| to | through | until | - ){to:number}] (of|in|from) [the ][file ]{path:word}`,
      `${see}first {to:number} lines (of|in|from) [the ][file ]{path:word}`,
      `${see}{path:word} lines {from:number}(-|–|..| to | through | until | - ){to:number}`,
    ],
    args: ({ path = '', from = '1', to = from }) => ({
      file_path: path,
      start_line: Number(from),
      end_line: Number(to),
    }),
    example: 'show me lines 10-20 of README.md',
    reads: true,
  },
  {
    tool: 'view_file',
    phrases: [`${see}[(file|files|contents|content) ][of ][the ][file ]{file_path:words}`],
    example: 'read README.md',
    reads: true,
  },
  {
    tool: 'search_directory',
    phrases: [
      `${search}{query:contents} (in|under|inside|through) [the ][folder ]{directory_path:words}`,
      `${search}{query:contents}`,
      '(search|grep) [(in|through|inside) ][the ][(folder|directory) ]{directory_path:words} [(folder|directory) ]for {query:contents}',
      `${uses}{query:contents} (in|under|inside) {directory_path:words}`,
      `${uses}{query:contents}`,
      '(search|grep) {query:contents} (in|under|inside|through) {directory_path:words}',
      'grep {query:word} {directory_path:words}',
      '(search|grep) {query:word}',
    ],
    defaults: { directory_path: '.' },
    example: 'search for TODO in src',
    reads: true,
  },
  {
    tool: 'find_file',
    phrases: [
      `${find}{query:word} (in|under|inside) [the ][folder ]{directory_path:words}`,
      `${find}{query:word}`,
      'where (is|are) [the ][(file|files) ]{query:word}',
    ],
    defaults: { directory_path: '.' },
    example: 'find files named *.test.ts',
    reads: true,
  },
  {
    tool: 'create_file',
    phrases: [
      `${make}[file ][(named|called) ]{file_path:path} with [the ](contents|content|text) {contents}`,
      `${make}[file ][(named|called) ]{file_path:path} (with|containing|saying) {contents}`,
      `${make}file [(named|called) ]{file_path:word} (with|containing|saying) {contents}`,
      '(write|save|put) {contents} (to|in|into|as) [the ][a ][new ][file ]{file_path:path}',
      '(create|make|add|touch) [(a|an) ][new ][empty ][file ][(named|called) ]{file_path:path}',
      '(create|make|add|touch) [(a|an) ][new ][empty ]file [(named|called) ]{file_path:word}',
    ],
    defaults: { contents: '' },
    example: 'create notes.txt with hello world',
  },
  {
    tool: 'edit_file',
    phrases: [
      '(replace|change) (all|every) [occurrences ][of ]{old_text:before} (with|by|to) {new_text:contents} (in|inside) {file_path:path}',
    ],
    defaults: { replace_all: true },
    example: 'replace all "colour" with "color" in notes.txt',
  },
  {
    tool: 'edit_file',
    phrases: [
      '(replace|change|substitute) {old_text:before} (with|by|to) {new_text:contents} (in|inside) [the ][file ]{file_path:path}',
      '(edit|update) [the ][file ]{file_path:path} (replace|replacing|change|changing) {old_text:before} (with|by|to) {new_text:contents}',
      '(delete|remove) {old_text:contents} from [the ][file ]{file_path:path}',
    ],
    defaults: { new_text: '' },
    example: 'replace "hello" with "good morning" in notes.txt',
  },
  {
    tool: 'run_command',
    phrases: ['(delete|remove) [the ][(file|files|folder|directory) ]{path:names}[ (folder|directory)]'],
    args: ({ path = '' }) => ({ command_line: `rm ${/\.\w+$/.test(path) ? '' : '-r '}${shellWord(path)}` }),
    example: 'delete notes.txt',
  },
  {
    tool: 'run_command',
    phrases: [
      '(run|execute) [the ][command ]{command_line:quoted} (in|inside|under) [the ][(folder|directory) ]{working_dir:word}',
      '(run|execute) [the ]command {command_line:text}',
      '(run|execute|\\$) {command_line:command}',
    ],
    example: 'run `ls -la`',
  },
  {
    tool: 'ask_question',
    phrases: ['ask (me|us|the user) {question:text}', 'ask {question:quoted}'],
    args: ({ question = '' }) => ({ questions: [parseQuestion(question)] }),
    example: 'ask me which colour: red, green or blue',
  },
  {
    tool: 'start_subagent',
    phrases: [
      'delegate [this ]to [the ][(agent|subagent) ]{agent:word} {prompt:text}',
      'start [the ][a ]subagent {agent:word} (to|with) {prompt:text}',
    ],
    example: 'delegate to researcher: search for TODO in src',
    takesLine: true,
  },
  {
    tool: 'finish',
    phrases: ['finish [with ][the ][result ]{result:text}', 'finish'],
    defaults: { result: 'done' },
    example: 'finish with all is well',
  },
  {
    tool: undefined,
    phrases: ['(call|use) [the ][tool ]{tool:word}[ [with ][the ][(arguments|args) ]{json}]'],
    args: ({ json = '{}' }) => JSON.parse(json) as JsonObject,
    example: 'call some_tool with {"key": "value"}',
    takesLine: true,
  },
];

/** A path as a word of a command line, never as an option. */
function shellWord(path: string): string {
  return /^[\w./@+][\w./@+-]*$/.test(path) ? path : `-- '${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** `which colour: red, green or blue` is a question with three options; without a colon it is open. */
function parseQuestion(text: string): JsonObject {
  const colon = text.search(/:\s/);
  const options = (colon === -1 ? '' : text.slice(colon + 1))
    .split(/,|\bor\b/i)
    .map((option) => option.trim().replaceAll(/^["'`]|["'`?.!]$/g, ''))
    .filter((option) => option !== '');
  const words = (options.length > 1 ? text.slice(0, colon) : text).trim();
  const question = words.slice(0, 1).toUpperCase() + words.slice(1) + (/[?!.]$/.test(words) ? '' : '?');
  if (options.length < 2) return { question };
  const several = /\b(?:several|multiple|all that apply)\b/i.test(question);
  return { question, options: options.map((option) => ({ text: option })), ...(several ? { multi_select: true } : {}) };
}
