/** The text that Gemini CLI gives to bash for a command of the model: it removes wrappers and adds parentheses. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { harmfulVariables } from '../shell-environment.ts';
import { parse } from 'unbash';

/** Gemini removes a shell in front of the command, and runs the rest in bash. */
const wrapper =
  /^\s*(?:(?:(?:\S+\/)?(?:sh|bash|zsh))\s+-c|cmd\.exe\s+\/c|powershell(?:\.exe)?\s+(?:-NoProfile\s+)?-Command|pwsh(?:\.exe)?\s+(?:-NoProfile\s+)?-Command)\s+/i;

/**
 * The command line that bash really runs; undefined if that is not certain. Gemini puts it between `(` and `)` lines, so
 * a text that closes the parenthesis itself would run something outside it.
 */
export function runText(command: string): string | undefined {
  const text = unwrap(command);
  return text !== undefined && (text === '' || isComplete(text)) ? text : undefined;
}

function unwrap(command: string): string | undefined {
  const [found] = wrapper.exec(command) ?? [];
  if (found === undefined) return command.trim();
  const rest = command.slice(found.length).trim();
  const quote = rest.charAt(0);
  if (rest.length < 2 || !(quote === '"' || quote === "'") || !rest.endsWith(quote)) return rest;
  const inner = rest.slice(1, -1);
  // With other quotes inside, Gemini runs another text than bash would.
  return inner.includes(quote) || (quote === '"' && /[\\$`!]/.test(inner)) ? undefined : inner.trim();
}

/** True if the text is a complete program, alone and between parentheses. */
function isComplete(text: string): boolean {
  // Gemini adds a space after a final backslash.
  if (/(?<!\\)(?:\\\\)*\\$/.test(text) || hasErrors(text)) return false;
  const group = `(\n:\n${text}\n)`;
  const script = parse(`${group}\n:`);
  const [first] = script.commands;
  return (
    !(script.errors !== undefined && script.errors.length > 0) &&
    script.commands.length === 2 &&
    first?.command.type === 'Subshell' &&
    first.end === group.length
  );
}

function hasErrors(text: string): boolean {
  return (parse(text).errors ?? []).length > 0;
}

/**
 * Gemini CLI uses the first file that it finds in the folder or above it. All of them count here, except those of the
 * user's home folder.
 */
export function hasHarmfulEnvFile(folder: string, { HOME: home }: HostEnv): boolean {
  for (let at = folder; at !== home; at = dirname(at)) {
    if ([join(at, '.gemini', '.env'), join(at, '.env')].some(isHarmful)) return true;
    if (dirname(at) === at) return false;
  }
  return false;
}

function isHarmful(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return existsSync(file);
  }
  return harmfulIn(text).length > 0;
}

/**
 * A variable as Gemini CLI finds it: at the start of a line, which can also begin after U+2028, with white space and line
 * breaks before `=`. The value is only looked at, because another line may begin in it.
 */
const envLine =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)(?=(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?)/gm;

/** The names of variables in the text of an env file that change what usual programs run or read. */
export function harmfulIn(text: string): readonly string[] {
  return [...text.matchAll(envLine)].flatMap(([, name = '', value = '']) =>
    harmfulVariables({ [name]: value.trim().replace(/^(['"`])([^]*)\1$/, '$2') }),
  );
}
