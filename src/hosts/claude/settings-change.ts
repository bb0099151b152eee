/** Whether a settings file of Claude Code that changed during a session switches the hook off or changes commands. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';

/** Variables that change what a command runs, or how the hook itself starts. */
const dangerous =
  /^(?:PATH|HOME|SHELL|ENV|BASH_.*|CDPATH|GLOBIGNORE|SHELLOPTS|LD_.*|DYLD_.*|NODE_.*|CLAUDE_CODE_SHELL.*|BRIDLE_.*)$/;

/** Why Claude Code must not use the new content; undefined if it is harmless. */
export function settingsProblem(file: string, home: string): string | undefined {
  const isOurs = installedFiles(home).includes(file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return isOurs ? `the file with Bridle's hook cannot be read: ${messageOf(error)}` : undefined;
  }
  let settings: JsonValue;
  try {
    settings = JSON.parse(text) as JsonValue;
  } catch (error) {
    return `it is not JSON, so Claude Code would ignore all of it: ${messageOf(error)}`;
  }
  if (!isJsonObject(settings)) return 'it is not an object';
  if (settings['disableAllHooks'] === true) return 'it sets disableAllHooks';
  if (isOurs && !text.includes(join(home, 'hosts', 'claude'))) return "it removes Bridle's hook";
  const variable = Object.keys(environmentOf(settings)).find((name) => dangerous.test(name));
  return variable === undefined ? undefined : `it sets the variable ${variable}, which changes what commands run`;
}

function environmentOf({ env }: JsonObject): JsonObject {
  return env !== undefined && isJsonObject(env) ? env : {};
}

/** The settings files that contain the hook. */
function installedFiles(home: string): readonly string[] {
  try {
    const text = readFileSync(join(home, 'hosts', 'claude', 'installed.json'), 'utf8');
    return [...text.matchAll(/"path":\s*("(?:[^"\\]|\\.)*")/g)].map(([, path]) => JSON.parse(path ?? '""') as string);
  } catch {
    return [];
  }
}
