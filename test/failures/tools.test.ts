/** Tools, approvers and commands that fail, hang or drown the agent: data for the model, and the turn goes on. */

import { ask, type Approver } from 'bridle';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { calling } from '../rigs/agent-rig.ts';
import { proves } from '../contract/cite.ts';
import { entriesOf, eventsOf, later, never, only, thenable, untouchable } from '../rigs/guard-rig.ts';
import { expectUnharmed } from './after-failure.ts';
import { noting, pluggedAgent, type PluggedAgent } from './plugged-agent.ts';

function outputs({ agent }: PluggedAgent): readonly { readonly type: string; readonly value: string }[] {
  return agent.history
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as readonly unknown[] as readonly { output: { type: string; value: string } }[])
    .map(({ output }) => output);
}

type Run = Parameters<typeof noting>[2];

/** One turn in which a tool does something odd, between two that do not. */
async function beside(run: Run, options: Parameters<typeof pluggedAgent>[0] = {}): Promise<PluggedAgent> {
  const own: string[] = [];
  const rig = pluggedAgent({
    steps: [calling('act', 'odd', 'look', 'look_odd', 'look'), 'done'],
    tools: [noting(own, 'odd', run), noting(own, 'look_odd', run)],
    hooks: [{ name: 'no mending', priority: 1, onToolError: () => ({ type: 'message', text: 'it went wrong' }) }],
    ...options,
  });
  await rig.agent.start();
  return { ...rig, ran: joined(rig.ran, own) };
}

/** Both lists, as they are when they are looked at. */
function joined(a: readonly string[], b: readonly string[]): readonly string[] {
  return new Proxy([] as readonly string[], { get: (_target, key) => Reflect.get([...a, ...b], key) as unknown });
}

const throws = (thrown: unknown) => (): never => {
  // oxlint-disable-next-line typescript/only-throw-error
  throw thrown;
};

describe('a tool', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const odd: Readonly<Record<string, Run>> = {
    throws: throws(new TypeError('broken')),
    'throws nothing': throws(undefined),
    'throws a trap': throws(untouchable()),
    rejects: () => Promise.reject(new TypeError('broken')),
    'gives a circle': () => cyclic,
    'gives a function': () => () => 1,
    'gives a trap': () => untouchable(),
    'gives something like a promise that throws': () =>
      thenable(() => {
        throw new TypeError('no promise');
      }),
    'gives 100 MB of data': () => Array.from({ length: 100 }, () => 'x'.repeat(1 << 20)),
  };

  it.each(Object.entries(odd))(
    proves('A22', 'G08')('that %s is an error the model reads, beside others that work'),
    async (_how, run) => {
      const rig = await beside(run);
      expect(await rig.agent.chat('go')).toMatchObject({ text: 'done', stopReason: 'end' });
      expect(outputs(rig).map(({ type }) => type)).toEqual(['text', 'error-text', 'text', 'error-text', 'text']);
      await expectUnharmed(rig);
      await rig.agent.stop();
    },
  );

  it(proves('G15')('that hangs is ended by its grant; what it gives later is noted and never used'), async () => {
    const clock = fakeClock();
    const late = later<string>();
    const rig = await beside(() => late.promise, { clock, grant: { timeoutMs: 1000 } });
    const turn = rig.agent.chat('go');
    for (let i = 0; i < 4; i++) await clock.advance(1000);
    expect(await turn).toMatchObject({ text: 'done' });
    late.resolve('far too late');
    await clock.advance(1);
    expect(eventsOf(rig, 'tool_settled').map(({ outcome }) => outcome)).toEqual([
      'ok',
      'timeout',
      'ok',
      'ok',
      'timeout',
    ]);
    expect(eventsOf(rig, 'tool_late')).toHaveLength(2);
    expect(JSON.stringify(rig.agent.history)).not.toContain('far too late');
    await rig.agent.stop();
  });

  it(proves('A22')('that never ends does not outlive the agent'), async () => {
    const clock = fakeClock();
    const rig = await beside(() => never(), { clock });
    const turn = rig.agent.chat('go');
    await clock.advance(1);
    await rig.agent.stop();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });

  it(proves('A11')('a command that prints 100 MB is cut, and the agent has room to go on'), async () => {
    const print = ['run_command', { command_line: 'head -c 104857600 /dev/zero | tr "\\0" x' }] as const;
    const rig = pluggedAgent({ steps: [calling(print), calling('look'), 'done'] });
    await rig.agent.start();
    expect(await rig.agent.chat('go')).toMatchObject({ text: 'done', stopReason: 'end' });
    expect(outputs(rig)[0]?.value.length).toBeLessThan(200_000);
    expect(outputs(rig)[0]?.value).toMatch(/xxxx/);
    await expectUnharmed(rig);
    await rig.agent.stop();
  });
});

describe('an approver', () => {
  const steps = [calling('act', 'look'), 'done'];

  it(proves('Q02', 'P10')('that never answers lets the question expire, and the call does not run'), async () => {
    const clock = fakeClock();
    const rig = pluggedAgent({ steps, clock, policy: [ask('act')], approver: () => never(), askTimeoutMs: 5000 });
    await rig.agent.start();
    const turn = rig.agent.chat('go');
    await clock.advance(6000);
    expect(await turn).toMatchObject({ text: 'done' });
    expect(rig.ran).toHaveLength(1);
    expect(entriesOf(rig, 'decided').map(({ status }) => status)).toEqual(['asked', 'expired', 'allowed']);
    await expectUnharmed(rig);
    await rig.agent.stop();
  });

  const wrong: Readonly<Record<string, Approver>> = {
    throws: () => {
      throw new TypeError('no terminal');
    },
    rejects: () => Promise.reject(new TypeError('gone')),
    'says "yes"': () => 'yes' as never,
    'gives nothing': () => undefined as never,
    'gives a trap': () => untouchable() as never,
    'approves something else': () => ({ type: 'approve', args: 7 }) as never,
  };

  it.each(Object.entries(wrong))(proves('P10')('that %s has not approved'), async (_how, approver) => {
    const rig = pluggedAgent({ steps, policy: [ask('act')], approver });
    await rig.agent.start();
    expect(await rig.agent.chat('go')).toMatchObject({ text: 'done' });
    expect(rig.ran).toHaveLength(1);
    expect(only(eventsOf(rig, 'tool_denied'))).toMatchObject({ tool: 'act' });
    await expectUnharmed(rig);
    await rig.agent.stop();
  });
});

describe('a journal', () => {
  it(proves('G10', 'G15')('that takes nothing lets nothing run; the turn goes on'), async () => {
    const rig = pluggedAgent({
      steps: [calling('act', 'look'), 'done'],
      journal: {
        append: () => {
          throw new TypeError('disk full');
        },
      },
    });
    await rig.agent.start();
    expect(await rig.agent.chat('go')).toMatchObject({ text: 'done' });
    expect(rig.ran).toEqual([]);
    expect(outputs(rig).every(({ type }) => type === 'error-text')).toBe(true);
    expect(rig.eventTypes()).toContain('journal_failed');
    await expectUnharmed(rig);
    await rig.agent.stop();
  });
});
