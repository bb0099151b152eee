/** What the records say agrees with what the readers do. */

import { describe, expect, it } from 'vitest';
import { claude } from '../../src/hosts/claude/claude.ts';
import { codex } from '../../src/hosts/codex/codex.ts';
import { copilot } from '../../src/hosts/copilot/copilot.ts';
import { gemini } from '../../src/hosts/gemini/gemini.ts';
import { compareVersions, expressible, recordFor } from '../../src/hosts/host-records.ts';
import type { HostEvent, HostRecord } from '../../src/hosts/host.ts';
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
};

const base = claude.records[0] as HostRecord;

describe('the record of a version', () => {
  it.each([
    ['2.1.324', false],
    ['2.1.325', true],
    ['2.1.400', true],
    ['2.2.0', false],
    ['2.2.0-beta.1', false],
    ['99.0.0', false],
    ['', false],
    [undefined, false],
  ])(proves('C03')('that is not in a range is the strictest: %s is in one: %s'), (version, isUsed) => {
    const { ask, answers, shell } = recordFor(claude, version);
    const strict = { ask: 'store', rewrite: 'runs', isKnown: false };
    const used = { ask: 'prompt', rewrite: 'rewrites', isKnown: true };
    expect({ ask, rewrite: answers.rewrite, isKnown: shell.isKnown }).toEqual(isUsed ? used : strict);
  });

  it(proves('C03')('decides what is answered: what the host cannot express becomes a refusal'), () => {
    const strict = recordFor(claude, undefined);
    const rewrite = { type: 'rewrite', input: {} } as const;
    const ask = { type: 'ask', reason: 'may it?' } as const;
    expect([expressible(rewrite, base), expressible(ask, base)]).toEqual([rewrite, ask]);
    expect(expressible(rewrite, strict)).toMatchObject({
      type: 'deny',
      reason: expect.stringContaining('Claude') as string,
    });
    expect(expressible(ask, strict)).toEqual({ type: 'deny', reason: 'may it?' });
    for (const same of [
      { type: 'pass' },
      { type: 'deny', reason: 'x' },
      { type: 'replace-result', text: 'x' },
    ] as const)
      expect(expressible(same, strict)).toEqual(same);
  });
});

describe.each(hosts.map((host) => [host.name, host] as const))('the records of %s', (name, host) => {
  const [record] = host.records;

  it(
    proves('C03', 'C11')('say which versions were measured, what is not hooked, and what Bridle does about it'),
    () => {
      expect(host.records.length).toBeGreaterThan(0);
      for (const { host: owner, versions, usedBefore, unhooked, switchedOffBy, gaps } of host.records) {
        expect(owner).toBe(name);
        expect(compareVersions(versions.from, versions.to)).toBeLessThanOrEqual(0);
        expect(compareVersions(versions.to, usedBefore)).toBeLessThan(0);
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
        const phase =
          event.type === 'compaction' ? [event.phase === 'before' ? 'preCompaction' : 'postCompaction'] : [];
        expect(pointsOf[event.type] ?? phase, event.name).toContain(point);
        reached.add(point);
      }
    }
    const needed = ['onSessionStart', 'preTurn', 'postTurn', 'preToolCall', 'postToolCall'];
    expect([...reached]).toEqual(expect.arrayContaining(needed));
  });
});
