/** This process and its ancestors, read from `/proc`, or from `ps` where there is no `/proc`. */

import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { lazy } from '../../kernel/lazy.ts';
import type { ProcessIdentity, ProcessOrigin } from './approval-record.ts';

/** One process of a tree. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly started: string;
  /** The name of its program. */
  readonly name: string;
  /** False for a zombie. */
  readonly isAlive: boolean;
}

/** Ancestors beyond this depth are not needed to identify the origin. */
const maxLevels = 128;

const machine = lazy(() => ({ host: hostname(), realm: readRealm() }));

/** This process, as stored in records. */
export const processIdentity: () => ProcessIdentity = lazy(() => {
  const { pid } = process;
  return Object.freeze({ ...machine(), pid, started: readProcess(pid)?.started ?? '' });
});

/** This process with its ancestors. */
export function processOrigin(): ProcessOrigin {
  const [, ...parents] = processTree();
  return { ...processIdentity(), parents: parents.map(({ pid, started }) => ({ pid, started })) };
}

/** This process, its parent, and so on, as far as the system reports them. */
export function processTree(): readonly ProcessEntry[] {
  const tree: ProcessEntry[] = [];
  let entry = readProcess(process.pid);
  while (entry !== undefined && tree.length < maxLevels) {
    tree.push(entry);
    entry = entry.parent === 0 ? undefined : readProcess(entry.parent);
  }
  return tree;
}

/** Whether a process is still running; undefined if this machine cannot tell. */
export function isRunning({ realm, pid, started }: ProcessIdentity): boolean | undefined {
  if (realm !== machine().realm || started === '') return undefined;
  const entry = readProcess(pid);
  return entry?.started === started && entry.isAlive;
}

function readProcess(pid: number): ProcessEntry | undefined {
  switch (process.platform) {
    case 'linux':
    case 'android':
      return readFromProc(pid);
    case 'win32':
      return undefined;
    default:
      return readFromPs(pid);
  }
}

function readFromProc(pid: number): ProcessEntry | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may contain parentheses itself.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const [state = '', parent = ''] = fields;
  return {
    pid,
    parent: Number(parent),
    started: fields[19] ?? '',
    name: text.slice(text.indexOf('(') + 1, end),
    isAlive: !/[ZXx]/.test(state),
  };
}

function readFromPs(pid: number): ProcessEntry | undefined {
  let text: string;
  try {
    text = execFileSync('/bin/ps', ['-o', 'ppid=,stat=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
  return readPsLine(pid, text);
}

/** `  1 Ss   Mon Jan  5 10:00:00 2026 /sbin/launchd`, in UTC. */
export function readPsLine(pid: number, text: string): ProcessEntry | undefined {
  const [, parent = '', state = '', at = '', path = ''] =
    /^\s*(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*?)\s*$/s.exec(text) ?? [];
  const started = Date.parse(`${at} UTC`);
  if (Number.isNaN(started)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { pid, parent: Number(parent), started: String(started), name, isAlive: !state.startsWith('Z') };
}

/** `boot/namespace`, or the host name where the system has neither. */
function readRealm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()}/`;
  }
}
