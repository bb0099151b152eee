/** A process and its descendants in the same process group, ended together. */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf, probe } from '../../facts/paths/resolve/path-refusal.ts';

const pollMs = 20;
/** Killed processes can remain in the process table until they are reaped. */
const killWaitMs = 1000;

/** Groups that are killed when this process exits. */
const liveGroups = new Set<ProcessGroup>();

function killAll(): void {
  for (const group of liveGroups) group.kill();
}

export class ProcessGroup {
  /** `id` is the pid of the group leader. */
  constructor(
    private readonly id: number,
    private readonly graceMs: number,
  ) {
    if (liveGroups.size === 0) process.on('exit', killAll);
    liveGroups.add(this);
  }

  get isAlive(): boolean {
    return this.send(0) && !isAllDead(this.id);
  }

  /** Sends SIGTERM to the group, and SIGKILL after the grace period. */
  async end(): Promise<void> {
    if (this.send('SIGTERM') && !(await this.goneWithin(this.graceMs))) {
      this.kill();
      await this.goneWithin(killWaitMs);
    }
  }

  release(): void {
    liveGroups.delete(this);
    if (liveGroups.size === 0) process.removeListener('exit', killAll);
  }

  kill(): void {
    this.send('SIGKILL');
  }

  private async goneWithin(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    while (this.isAlive) {
      if (performance.now() >= until) return false;
      await delay(pollMs);
    }
    return true;
  }

  /** False if the group has no process left. */
  private send(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.id, signal);
    } catch (error) {
      return errorCodeOf(error) === 'EPERM';
    }
  }
}

/** Zombies still accept signals; only `/proc` shows that they are dead. */
function isAllDead(group: number): boolean {
  if (process.platform !== 'linux') return false;
  const listing = probe(() => readdirSync('/proc'));
  if (listing.type === 'failed') return false;
  return listing.value.filter((name) => /^\d+$/.test(name)).every((pid) => !isAliveInGroup(group, pid));
}

function isAliveInGroup(group: number, pid: string): boolean {
  const stat = probe(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat.type === 'failed') return false;
  // The program name is in parentheses and may contain anything.
  const [state, , groupId] = stat.value.slice(stat.value.lastIndexOf(')') + 2).split(' ');
  return groupId === String(group) && state !== 'Z' && state !== 'X';
}
