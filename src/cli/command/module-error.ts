/** Says in which file and line a module of the user cannot be loaded. */

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BridleError, messageOf } from '../../kernel/errors.ts';

interface Place {
  readonly path: string;
  readonly line: number;
}

/** How many files are searched for a syntax error. */
const maxChecked = 20;
const checkTimeoutMs = 10_000;
const stackPlace = /(file:\/\/[^\s()]+?|\/[^\s():]+):(\d+)(?::\d+)?\)?$/gm;
const relativeImport = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** `./agent.mjs:5: Unexpected number`; only the message if the place is unknown, or if the message is Bridle's own. */
export function moduleErrorText(error: unknown, file: string): string {
  const message = messageOf(error);
  if (!(error instanceof Error) || error instanceof BridleError) return message;
  const path = resolve(file);
  const place = placeInStack(error.stack ?? '', path) ?? (isSyntaxError(error) ? placeOfSyntaxError(path) : undefined);
  if (place === undefined) return message;
  const name = place.path === path ? file : relative(process.cwd(), place.path);
  return `${name}:${place.line}: ${message}`;
}

function isSyntaxError({ name }: Error): boolean {
  return name === 'SyntaxError';
}

/** The first place in the module or in files next to it; other places are in Node or in packages. */
function placeInStack(stack: string, path: string): Place | undefined {
  const folder = dirname(path) + sep;
  for (const [, at = '', line] of stack.matchAll(stackPlace)) {
    const each = at.startsWith('file:') ? fileURLToPath(at) : at;
    if (each.startsWith(folder) && !each.includes(`${sep}node_modules${sep}`))
      return { path: each, line: Number(line) };
  }
  return undefined;
}

/** Node keeps the place of a syntax error to itself, unless it checks the file: that does not run it. */
function placeOfSyntaxError(path: string): Place | undefined {
  const files = new Set([path]);
  for (const file of files) {
    const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: checkTimeoutMs });
    const [, line] = /^(?:file:\/\/)?\S.*:(\d+)$/m.exec(stderr) ?? [];
    if (line !== undefined) return { path: file, line: Number(line) };
    for (const [, given = ''] of readFileSync(file, 'utf8').matchAll(relativeImport)) {
      const imported = join(dirname(file), given);
      if (files.size < maxChecked && statSync(imported, { throwIfNoEntry: false })?.isFile() === true)
        files.add(imported);
    }
  }
  return undefined;
}
