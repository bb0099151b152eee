/** What lasts from one hook process to the next, and which points the events of a host reach. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/kernel/json.ts';
import { proves } from '../contract/cite.ts';
import { project as recordedProject, recordedEvents } from '../hosts/recorded-events.ts';
import { HookRig, letsRun, plainPolicy, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
/** A project whose policy names this hook module. */
function rig(module: string): HookRig {
  const made = new HookRig();
  rigs.push(made);
  writeFileSync(join(made.project, 'hook.mjs'), module);
  return made.policy(`${plainPolicy}hooks: [./hook.mjs]\n`);
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

const atMostThree = `
export default {
  name: 'at most three',
  async preToolCall(_payload, ctx) {
    const count = await ctx.session.update('calls', (calls = 0) => calls + 1);
    if (count > 3) return { type: 'reject', reason: 'only three calls per session' };
  },
};
`;

describe('the state of a session', () => {
  it(
    proves('C06')('counts calls over all processes of a session, also at the same time, and per session'),
    async () => {
      const at = rig(atMostThree);
      const run = async (index: number, session: string): Promise<boolean> => {
        const payload = { ...at.payload('claude', 'echo hello', { id: `call-${index}` }), session_id: session };
        return letsRun(await at.hook('claude', payload));
      };
      const together = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => run(index, 'one')));
      expect(together.filter(Boolean)).toHaveLength(3);
      expect(await run(7, 'one')).toBe(false);
      expect(await run(8, 'two')).toBe(true);
    },
  );

  it(proves('C06')('is separate for subagents'), async () => {
    const at = rig(atMostThree);
    const payload = at.payload('claude', 'echo hello');
    const results: boolean[] = [];
    for (const agent of [{}, {}, {}, {}, { agent_id: 'a1', agent_type: 'helper' }]) {
      results.push(letsRun(await at.hook('claude', { ...payload, ...agent })));
    }
    expect(results).toEqual([true, true, true, false, true]);
  });

  it(proves('C05', 'C06')('is free for other calls while a person is asked'), async () => {
    const at = rig(atMostThree);
    const asking = at.hookOfHost('gemini', at.payload('gemini', 'git push'), ['--limit', '25']);
    let settled = false;
    void asking.then(() => (settled = true));
    let story: readonly string[] = [];
    while (!story.includes('decided asked')) story = await at.story().catch(() => []);
    expect(letsRun(await at.hook('gemini', at.payload('gemini', 'echo hello')))).toBe(true);
    expect(settled).toBe(false);
    const [id = ''] = /[0-9a-f]{8}/.exec((await at.bridle('approvals', 'list')).stdout) ?? [];
    at.addPerson('ann');
    await at.bridle('approvals', 'deny', id, '--reason', 'no', '--yes');
    await asking;
  });
});

describe.each(testedHosts.map(({ name }) => name))('limits in %s', (host) => {
  it(proves('C06', 'E06')('hold over all processes of a session: calls per turn'), async () => {
    const at = rig('export default ({ retryLoopDetector }) => retryLoopDetector({ maxCalls: 2 });');
    const results: boolean[] = [];
    for (const id of ['1', '2', '3'])
      results.push(letsRun(await at.hook(host, at.payload(host, 'echo hello', { id }))));
    expect(results).toEqual([true, true, false]);
  });

  it(proves('C06', 'E02')('hold over all processes of a session: turns'), async () => {
    const at = rig('export default ({ turnLimit }) => turnLimit({ max: 2 });');
    const found = testedHosts.find(({ name }) => name === host);
    const prompt = recordedEvents(host).find(({ input }) => found?.read(input).type === 'prompt')?.input.payload;
    const text = JSON.stringify(prompt).replaceAll(recordedProject, at.project);
    const results: boolean[] = [];
    for (let turn = 1; turn <= 3; turn++) results.push(letsRun(await at.hook(host, text)));
    expect(results).toEqual([true, true, false]);
  });
});

describe('an approval that is remembered', () => {
  it.each(['gemini', 'codex'] as const)(
    proves('C06', 'Q02')('counts in later processes of the session: %s'),
    async (host) => {
      const at = rig('export default { name: "none" };');
      at.addPerson('ann');
      const call = (id: string) => at.payload(host, 'git push', { id });
      const first = await at.hookOfHost(host, call('1'), ['--limit', '7']);
      expect(letsRun(first)).toBe(false);
      const [id = ''] = /[0-9a-f]{8}/.exec((await at.bridle('approvals', 'list')).stdout) ?? [];
      const approved = await at.bridle('approvals', 'approve', id, '--remember', 'session', '--yes');
      expect(approved.code, approved.stderr).toBe(0);
      for (const next of ['2', '3'])
        expect(letsRun(await at.hookOfHost(host, call(next), ['--limit', '7']))).toBe(true);
      const other = { ...call('4'), command: 'x' };
      expect(letsRun(await at.hookOfHost(host, { ...other, session_id: 'another' }, ['--limit', '7']))).toBe(false);
    },
  );
});

const recorder = (file: string): string => `
import { appendFileSync } from 'node:fs';
const note = (what) => appendFileSync(${JSON.stringify(file)}, what + '\\n');
export default {
  name: 'recorder',
  onSessionStart: () => note('onSessionStart'),
  onSessionEnd: ({ reason }) => note('onSessionEnd ' + reason),
  preTurn: ({ prompt }) => { note('preTurn ' + prompt.text); if (prompt.text.includes('secret')) return { type: 'reject', reason: 'no secrets' }; },
  postTurn: () => note('postTurn'),
  preToolCall: ({ call }) => note('preToolCall ' + call.args.command_line),
  postToolCall: ({ outcome }) => note('postToolCall ' + outcome.type),
  preCompaction: () => note('preCompaction'),
};
`;

describe('the points', () => {
  it(proves('C09')('are reached by the events of the host'), async () => {
    const points = join(rigFolder(), 'points.txt');
    const at = rig(recorder(points));
    const base: JsonObject = { session_id: 's', transcript_path: '/x', cwd: at.project, prompt_id: 'p' };
    const send = (event: JsonObject) => at.hook('claude', { ...base, ...event });
    await send({ hook_event_name: 'SessionStart', source: 'startup' });
    await send({ hook_event_name: 'UserPromptSubmit', prompt: 'go on' });
    await at.hook('claude', { ...at.payload('claude', 'echo hello'), session_id: 's' });
    await at.hook('claude', { ...at.payload('claude', 'echo hello', { after: true }), session_id: 's' });
    await send({ hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: null });
    await send({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'done' });
    await send({ hook_event_name: 'SessionEnd', reason: 'other' });
    expect(readFileSync(points, 'utf8').trimEnd().split('\n')).toEqual([
      'onSessionStart',
      'preTurn go on',
      'preToolCall echo hello',
      'postToolCall ok',
      'preCompaction',
      'postTurn',
      'onSessionEnd other',
    ]);
    const refused = await send({ hook_event_name: 'UserPromptSubmit', prompt: 'print the secret' });
    expect(refused.stdout).toContain('no secrets');
  });

  it(proves('C09', 'G02')('can change the args of a call, and the policy decides again'), async () => {
    const at = rig(`
      export default {
        name: 'rewriter',
        preToolCall: ({ call }) =>
          ({ type: 'transform', value: { ...call.args, command_line: call.args.command_line.replace('hello', 'bye') } }),
      };
    `);
    const changed = await at.hook('claude', at.payload('claude', 'echo hello'));
    expect(JSON.parse(changed.stdout)).toMatchObject({ hookSpecificOutput: { updatedInput: { command: 'echo bye' } } });
    const denied = await at.hook('claude', at.payload('claude', 'rm hello'));
    expect(letsRun(denied)).toBe(false);
  });

  it(proves('C09')('deny every call of a session whose start a hook rejected'), async () => {
    const at = rig(
      `export default { name: 'closed', onSessionStart: () => ({ type: 'reject', reason: 'closed today' }) };`,
    );
    const { session_id: session = '' } = at.payload('claude', 'echo hello');
    const start = { hook_event_name: 'SessionStart', source: 'startup', session_id: session, cwd: at.project };
    await at.hook('claude', { transcript_path: '/x', ...start });
    const answer = await at.hook('claude', at.payload('claude', 'echo hello'));
    expect(letsRun(answer)).toBe(false);
    expect(answer.stdout).toContain('closed today');
  });
});

function rigFolder(): string {
  const made = new HookRig();
  rigs.push(made);
  return made.folder;
}
