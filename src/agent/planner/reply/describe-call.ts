/** Describes a call and its outcome in plain words. */

import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { CompletedCall } from './conversation.ts';
import { parseJson } from './parse-json.ts';
import { renderValue } from './render-value.ts';

export type CallOutcome = { readonly type: 'ok' | 'failed' | 'denied'; readonly text: string };

export function outcomeOf(output: LanguageModelV4ToolResultOutput | undefined): CallOutcome {
  if (output === undefined) return { type: 'failed', text: 'it has no result' };
  switch (output.type) {
    case 'text':
      return { type: 'ok', text: readable(output.value) };
    case 'json':
      return { type: 'ok', text: renderValue(output.value) };
    case 'content':
      return { type: 'ok', text: output.value.map(contentText).join('\n') };
    case 'error-text':
      return { type: 'failed', text: output.value };
    case 'error-json':
      return { type: 'failed', text: renderValue(output.value) };
    case 'execution-denied':
      return { type: 'denied', text: output.reason ?? 'no reason was given' };
    default:
      output satisfies never;
      return { type: 'failed', text: 'its result has an unknown type' };
  }
}

/** Renders JSON on one line, which is data. JSON on several lines is probably a file and stays as it is. */
function readable(text: string): string {
  if (!/^[{[]/.test(text) || text.includes('\n')) return text;
  const value = parseJson(text);
  return value === undefined ? text : renderValue(value);
}

type Content = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number];

function contentText(part: Content): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file' ? `(${part.mediaType}, which I cannot read)` : '(content that I cannot read)';
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
export function describeCall({ tool, args }: Pick<CompletedCall, 'tool' | 'args'>, form: 'did' | 'doing'): string {
  if (tool === 'ask_question') return form === 'did' ? 'Asked' : 'Asking';
  const [did, doing, on] = Object.hasOwn(toolWords, tool) ? (toolWords[tool] ?? []) : [];
  const target = on === undefined ? undefined : args[on];
  if (did === undefined || doing === undefined || typeof target !== 'string') {
    return `${form === 'did' ? 'Called' : 'Calling'} ${tool}`;
  }
  return `${form === 'did' ? did : doing} ${target.length > 120 ? `${target.slice(0, 120)}…` : target}`;
}
