/** Decides command lines with Gemini CLI's policy engine and cc-safety-net, which the bench installs. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../corpus.ts';
import type { Effect } from './shares.ts';

export const peerNames = ['Gemini CLI', 'cc-safety-net'] as const;

export type PeerName = (typeof peerNames)[number];

export type PeerAnswers = Readonly<Record<PeerName, Effect>>;

const bench = fileURLToPath(new URL('../../../bench/', import.meta.url));

export class Peers {
  readonly versions: Readonly<Record<PeerName, string>>;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #home: string;

  private constructor(parts: { child: ChildProcess; answers: AsyncIterator<string>; home: string; versions: string }) {
    this.#child = parts.child;
    this.#answers = parts.answers;
    this.#home = parts.home;
    this.versions = JSON.parse(parts.versions) as Record<PeerName, string>;
  }

  /** Starts the deciding process. Its home folder is empty, so settings of this machine have no effect. */
  static async start(): Promise<Peers> {
    if (!existsSync(join(bench, 'node_modules/@google/gemini-cli-core')))
      throw new UsageError('--peers needs the packages of the bench: run "npm ci --prefix bench" first');
    const home = mkdtempSync(join(tmpdir(), 'bridle-peers-'));
    const child = spawn(process.execPath, [join(bench, 'peers/decide-lines.mjs')], {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (child.stdout === null) throw new UsageError('the process of the peers has no output');
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await answers.next();
    if (first.done === true) throw new UsageError('the process of the peers ended at once');
    return new Peers({ child, answers, home, versions: first.value });
  }

  async decide(folder: string, line: string): Promise<PeerAnswers> {
    this.#child.stdin?.write(`${JSON.stringify({ folder, line })}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new UsageError(`the process of the peers ended at ${JSON.stringify(line)}`);
    return JSON.parse(answer.value) as PeerAnswers;
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await new Promise((done) => this.#child.once('exit', done));
    rmSync(this.#home, { recursive: true, force: true });
  }
}
