/** Runs a program to its end with an empty stdin. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** stdout and stderr, for messages. */
  readonly output: string;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export function run({ command, args, cwd, env = process.env }: Program): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, output }));
  });
}

export function runNode(args: readonly string[], cwd: string): Promise<Ended> {
  return run({ command: process.execPath, args, cwd });
}

/** Compiles with the repository's compiler. */
export function runTsc(args: readonly string[], cwd: string): Promise<Ended> {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  return runNode([join(dirname(manifest), 'bin/tsc'), ...args], cwd);
}
