import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { judgeRelation, answerRelation, relationToAsker } from './process-relation.ts';
import type { ProcessIdentity } from './approval-record.ts';
import {
  isRunning,
  processIdentity,
  processOrigin,
  processTree,
  readPsLine,
  type ProcessEntry,
} from './process-tree.ts';

describe('a process and its ancestors', () => {
  it('are read from the system', () => {
    const tree = processTree();
    expect(tree[0]).toMatchObject({ pid: process.pid, parent: process.ppid, isAlive: true });
    expect(tree[1]?.pid).toBe(process.ppid);
    expect(processOrigin()).toMatchObject({ ...processIdentity(), parents: tree.slice(1).map(({ pid }) => ({ pid })) });
  });

  it('are distinguished from earlier processes and other machines', async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const { pid = 0 } = child;
    const started = await startOf(pid);
    const mark: ProcessIdentity = { ...processIdentity(), pid, started };
    expect(isRunning(mark)).toBe(true);
    expect(isRunning({ ...mark, started: `${Number(started) - 1}` })).toBe(false);
    expect(isRunning({ ...mark, realm: 'another boot/pid:[1]' })).toBeUndefined();
    expect(isRunning({ ...mark, started: '' })).toBeUndefined();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(isRunning(mark)).toBe(false);
  });

  it('are read from ps where there is no /proc', () => {
    const line = '    1 Ss   Mon Jan  5 10:00:00 2026     /usr/libexec/some thing\n';
    const started = String(Date.UTC(2026, 0, 5, 10));
    expect(readPsLine(7, line)).toEqual({ pid: 7, parent: 1, started, name: 'some thing', isAlive: true });
    expect(readPsLine(7, '  1 Z    Mon Jan  5 10:00:00 2026 (node)')?.isAlive).toBe(false);
    expect(readPsLine(7, '')).toBeUndefined();
  });
});

/** A child process inspects itself, so that the test does not parse /proc. */
async function startOf(pid: number): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function entry(pid: number, started: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent: 1, started: String(started), name: 'bash', isAlive: true, ...more };
}

describe('the relation of an answer to the asker', () => {
  const asker: ProcessIdentity = { host: 'a', realm: 'boot/pid:[5]', pid: 100, started: '1000' };
  const own: ProcessIdentity = { ...asker, pid: 300, started: '3000' };
  const first = entry(1, 1, { parent: 0, name: 'init' });
  const self = entry(300, 3000, { parent: 200, name: 'node' });

  it(proves('Q06')('is "inside" for the run itself and all its descendants'), () => {
    const below = [self, entry(200, 2000, { parent: 100 }), entry(100, 1000, { parent: 50 }), entry(50, 10), first];
    expect(judgeRelation({ own, tree: below }, asker).type).toBe('inside');
    expect(judgeRelation({ own: asker, tree: below.slice(2) }, asker).type).toBe('inside');
    expect(relationToAsker(processIdentity()).type).toBe('inside');
    expect(answerRelation(processOrigin(), processIdentity()).type).toBe('inside');
  });

  it(proves('Q06')('is "apart" for the terminal that started the run, and for others'), () => {
    const terminal = [self, entry(50, 10, { parent: 20 }), entry(20, 5), first];
    expect(judgeRelation({ own, tree: terminal }, asker).type).toBe('apart');
    // A later login, below a server that ran before.
    const login = [self, entry(200, 2500, { parent: 30 }), entry(30, 5, { name: 'sshd' }), first];
    expect(judgeRelation({ own, tree: login }, asker).type).toBe('apart');
    // Another process with the pid of the asker.
    const reused = [self, entry(100, 2000, { parent: 30 }), entry(30, 5), first];
    expect(judgeRelation({ own, tree: reused }, asker).type).toBe('apart');
    // Started in this container from outside.
    const entered = [self, entry(200, 2500, { parent: 0 })];
    expect(judgeRelation({ own, tree: entered }, asker).type).toBe('apart');
  });

  it(proves('Q06')('is "unsure" for an orphan'), () => {
    for (const name of ['init', 'systemd', 'tini']) {
      const adopter = entry(40, 5, { name });
      const orphan = [self, entry(200, 2500, { parent: 40 }), adopter, first];
      expect(judgeRelation({ own, tree: orphan }, asker).type, name).toBe('unsure');
    }
    expect(judgeRelation({ own, tree: [{ ...self, parent: 1 }, first] }, asker).type).toBe('unsure');
    // The ancestors are not visible.
    expect(judgeRelation({ own, tree: [self] }, asker).type).toBe('unsure');
    expect(judgeRelation({ own, tree: [] }, asker).type).toBe('unsure');
    expect(judgeRelation({ own, tree: [self, first] }, { ...asker, started: '' }).type).toBe('unsure');
  });

  it(proves('Q06')('is "apart" on another machine, and "unsure" in a container that the run may have started'), () => {
    for (const [realm, type] of [
      ['other/pid:[5]', 'apart'],
      ['boot/pid:[6]', 'unsure'],
      ['boot/pid:[4026531836]', 'apart'],
    ] as const) {
      expect(judgeRelation({ own: { ...own, realm }, tree: [self] }, asker).type).toBe(type);
    }
  });
});
