/** What the records say agrees with what the readers do. */

import { describe, expect, it } from 'vitest';
import { claude } from '../../src/hosts/claude/claude.ts';
import { codex } from '../../src/hosts/codex/codex.ts';
import { copilot } from '../../src/hosts/copilot/copilot.ts';
import { gemini } from '../../src/hosts/gemini/gemini.ts';
import { compareVersions } from '../../src/hosts/host-records.ts';
import type { HostEvent } from '../../src/hosts/host.ts';
import { opencode } from '../../src/hosts/opencode/opencode.ts';
import { pointNames } from '../../src/kernel/hooks/points/points.ts';
import { proves } from '../contract/cite.ts';
import { recordedEvents } from './recorded-events.ts';

const hosts = [claude, codex, gemini, copilot, opencode];
const pointsOf: Readonly<Partial<Record<HostEvent['type'], readonly string[]>>> = {
  'tool-call': ['preToolCall'],
  'tool-result': ['postToolCall', 'onToolError'],
  prompt: ['preTurn'],
  'turn-end': ['postTurn'],
  'session-start': ['onSessionStart'],
  'session-end': ['onSessionEnd'],
  compaction: ['preCompaction', 'postCompaction'],
};

describe.each(hosts.map((host) => [host.name, host] as const))('the records of %s', (name, host) => {
  const [record] = host.records;

  it(
    proves('C03', 'C11')('say which versions were measured, what is not hooked, and what Bridle does about it'),
    () => {
      expect(host.records.length).toBeGreaterThan(0);
      for (const { host: owner, versions, unhooked, switchedOffBy, gaps } of host.records) {
        expect(owner).toBe(name);
        expect(compareVersions(versions.from, versions.to)).toBeLessThanOrEqual(0);
        for (const { path, instead } of unhooked)
          expect([path, instead].map((text) => text.endsWith('.'))).toEqual([true, true]);
        for (const list of [unhooked, switchedOffBy, gaps]) expect(list.length).toBeGreaterThan(0);
      }
    },
  );

  it(proves('C09')('name the event of each point, and every recorded event reaches the point that they name'), () => {
    const points = record?.points ?? {};
    expect(pointNames).toEqual(expect.arrayContaining(Object.keys(points)));
    const reached = new Set<string>();
    for (const { input } of recordedEvents(name)) {
      const event = host.read(input);
      for (const [point, source] of Object.entries(points)) {
        if (source !== event.name || event.type === 'other') continue;
        expect(pointsOf[event.type] ?? [], event.name).toContain(point);
        reached.add(point);
      }
    }
    const needed = ['onSessionStart', 'preTurn', 'postTurn', 'preToolCall', 'postToolCall'];
    expect([...reached]).toEqual(expect.arrayContaining(needed));
  });
});
