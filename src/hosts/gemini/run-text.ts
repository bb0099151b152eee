/** The text that Gemini CLI gives to bash for a command of the model: it removes wrappers and adds parentheses. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostEnv } from '../host.ts';
import { areHarmful } from '../shell-environment.ts';
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

const envLine = /^\s*(?:export\s+)?([\w.-]+)\s*(?:=|:\s)\s*(['"`]?)(.*?)\2\s*$/;

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
  const variables = text.split(/\r?\n|\r/).flatMap((each) => {
    const [, name, , value] = envLine.exec(each) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  return areHarmful(Object.fromEntries(variables));
}
