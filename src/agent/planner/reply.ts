/** What the planner answers: a report of the calls, its help text, or lines of the conversation as a summary. */

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { requestRows } from './requests.ts';

/** A call and, if it was made, its result. */
export interface ReportedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output?: LanguageModelV4ToolResultOutput | undefined;
}

/** For each tool: the verb in the past, the verb in progress, and the argument with the object. */
const toolWords: Readonly<Record<string, readonly [did: string, doing: string, on: string]>> = {
  list_directory: ['Listed', 'Listing', 'directory_path'],
  search_directory: ['Searched for', 'Searching for', 'query'],
  find_file: ['Looked for files named', 'Looking for files named', 'query'],
  view_file: ['Read', 'Reading', 'file_path'],
  create_file: ['Created', 'Creating', 'file_path'],
  edit_file: ['Edited', 'Editing', 'file_path'],
  run_command: ['Ran', 'Running', 'command_line'],
  read_url_content: ['Fetched', 'Fetching', 'url'],
  start_subagent: ['Delegated to', 'Delegating to', 'agent'],
};

/** `Read a.txt`, or `Reading a.txt`. */
function describeCall({ tool, args }: ReportedCall, form: 'did' | 'doing'): string {
  const [did, doing, on = ''] = Object.hasOwn(toolWords, tool) ? (toolWords[tool] ?? []) : [];
  const target = args[on];
  const verb = form === 'did' ? did : doing;
  if (verb === undefined || typeof target !== 'string') return `${form === 'did' ? 'Called' : 'Calling'} ${tool}`;
  return `${verb} ${cutLine(target, 120)}`;
}

export function hasFailed({ output }: ReportedCall): boolean {
  return output === undefined || !['text', 'json', 'content'].includes(output.type);
}

function resultText(output: LanguageModelV4ToolResultOutput | undefined): string {
  switch (output?.type) {
    case undefined:
      return 'it has no result';
    case 'text':
      return readable(output.value);
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return dataLines(output.value).join('\n');
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '(media that I cannot read)')).join('\n');
    case 'execution-denied':
      return output.reason ?? 'no reason was given';
    default:
      return output satisfies never;
  }
}

/** JSON on one line is data. JSON on several lines is probably a file and stays as it is. */
function readable(text: string): string {
  if (!/^[{[].*$/.test(text)) return text;
  try {
    return dataLines(JSON.parse(text)).join('\n');
  } catch {
    return text;
  }
}

/** JSON data as lines: one name and value per line, texts as they are. */
function dataLines(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  if (typeof value !== 'object' || value === null) return [String(value)];
  if (Array.isArray(value)) return value.flatMap(dataLines);
  return Object.entries(value).flatMap(([name, each]) => {
    const [first = 'none', ...rest] = dataLines(each);
    return rest.length === 0 ? [`${name}: ${first}`] : [`${name}:`, ...[first, ...rest].map((line) => `  ${line}`)];
  });
}

/** For each call: what happened and the first lines of its result. */
export function reportOf(calls: readonly ReportedCall[], maxLines: number): string {
  return calls.map((call) => reportCall(call, maxLines)).join('\n\n');
}

function reportCall(call: ReportedCall, maxLines: number): string {
  const lines = linesOf(call);
  // A line "… 1 more lines" would take as much space as the missing line.
  const shown = lines
    .slice(0, lines.length === maxLines + 1 ? lines.length : maxLines)
    .map((line) => cutLine(line, 400));
  if (shown.length < lines.length) shown.push(`… ${lines.length - shown.length} more lines`);
  const text = shown.join('\n');
  if (call.output?.type === 'execution-denied') return `${describeCall(call, 'doing')} was denied: ${text}`;
  if (hasFailed(call)) return `${describeCall(call, 'doing')} failed: ${text}`;
  if (text === '') return `${describeCall(call, 'did')}.`;
  return [`${describeCall(call, 'did')}:`, ...shown.map((line) => `  ${line}`)].join('\n');
}

/** The lines of a result, with columns that stay aligned and paths that can be pasted. */
function linesOf({ tool, args, output }: ReportedCall): readonly string[] {
  const lines = resultText(output).trimEnd().split('\n');
  if (output?.type !== 'text') return lines;
  if (tool === 'view_file') return lines.map((line) => line.replace(/^( *\d+)\t/, '$1  '));
  const folder = args['directory_path'];
  const isSearch = tool === 'search_directory' || tool === 'find_file';
  if (!isSearch || typeof folder !== 'string' || /^\.?\/?$/.test(folder)) return lines;
  const base = folder.replace(/\/+$/, '');
  return lines.map((line) => (searchNote.test(line) ? line : `${base}/${line}`));
}

/** Lines in the result of a search that are not paths: matches, and notes. */
const searchNote =
  /^(?:  |"|Nothing was found\.$|No file was found\.$|\[(?:cut after|some f|\d+(?: or more)? further))/;

export function reportSkipped(calls: readonly ReportedCall[]): string {
  const names = calls.map((call) => describeCall(call, 'doing'));
  return `Skipped because the previous step failed: ${names.join('; ')}.`;
}

export function reportMissing(missing: readonly string[], listed: ReadonlySet<string>): string {
  const has = listed.size === 0 ? 'I have no tools here.' : `I have: ${[...listed].toSorted().join(', ')}.`;
  const [subject, verb] = missing.length === 1 ? ['the tool', 'is'] : ['the tools', 'are'];
  return `That needs ${subject} ${missing.join(', ')}, which ${verb} not available here. ${has}`;
}

/** What a real model needs. */
export const realModelSetup = 'npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY';

/** How to use a real model instead of the planner. */
export const realModelHint = `For a real model: ${realModelSetup}, and use --model anthropic/<id>.`;

const self = "I am Bridle's small built-in planner, not a language model: I match keywords.";

/** What the planner is, with examples for the available tools. */
export function helpText(listed: ReadonlySet<string>): string {
  const examples = examplesFor(listed);
  if (examples.length === 0) return `${self} I have no tools here. ${realModelHint}`;
  return [
    `${self} I understand:`,
    '',
    ...examples.map((example) => `  ${example}`),
    '',
    'Join several with "then", ";" or new lines.',
    realModelHint,
  ].join('\n');
}

/** The same in short, after a request that was not understood. */
export function hintText(request: string, listed: ReadonlySet<string>): string {
  if (listed.size === 0) return helpText(listed);
  const common = ['list_directory', 'view_file', 'create_file', 'run_command'].filter((tool) => listed.has(tool));
  const known = common.flatMap((tool) => requestRows.findLast((row) => row.tool === tool)?.example ?? []);
  const examples = known.length > 0 ? known : examplesFor(listed).slice(0, 4);
  const isCommand = listed.has('run_command') && programName.test(request);
  return [
    ...(isCommand ? [`To run it, type: run ${request}`] : []),
    self,
    `Try: ${examples.join(' · ')} (for all requests: help)`,
    realModelHint,
  ].join('\n');
}

/** A line that is probably meant for a shell. */
const programName =
  /^(?:git|npm|npx|pnpm|yarn|node|deno|bun|python3?|pip3?|make|cargo|go|docker|ls|pwd|cd|echo|mkdir|touch|cp|mv|rm|curl) ?[^\n]{0,200}$/;

/** One example for each request that the listed tools can do, those about files first. */
function examplesFor(listed: ReadonlySet<string>): readonly string[] {
  const known = Object.keys(toolWords);
  const placeOf = (tool = ''): number => (known.includes(tool) ? known.indexOf(tool) : known.length);
  return requestRows
    .filter(({ tool }) => (tool === undefined ? listed.size > 0 : listed.has(tool)))
    .toSorted((a, b) => placeOf(a.tool) - placeOf(b.tool))
    .map(({ example }) => example);
}

/** Selects lines of the conversation before the last message, for compaction. Nothing is rephrased. */
export function summaryOf(prompt: LanguageModelV4Prompt): string {
  const before = prompt.slice(0, -1).filter(({ role }) => role !== 'system');
  const results = resultsIn(before);
  const lines = before.flatMap((message) => {
    const text = messageText(message);
    const speaker = message.role === 'user' ? 'Asked' : 'Answered';
    const calls = callsIn(message).map((call) => reportCall(toReportedCall(call, results), 3));
    return [...(text === '' ? [] : [`${speaker}: ${text}`]), ...calls].map((each) =>
      cutLine(each.slice(0, 1000).replaceAll(/\s+/g, ' '), 240),
    );
  });
  return ["Lines selected by Bridle's built-in planner:", ...lines.slice(-30)].join('\n');
}

function cutLine(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The text of a message, without media and tool calls. */
export function messageText({ content }: LanguageModelV4Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function callsIn({ role, content }: LanguageModelV4Message): readonly LanguageModelV4ToolCallPart[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.filter((part) => part.type === 'tool-call');
}

/** Tool results by call id. */
export function resultsIn(messages: LanguageModelV4Prompt): ReadonlyMap<string, LanguageModelV4ToolResultOutput> {
  const results = new Map<string, LanguageModelV4ToolResultOutput>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.set(part.toolCallId, part.output);
  }
  return results;
}

export function toReportedCall(
  { toolCallId, toolName, input }: LanguageModelV4ToolCallPart,
  results: ReadonlyMap<string, LanguageModelV4ToolResultOutput>,
): ReportedCall {
  const args = typeof input === 'object' && input !== null ? (input as ReportedCall['args']) : {};
  return { tool: toolName, args, output: results.get(toolCallId) };
}
