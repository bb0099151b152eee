/** Separate processes that open a store at the same moment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../source.ts';

export interface Opener {
  readonly at: string;
  readonly keys: string;
  readonly id: string;
  /** Runs as another user, if this one may switch users. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Opened {
  readonly body?: { readonly by: string };
  readonly code?: string;
  readonly message?: string;
}

/** The output of each. */
export async function openTogether(openers: readonly Opener[]): Promise<readonly Opened[]> {
  const started = await Promise.all(openers.map(start));
  return Promise.all(started.map((go) => go()));
}

async function start({ at, keys, id, user }: Opener): Promise<() => Promise<Opened>> {
  const script = join(root, 'test/store/open-at-once.mjs');
  const child = spawn(process.execPath, [script, at, keys, id], { stdio: ['pipe', 'pipe', 'pipe'], ...user });
  const errors = text(child.stderr);
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return async () => {
    child.stdin.end('go');
    const [printed, failed] = await Promise.all([text(child.stdout), errors]);
    const last = printed.trim();
    return last === '' ? { message: failed } : (JSON.parse(last) as Opened);
  };
}
