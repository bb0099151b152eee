/** Recorded sessions of a coding agent: `sessions/NAME.jsonl`, a heading and then one tool call per line. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { ProjectName } from './everyday-case.ts';

export interface SessionCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface Session {
  readonly name: string;
  readonly folder: ProjectName;
  /** What the person asked for. */
  readonly task: string;
  readonly calls: readonly SessionCall[];
}

const folder = fileURLToPath(new URL('../sessions/', import.meta.url));

export function recordedSessions(): Session[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map(readSession);
}

function readSession(file: string): Session {
  const lines = readFileSync(`${folder}${file}`, 'utf8').split('\n');
  const [heading, ...calls] = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
  const { folder: project, task } = heading as Pick<Session, 'folder' | 'task'>;
  return { name: file.replace('.jsonl', ''), folder: project, task, calls: calls as SessionCall[] };
}
