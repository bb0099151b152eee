/** Questions for the prompt of a host: what the agent wants to do, in words that do not need Bridle's names of tools. */

import { pairText } from '../kernel/names.ts';
import type { HostCall } from './host.ts';

const longest = 160;

/** The beginning of a question for each tool, and the argument it is about. */
const wordings: Readonly<Record<string, readonly [words: string, argument: string]>> = {
  run_command: ['Run', 'command_line'],
  view_file: ['Read', 'file_path'],
  create_file: ['Write', 'file_path'],
  edit_file: ['Change', 'file_path'],
  list_directory: ['List', 'directory_path'],
  find_file: ['Look for files in', 'directory_path'],
  search_directory: ['Search in', 'directory_path'],
  read_url_content: ['Fetch', 'url'],
  search_web: ['Search the web for', 'query'],
  start_subagent: ['Start the subagent', 'agent'],
};

/** `May run_command run? No rule matches …` becomes ``Run `git push`? No rule of the policy matches it.`` */
export function hostQuestion(text: string, call: HostCall): string {
  const name = pairText(call.server, call.tool);
  const start = [`May ${name} run?`, `Confirm ${name}?`].find((each) => text.startsWith(each));
  if (start === undefined) return text;
  const rest = text.slice(start.length).replace(/^ No rule matches (?:`[^`]*`|this call[^.]*)\.$/, noRule);
  return `${wantedBy(call)}?${rest}`;
}

/** Names the cause if nothing is known about a command, instead of how Bridle represents that. */
export function withCause(text: string, { unknownBecause }: HostCall): string {
  if (unknownBecause === undefined) return text;
  return text.replaceAll(
    /(?:command_line|its command|a command) is not declared as a bash command/g,
    () => `it is not known what the command does: ${unknownBecause}`,
  );
}

const noRule = ' No rule of the policy matches it.';

function wantedBy({ server, tool, args }: HostCall): string {
  const [words, argument] = (server === undefined ? wordings[tool] : undefined) ?? ['Use', ''];
  const value = args[argument] ?? (argument === 'file_path' ? args['file_paths'] : undefined);
  const subject = Array.isArray(value) ? value.join(', ') : value;
  return `${words} \`${typeof subject === 'string' ? shortened(subject) : pairText(server, tool)}\``;
}

/** The host shows the complete call next to the question. */
function shortened(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
