/** The events of every host reach the points that its record names, and no others (C09). */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostName } from '../../src/hosts/host.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { proves } from '../contract/cite.ts';
import { project as recordedProject, recordedEvents } from '../hosts/recorded-events.ts';
import { HookRig, letsRun, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

const points =
  'onSessionStart onSessionEnd preTurn postTurn preToolCall postToolCall onToolError preCompaction postCompaction';

/** Notes every point that is reached, and may refuse one. */
const recorder = (file: string, rejected: string): string => `
import { appendFileSync } from 'node:fs';
const hook = { name: 'recorder' };
for (const point of '${points}'.split(' '))
  hook[point] = () => {
    appendFileSync(${JSON.stringify(file)}, point + '\\n');
    return point === '${rejected}' ? { type: 'reject', reason: 'not now' } : undefined;
  };
export default hook;
`;

function rig(rejected = ''): { at: HookRig; reached: () => readonly string[] } {
  const at = new HookRig();
  rigs.push(at);
  const file = join(at.folder, 'points.txt');
  writeFileSync(file, '');
  writeFileSync(join(at.project, 'hook.mjs'), recorder(file, rejected));
  at.policy('version: 1\ndefault: allow\nhooks: [./hook.mjs]\n');
  return {
    at,
    reached: () => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      writeFileSync(file, '');
      return lines;
    },
  };
}

/** Events without a recorded payload. */
const unrecorded: Readonly<Partial<Record<HostName, Readonly<Record<string, JsonObject>>>>> = {
  copilot: { preCompact: { sessionId: 's', timestamp: 1, cwd: recordedProject, trigger: 'manual' } },
  opencode: Object.fromEntries(
    ['session.compacted', 'session.deleted'].map((type) => [
      type,
      { host: 'opencode', event: 'event', directory: recordedProject, input: { type, properties: { sessionID: 's' } } },
    ]),
  ),
};

/** A payload of the event, with an error if that is what the point is about. */
function payloadOf(host: (typeof testedHosts)[number], point: string, event: string): JsonObject {
  const found = recordedEvents(host.name).find(({ input }) => {
    const { name, type } = host.read(input);
    return name === event && type !== 'other';
  });
  const payload = found?.input.payload ?? unrecorded[host.name]?.[event];
  if (payload === undefined) throw new Error(`${host.name} has no payload of ${event}`);
  if (point !== 'onToolError' || host.name !== 'gemini') return payload;
  return { ...payload, tool_response: { llmContent: 'failed', error: { message: 'failed', type: 'x' } } };
}

describe.each(testedHosts.map((host) => [host.name, host] as const))('%s', (name, host) => {
  it(proves('C09')('calls the hooks of each point in its record'), async () => {
    const { at, reached } = rig();
    const record = host.records[0]?.points ?? {};
    for (const [point, event] of Object.entries(record)) {
      const text = JSON.stringify(payloadOf(host, point, event)).replaceAll(recordedProject, at.project);
      const { code, stderr } = await at.hook(name, text, ['--limit', '7']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(reached(), event).toContain(point);
    }
  });

  const compaction = host.records[0]?.points.preCompaction;
  if (compaction === undefined) return;
  it(proves('C09')('refuses a compaction if it can'), async () => {
    const { at, reached } = rig('preCompaction');
    const text = JSON.stringify(payloadOf(host, 'preCompaction', compaction));
    const { code, stdout } = await at.hook(name, text.replaceAll(recordedProject, at.project));
    expect(code).toBe(0);
    expect(reached()).toEqual(['preCompaction']);
    // The others ignore the answer, which their records say.
    const canRefuse = name === 'claude' || name === 'codex';
    expect(stdout.includes('not now')).toBe(canRefuse);
    if (!canRefuse) expect(host.records[0]?.gaps.join()).toContain('compaction cannot be refused');
  });
});

describe('a session that a hook rejects', () => {
  it.each([
    ['claude', { agent_id: 'a1', agent_type: 'helper' }],
    ['codex', { agent_id: 'a1', agent_type: 'helper' }],
  ] as const)(proves('C06', 'C09')('denies the calls of its subagents, too: %s'), async (host, agent) => {
    const { at } = rig('onSessionStart');
    const session = at.payload(host, '')['session_id'] ?? '';
    const event = recordedEvents(host).find(({ name }) => name === 'SessionStart')?.input.payload ?? {};
    const text = JSON.stringify({ ...event, session_id: session }).replaceAll(recordedProject, at.project);
    await at.hook(host, text);
    for (const extra of [{}, agent]) {
      const answer = await at.hook(host, { ...at.payload(host, 'echo hello'), ...extra });
      expect(letsRun(answer)).toBe(false);
      expect(answer.stdout).toContain('not now');
    }
  });
});

describe('the turn of a subagent', () => {
  it(proves('C06')('is that of the session, and its state ends with the turn'), async () => {
    const at = new HookRig();
    rigs.push(at);
    const code = `export default { name: 'once', async preToolCall(_payload, ctx) {
      const count = await ctx.turn.update('calls', (calls = 0) => calls + 1);
      if (count > 1) return { type: 'reject', reason: 'once per turn' };
    } };`;
    writeFileSync(join(at.project, 'hook.mjs'), code);
    at.policy('version: 1\ndefault: allow\nhooks: [./hook.mjs]\n');
    const payload = { ...at.payload('claude', 'echo hello'), agent_id: 'a1', agent_type: 'helper' };
    const { session_id = '', transcript_path = '', cwd = '' } = payload as JsonObject;
    const prompt = { session_id, transcript_path, cwd, hook_event_name: 'UserPromptSubmit', prompt: 'go on' };
    const results: boolean[] = [];
    for (const input of [prompt, payload, payload, prompt, payload, payload])
      results.push(letsRun(await at.hook('claude', input)));
    expect(results).toEqual([true, true, false, true, true, false]);
    const turns = await at.withStore(async ({ journal }) => {
      const found: unknown[] = [];
      for await (const { text } of journal.read()) {
        const { kind, turn, agent } = JSON.parse(text) as JsonObject;
        if (kind === 'decided' && Array.isArray(agent) && agent.length > 1) found.push(turn);
      }
      return found;
    });
    expect(turns).toEqual([1, 1, 2, 2]);
    rmSync(join(at.project, 'hook.mjs'));
  });
});
