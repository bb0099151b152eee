/** The real command on the store of a rig. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { StoreRig } from '../rigs/store-rig.ts';
import { main, type Ran } from './policy-rig.ts';

export interface CommandSurroundings {
  readonly input?: string | undefined;
  /** Beside those that name the store and its keys. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Starts the command in the folder of the rig, with the rig's store as the one that nobody has to name. */
export function startBridle(rig: StoreRig, args: readonly string[], { env }: CommandSurroundings = {}): ChildProcess {
  const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env;
  return spawn(process.execPath, [main, ...args], {
    cwd: rig.folder,
    env: { ...own, BRIDLE_STORE: rig.at, BRIDLE_HOME: rig.folder, NO_COLOR: '', ...env },
    timeout: 60_000,
  });
}

export async function bridle(rig: StoreRig, args: readonly string[], around: CommandSurroundings = {}): Promise<Ran> {
  const child = startBridle(rig, args, around);
  const { stdin, stdout, stderr } = child as Required<ChildProcess>;
  if (stdin === null || stdout === null || stderr === null) throw new TypeError('The command has no pipes.');
  // It may end before it has read everything.
  stdin.on('error', () => undefined);
  stdin.end(around.input ?? '');
  const [said, told, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code: code as number | null, stdout: said, stderr: told };
}
