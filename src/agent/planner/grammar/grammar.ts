/**
 * Everything the planner understands: a table from phrases to tool calls. Rows are tried from top to bottom. In a
 * phrase, `a|b` is either word, `[a]` an optional word, and `{name:kind}` a slot (for kinds, see `slot-kinds.ts`). A
 * slot that accepts a list makes one call for each value.
 */

import type { JsonObject } from '../../../kernel/json.ts';
import { parseQuestion } from './ask-question-args.ts';
import { parseLineRange } from './slot-kinds.ts';

/** The values of the slots, by name. Slots that the phrase does not have are missing. */
export type SlotValues = Readonly<Record<string, string>>;

export interface GrammarRow {
  /** The tool; `undefined` if the request names it in the slot `tool`. */
  readonly tool: string | undefined;
  readonly phrases: readonly string[];
  readonly args: (slots: SlotValues) => JsonObject;
  /** An example for the help text. */
  readonly example: string;
  /** The tool changes nothing, so several such requests joined with `and` run concurrently. */
  readonly reads?: true;
  /** The rest of the line always belongs to the request. */
  readonly takesLine?: true;
}

const see = 'read|show|view|open|print|cat|display [me] [the]';
const whatIs = "what|what's|what’s|whats [is|are]";
const make = 'create|write|make|add|save [a|an] [new] [empty]';

export const grammar: readonly GrammarRow[] = [
  {
    tool: 'read_url_content',
    phrases: ['fetch|get|download|read|open|browse|visit|show [me] [the] [url|page|site] {url:url}'],
    args: ({ url = '' }) => ({ url }),
    example: 'fetch https://example.com',
  },
  {
    tool: 'view_file',
    phrases: [`${whatIs} in|inside [the] [file|files] {path:file}`],
    args: ({ path = '' }) => ({ file_path: path }),
    example: 'what is in README.md',
    reads: true,
  },
  {
    tool: 'list_directory',
    phrases: [
      'list|show|find|display [me] [the] [all] files|folders|everything in|of|under|inside [the] [folder|directory] {folder:words}',
      'list|show|display [me] [the] [contents] [of] folder|directory {folder:words}',
      'list [me] [the] [all] files|folders|everything [here]',
      'list|ls [here]',
      'list|ls [the] [contents] [of|in] {folder:words} [folder|directory]',
      'what files are in|under [the] [folder] {folder:words}',
      'what files are here|there',
      `${whatIs} here`,
      `${whatIs} in|inside here`,
      `${whatIs} in|inside [the|this] [current] folder|directory`,
      `${whatIs} in|inside [the] [folder|directory] {folder:words} [folder|directory]`,
    ],
    args: ({ folder }) => ({ directory_path: folder ?? '.' }),
    example: 'list src',
    reads: true,
  },
  {
    tool: 'view_file',
    phrases: [
      `${see} lines {lines:range} of|in|from [the] [file] {path}`,
      `${see} lines {from:number} to|through|until|- {to:number} of|in|from [the] [file] {path}`,
      `${see} first {to:number} lines of|in|from [the] [file] {path}`,
      `${see} line {line:number} of|in|from [the] [file] {path}`,
      `${see} {path} lines {lines:range}`,
      `${see} {path} lines {from:number} to|through|until|- {to:number}`,
      `${see} [file|files|contents|content] [of] [the] [file] {path:words}`,
    ],
    args: ({ path = '', lines, line, from, to }) => ({ file_path: path, ...lineArgs({ lines, line, from, to }) }),
    example: 'show me lines 10-20 of README.md',
    reads: true,
  },
  {
    tool: 'search_directory',
    phrases: [
      'search|look|grep for [the] [text|word|string] {query:contents} in|under|inside|through [the] [folder] {folder:words}',
      'search|look|grep for [the] [text|word|string] {query:contents}',
      'search|grep [in|through|inside] [the] [folder|directory] {folder:words} [folder|directory] for {query:contents}',
      'find [all] [the] text|uses|usages|occurrences [of] {query:contents} in|under|inside {folder:words}',
      'find [all] [the] text|uses|usages|occurrences [of] {query:contents}',
      'search|grep {query:contents} in|under|inside|through {folder:words}',
      'grep {query} {folder:words}',
      'search|grep {query}',
    ],
    args: ({ query = '', folder = '.' }) => ({ directory_path: folder, query }),
    example: 'search for TODO in src',
    reads: true,
  },
  {
    tool: 'find_file',
    phrases: [
      'find|locate [me] [all] [the] [a] [files|file] [named|called|matching|like] {query} in|under|inside [the] [folder] {folder:words}',
      'find|locate [me] [all] [the] [a] [files|file] [named|called|matching|like] {query}',
      'where is|are [the] [file|files] {query}',
    ],
    args: ({ query = '', folder = '.' }) => ({ directory_path: folder, query }),
    example: 'find files named *.test.ts',
    reads: true,
  },
  {
    tool: 'create_file',
    phrases: [
      `${make} [file] [named|called] {path:path} with the contents|content|text {contents:contents}`,
      `${make} [file] [named|called] {path:path} with contents|content {contents:contents}`,
      `${make} [file] [named|called] {path:path} with|containing|saying {contents:contents}`,
      `${make} file [named|called] {path} with|containing|saying {contents:contents}`,
      'write|save|put {contents:contents} to|in|into|as [the] [a] [new] [file] {path:path}',
      'create|make|add|touch [a|an] [new] [empty] [file] [named|called] {path:path}',
      'create|make|add|touch [a|an] [new] [empty] file [named|called] {path}',
    ],
    args: ({ path = '', contents = '' }) => ({ file_path: path, contents }),
    example: 'create notes.txt with hello world',
  },
  {
    tool: 'edit_file',
    phrases: [
      'replace|change all|every [occurrences] [of] {old:contents} with|by|to {new:contents} in|inside {path:path}',
    ],
    args: ({ path = '', old = '', new: text = '' }) => ({
      file_path: path,
      old_text: old,
      new_text: text,
      replace_all: true,
    }),
    example: 'replace all "colour" with "color" in notes.txt',
  },
  {
    tool: 'edit_file',
    phrases: [
      'replace|change|substitute {old:contents} with|by|to {new:contents} in|inside [the] [file] {path:path}',
      'edit|update [the] [file] {path:path} replace|replacing|change|changing {old:contents} with|by|to {new:contents}',
      'delete|remove {old:contents} from [the] [file] {path:path}',
    ],
    args: ({ path = '', old = '', new: text = '' }) => ({ file_path: path, old_text: old, new_text: text }),
    example: 'replace "hello" with "good morning" in notes.txt',
  },
  {
    tool: 'run_command',
    phrases: [
      'run|execute [the] [command] {command:quoted} in|inside|under [the] [folder|directory] {folder}',
      'run|execute the command {command:text}',
      'run|execute command {command:text}',
      'run|execute|$ {command:command}',
    ],
    args: ({ command = '', folder }) => ({
      command_line: command,
      ...(folder === undefined ? {} : { working_dir: folder }),
    }),
    example: 'run `ls -la`',
  },
  {
    tool: 'ask_question',
    phrases: ['ask me|us {question:text}', 'ask the user {question:text}', 'ask {question:quoted}'],
    args: ({ question = '' }) => ({ questions: [parseQuestion(question)] }),
    example: 'ask me which colour: red, green or blue',
  },
  {
    tool: 'start_subagent',
    phrases: [
      'delegate [this] to [the] [agent|subagent] {agent} {prompt:text}',
      'start [the] [a] subagent {agent} to|with {prompt:text}',
    ],
    args: ({ agent = '', prompt = '' }) => ({ agent, prompt }),
    example: 'delegate to researcher: search for TODO in src',
    takesLine: true,
  },
  {
    tool: 'finish',
    phrases: ['finish [with] [the] [result] {result:text}', 'finish'],
    args: ({ result = 'done' }) => ({ result }),
    example: 'finish with all is well',
  },
  {
    tool: undefined,
    phrases: [
      'call|use [the] [tool] {tool} with [the] [arguments|args] {json:text}',
      'call|use [the] [tool] {tool} {json:quoted}',
      'call|use [the] [tool] {tool}',
    ],
    args: ({ json = '{}' }) => JSON.parse(json) as JsonObject,
    example: 'call some_tool with {"key": "value"}',
  },
];

type Lines = Readonly<Record<'lines' | 'line' | 'from' | 'to', string | undefined>>;

function lineArgs({ lines, line, from, to }: Lines): JsonObject {
  const range = lines === undefined ? undefined : parseLineRange(lines);
  if (range !== undefined) return { start_line: range[0], end_line: range[1] };
  if (line !== undefined) return { start_line: Number(line), end_line: Number(line) };
  return to === undefined ? {} : { start_line: Number(from ?? 1), end_line: Number(to) };
}
