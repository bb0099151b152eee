/**
 * The one list of built-in tools: the declaration of each and what the docs say about it. Everything else is derived
 * from it: declarations for policies, the tools of an agent (`create-builtin-tools.ts` adds the code), the table in the
 * docs. Reading the list loads none of the code that runs.
 */

import type { Grant, Tier } from '../kernel/call.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ToolDeclaration, ToolTouches } from '../kernel/tool.ts';
import { type JsonSchema, kib, seconds } from './definition/runnable-tool.ts';

export interface BuiltinTool {
  readonly name: string;
  /** For the docs: `docs/guides/tools.md`. */
  readonly doc: string;
  /** For the model. */
  readonly description: string;
  readonly tier: Tier;
  /** Its `properties` are the arguments, in order. */
  readonly schema: JsonSchema & { readonly properties: JsonSchema; readonly required: readonly string[] };
  readonly touches?: ToolTouches;
  readonly aliases: NonNullable<ToolDeclaration['aliases']>;
  readonly grant: Grant;
  /** The option with the provider that the tool needs. Without one, the tool is absent. */
  readonly provider?: 'generateImage' | 'searchWeb';
}

/** An object schema without further properties. */
function argsSchema(properties: JsonSchema, required: readonly string[]): BuiltinTool['schema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

function text(description: string, maxLength?: number): JsonObject {
  return { type: 'string', minLength: 1, ...(maxLength === undefined ? {} : { maxLength }), description };
}

const fileAliases = { path: 'file_path', AbsolutePath: 'file_path', TargetFile: 'file_path' };
const folderAliases = { DirectoryPath: 'directory_path', path: 'directory_path' };

/** The argument of `ask_question`. */
const question = {
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, maxLength: 4000 },
    options: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string', minLength: 1, maxLength: 4000 },
          description: { type: 'string', maxLength: 4000 },
        },
        required: ['text'],
        additionalProperties: false,
      },
      maxItems: 20,
      description: 'The choices; none for free text.',
    },
    multi_select: { type: 'boolean', description: 'True if several options may be chosen.' },
  },
  required: ['question'],
  additionalProperties: false,
};

/** The agent runtime runs it. */
export const startSubagentTool = {
  name: 'start_subagent',
  doc: 'starts one of the [subagents](subagents.md), if there are any',
  description:
    'Gives a task to another agent and waits for its answer. It does not see this conversation: put everything it needs ' +
    'into the prompt.',
  tier: 'confirm',
  schema: argsSchema({ agent: text('The name of the agent.'), prompt: text('The task, complete in itself.') }, [
    'agent',
    'prompt',
  ]),
  touches: {},
  aliases: { names: ['START_SUBAGENT'] },
  grant: { timeoutMs: 3600 * seconds, outputBytes: 256 * kib },
} as const satisfies BuiltinTool;

const rows = [
  {
    name: 'list_directory',
    doc: 'lists names and sizes',
    description:
      'Lists a folder, one entry per line: folders first, with a trailing slash, then files with their size. ' +
      'Not recursive: use find_file to find a file in a whole tree.',
    tier: 'observe',
    schema: argsSchema({ directory_path: text('The folder to list.') }, ['directory_path']),
    touches: { reads: ['directory_path'] },
    aliases: { names: ['list_dir', 'LIST_DIR'], args: folderAliases },
    grant: { timeoutMs: 30 * seconds, outputBytes: 128 * kib },
  },
  {
    name: 'search_directory',
    doc: 'finds text in files, except those that `.gitignore` excludes',
    description:
      'Searches the text of all files below a folder, respecting .gitignore and skipping binary files. Returns file, line ' +
      'number and line of each match. The query is plain text unless regex is true (RE2 syntax).',
    tier: 'observe',
    schema: argsSchema(
      {
        directory_path: text('The folder to search.'),
        query: text('What to look for.', 10_000),
        regex: { type: 'boolean', description: 'The query is a regular expression.' },
        ignore_case: { type: 'boolean', description: 'Ignore upper and lower case.' },
        include: text('Only files that match: *.ts, src/**/*.md', 1000),
        context_lines: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines shown around each match.' },
      },
      ['directory_path', 'query'],
    ),
    touches: { reads: ['directory_path'] },
    aliases: {
      names: ['grep_search', 'SEARCH_DIR'],
      args: { ...folderAliases, SearchPath: 'directory_path', Query: 'query' },
    },
    grant: { timeoutMs: 60 * seconds, outputBytes: 128 * kib },
  },
  {
    name: 'find_file',
    doc: 'finds files by name or pattern, except those that `.gitignore` excludes',
    description:
      'Finds files below a folder by name, respecting .gitignore. The query is part of the name (config), a pattern for ' +
      'the whole name (*.test.ts), or, with a slash, for the whole path below the folder (src/**/*.ts). Ignores case.',
    tier: 'observe',
    schema: argsSchema(
      { directory_path: text('The folder to look in.'), query: text('Part of the name, or a pattern.', 1000) },
      ['directory_path', 'query'],
    ),
    touches: { reads: ['directory_path'] },
    aliases: { names: ['find_by_name', 'FIND_FILE'], args: { ...folderAliases, Query: 'query' } },
    grant: { timeoutMs: 60 * seconds, outputBytes: 64 * kib },
  },
  {
    name: 'view_file',
    doc: 'shows text with line numbers; images and PDF as media; other binary files are named, not shown',
    description:
      'Reads a text file, each line with its number. It shows at most 2000 lines: give start_line and end_line ' +
      'to read on. Images, PDF, audio and video are attached. The numbers are not part of the file.',
    tier: 'observe',
    schema: argsSchema(
      {
        file_path: text('The file to read.'),
        start_line: { type: 'integer', minimum: 1, description: 'The first line to show, counted from 1.' },
        end_line: { type: 'integer', minimum: 1, description: 'The last line to show.' },
      },
      ['file_path'],
    ),
    touches: { reads: ['file_path'] },
    aliases: { names: ['read_file', 'VIEW_FILE'], args: fileAliases },
    grant: { timeoutMs: 60 * seconds, outputBytes: 256 * kib },
  },
  {
    name: 'create_file',
    doc: 'writes a file atomically',
    description:
      'Writes a whole file. Creates missing folders. Replaces an existing file, and the result says so. ' +
      'To change part of a file, use edit_file.',
    tier: 'confirm',
    schema: argsSchema(
      {
        file_path: text('The file to write.'),
        contents: { type: 'string', description: 'The complete contents of the file.' },
      },
      ['file_path', 'contents'],
    ),
    touches: { writes: ['file_path'] },
    aliases: { names: ['write_to_file', 'CREATE_FILE'], args: fileAliases },
    grant: { timeoutMs: 30 * seconds, outputBytes: 8 * kib },
  },
  {
    name: 'edit_file',
    doc: 'replaces text that must occur exactly once, unless `replace_all` is true',
    description:
      'Replaces old_text with new_text in a file. old_text must occur in the file exactly as given, including whitespace, ' +
      'and only once, unless replace_all is true. Do not copy the line numbers that view_file shows.',
    tier: 'confirm',
    schema: argsSchema(
      {
        file_path: text('The file to change.'),
        old_text: text('The text to replace, with enough around it to be unique.'),
        new_text: { type: 'string', description: 'The replacement; empty to delete.' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence of old_text.' },
      },
      ['file_path', 'old_text', 'new_text'],
    ),
    touches: { reads: ['file_path'], writes: ['file_path'] },
    aliases: { names: ['EDIT_FILE'], args: fileAliases },
    grant: { timeoutMs: 30 * seconds, outputBytes: 8 * kib },
  },
  {
    name: 'run_command',
    doc: 'runs bash in its own process group, without your secrets',
    description:
      'Runs a command line in bash and returns its exit code, stdout and stderr. It has no stdin. Processes ' +
      'left in the background are killed when the command ends. Long output is cut in the middle.',
    tier: 'confirm',
    schema: argsSchema(
      { command_line: text('The command line for bash.'), working_dir: text('The folder to run it in.') },
      ['command_line'],
    ),
    touches: { bash: ['command_line'], folder: 'working_dir' },
    aliases: { names: ['RUN_COMMAND'], args: { CommandLine: 'command_line', Cwd: 'working_dir' } },
    grant: { timeoutMs: 600 * seconds, outputBytes: 64 * kib },
  },
  {
    name: 'ask_question',
    doc: 'asks a person structured questions',
    description:
      'Asks the user one or more questions, with options to choose from or for free text, and waits for the answers. ' +
      'Use it when you cannot continue without a decision that only the user can make.',
    tier: 'observe',
    schema: argsSchema({ questions: { type: 'array', items: question, minItems: 1, maxItems: 10 } }, ['questions']),
    aliases: { names: ['ASK_QUESTION'] },
    grant: { timeoutMs: 86_400 * seconds, outputBytes: 64 * kib },
  },
  startSubagentTool,
  {
    name: 'read_url_content',
    doc: 'fetches a page as text; no private hosts, every redirect checked',
    description:
      'Fetches a public http or https URL and returns its text; for a web page, the readable text. Images, PDF, ' +
      'audio and video are attached. A redirect to another host is reported, not followed.',
    tier: 'confirm',
    schema: argsSchema({ url: text('The absolute URL.', 8192) }, ['url']),
    touches: { urls: ['url'] },
    aliases: { names: ['READ_URL_CONTENT'], args: { Url: 'url' } },
    grant: { timeoutMs: 60 * seconds, outputBytes: 256 * kib },
  },
  {
    name: 'finish',
    doc: 'ends the turn',
    description: 'Ends the turn. Call it with the result when the task is done.',
    tier: 'observe',
    schema: argsSchema({ result: { description: 'The result of the task: text or data.' } }, []),
    aliases: { names: ['FINISH'] },
    grant: { timeoutMs: 10 * seconds, outputBytes: 1024 * kib },
  },
  {
    name: 'generate_image',
    doc: 'generates an image; only with a provider of yours in `builtins`',
    description: 'Generates an image from a description.',
    tier: 'confirm',
    schema: argsSchema({ prompt: text('What the image shows.', 8000) }, ['prompt']),
    touches: {},
    aliases: { names: ['GENERATE_IMAGE'], args: { Prompt: 'prompt' } },
    grant: { timeoutMs: 300 * seconds, outputBytes: 16 * kib },
    provider: 'generateImage',
  },
  {
    name: 'search_web',
    doc: 'searches the web; only with a provider of yours in `builtins`',
    description: 'Searches the web and returns titles, URLs and extracts.',
    tier: 'confirm',
    schema: argsSchema({ query: text('What to look for.', 2000) }, ['query']),
    touches: {},
    aliases: { names: ['web_search', 'SEARCH_WEB'], args: { Query: 'query' } },
    grant: { timeoutMs: 60 * seconds, outputBytes: 128 * kib },
    provider: 'searchWeb',
  },
] as const satisfies readonly BuiltinTool[];

export type BuiltinToolName = (typeof rows)[number]['name'];

export const builtinToolTable: readonly (BuiltinTool & { readonly name: BuiltinToolName })[] = rows;
