/** A folder with a policy, and the real command run in it. */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../source.ts';

export const main = join(root, 'dist/cli/main.cjs');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class PolicyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'bridle-cli-'));
  /** The folder of the user's state; outside the workspace, as it should be. */
  readonly home = mkdtempSync(join(tmpdir(), 'bridle-home-'));

  constructor(policy?: string) {
    if (policy !== undefined) this.write('bridle.yaml', policy);
  }

  get env(): NodeJS.ProcessEnv {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    return { ...env, BRIDLE_HOME: this.home, NO_COLOR: '' };
  }

  write(name: string, text: string): string {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  run(args: readonly string[], input: string | Buffer = ''): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [main, ...args], { cwd: this.path, env: this.env, timeout: 60_000 });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      // It may end before it has read everything.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  }

  remove(): void {
    for (const folder of [this.path, this.home]) rmSync(folder, { recursive: true, force: true });
  }
}

/** One policy with every kind of answer. */
export const samplePolicy = `version: 1
default: ask
servers: [github]
rules:
  - allow: [view_file, list_directory]
    name: reading
  - allow: run_command
    name: commands
    when: runsOnly("ls", "npm test")
  - deny: run_command
    name: no deleting
    reason: Nothing is deleted here
    when: runs("rm")
  - ask: github/*
    name: github
    reason: May GitHub be changed?
  - deny: github/delete_repo
    name: watch
    shadow: true
tests:
  - call: run_command
    args: { command_line: rm x }
    expect: deny
    rule: no deleting
  - call: run_command
    args: { command_line: npm test }
    expect: allow
  - call: view_file
    args: { file_path: a.txt }
    expect: allow
`;

export function lines(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
