/** The part that all adapters share, without a framework around it. The suite in test/frameworks runs the real ones. */

import { isDeepStrictEqual } from 'node:util';
import { allow, ask, type JournalEntry, preLlmCall, preToolCall, deny, transform } from 'bridle';
import { createGuard } from 'bridle/ai-sdk';
import { fakeClock } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../test/contract/cite.ts';
import { nameSearches } from '../../test/rigs/name-searches.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import type { FrameworkGuard, FrameworkGuardOptions } from './framework-guard.ts';
import type { FrameworkAnswer } from './paused-questions.ts';

const approve: FrameworkAnswer = { type: 'approve' };

function attach(guard: FrameworkGuard, name = 'send', schema: object = z.object({}).loose()): ToolDeclaration {
  const points = ['preToolCall', 'postToolCall', 'onToolError'] as const;
  const [tool] = guard.attach({ framework: 'test', points, tools: [{ name, tool: { inputSchema: schema } }] });
  return tool as ToolDeclaration;
}

function isEve(args: JsonObject): boolean {
  return args['to'] === 'eve';
}

interface Attempt {
  readonly id?: string;
  readonly args?: JsonObject;
  readonly answer?: FrameworkAnswer | undefined;
  readonly agent?: readonly string[];
  readonly session?: string;
}

/** What happens to calls of one tool: `ran` with the args that it ran with, or the type of the decision. */
function openGuard(options: Partial<FrameworkGuardOptions> = {}) {
  const journal: JournalEntry[] = [];
  const guard = createGuard({
    policy: [ask('send')],
    journal: { append: (entry) => void journal.push(entry) },
    ...options,
  });
  const tool = attach(guard);
  const attempt = async ({ id = 'c1', args = {}, answer, agent, session = 's' }: Attempt = {}): Promise<string> => {
    const opened = await guard.session('test', session);
    const ended = await opened.call({ id, tool, args, agent }, (decided) => JSON.stringify(decided), { answer });
    return ended.type === 'ended' ? `ran ${String(ended.value)}` : ended.type;
  };
  return { guard, journal, attempt, statuses: () => journal.map(({ kind, status }) => `${kind} ${status}`) };
}

describe('an answer of a framework', () => {
  it(proves('B06', 'Q01')('counts once, for exactly the call that was asked about before'), async () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
    const object = fc.dictionary(fc.constantFrom('to', 'text', 'n'), value);
    await fc.assert(
      fc.asyncProperty(object, object, async (shown, resumed) => {
        const { attempt } = openGuard();
        expect(await attempt({ args: shown })).toBe('asks');
        const result = await attempt({ args: resumed, answer: approve });
        const isSame = isDeepStrictEqual({ ...shown }, { ...resumed });
        if (isSame) expect(result).toMatch(/^ran /);
        else expect(result).toBe('refused');
        expect(await attempt({ args: resumed, answer: approve })).not.toMatch(/^ran /);
      }),
    );
  });

  it(proves('B06')('does not count for a question that nobody was asked, also if it is sent again'), async () => {
    const { attempt } = openGuard();
    expect(await attempt({ answer: approve })).toBe('refused');
    expect(await attempt({ answer: approve })).toBe('refused');
  });

  it(proves('B06')('counts although an earlier attempt at the same call ends meanwhile'), async () => {
    let pass: (() => void) | undefined;
    let gate = Promise.resolve();
    const waits = preToolCall(({ call }) => (call.tool === 'send' ? gate : undefined), { name: 'waits' });
    const guard = createGuard({ policy: [ask('send'), allow('note')], hooks: [waits] });
    const [note, send] = [attach(guard, 'note'), attach(guard, 'send')];
    const session = await guard.session('test');
    expect((await session.decide({ id: 'c1', tool: send, args: {} })).type).toBe('asks');
    gate = new Promise((resolve) => (pass = resolve));
    const earlier = await session.decide({ id: 'c1', tool: note, args: {} }, approve);
    const resumed = session.decide({ id: 'c1', tool: send, args: {} }, approve);
    if (earlier.type === 'runs') await earlier.run(() => 'noted');
    pass?.();
    expect([earlier.type, (await resumed).type]).toEqual(['runs', 'runs']);
  });

  it(
    proves('B06', 'Q01')('counts once, however often it is sent, one after the other or at the same time'),
    async () => {
      const { attempt } = openGuard();
      await attempt();
      const first = await Promise.all([1, 2, 3].map(() => attempt({ answer: approve })));
      const later = [
        await attempt({ answer: approve }),
        await attempt({ answer: approve }),
        await attempt({ answer: approve }),
      ];
      expect([...first, ...later].filter((result) => result === 'ran {}')).toHaveLength(1);
    },
  );

  it.each([
    ['another session', { session: 'other' }],
    ['another agent', { agent: ['main', 'helper'] }],
    ['another call', { id: 'c2' }],
  ])(proves('B06', 'Q01')('does not count for %s'), async (_which, other) => {
    const { attempt } = openGuard();
    await attempt();
    expect(await attempt({ ...other, answer: approve })).toBe('refused');
  });

  it(proves('B06', 'Q02')('is too late after the time limit'), async () => {
    const clock = fakeClock();
    const { attempt, statuses } = openGuard({ clock, askTimeoutMs: 1000 });
    await attempt();
    await clock.advance(1001);
    expect(await attempt({ answer: approve })).toBe('refused');
    expect(statuses()).toEqual(['decided asked', 'decided expired']);
  });

  it(proves('B06')('with other args is decided again'), async () => {
    const { attempt } = openGuard({ policy: [deny('send', { when: isEve }), ask('send')] });
    await attempt({ args: { to: 'bob' } });
    expect(await attempt({ args: { to: 'bob' }, answer: { ...approve, args: { to: 'eve' } } })).toBe('refused');
    await attempt({ id: 'c2', args: { to: 'bob' } });
    const edited = await attempt({ id: 'c2', args: { to: 'bob' }, answer: { ...approve, args: { to: 'ann' } } });
    expect(edited).toBe('ran {"to":"ann"}');
  });

  it(proves('B06', 'Q01')('does not count if the framework showed other args than those that would run'), async () => {
    const hooks = [preToolCall(() => transform({ to: 'eve' }), { name: 'redirect' })];
    const { attempt } = openGuard({ hooks });
    await attempt({ args: { to: 'bob' } });
    expect(await attempt({ args: { to: 'bob' }, answer: { ...approve, shown: { to: 'bob' } } })).toBe('asks');
    expect(await attempt({ args: { to: 'bob' }, answer: { ...approve, shown: { to: 'eve' } } })).toBe(
      'ran {"to":"eve"}',
    );
  });

  it(proves('B06')('is recorded as given in the framework, without a signature'), async () => {
    const { attempt, journal } = openGuard();
    await attempt();
    await attempt({ answer: { ...approve, by: 'ann' } });
    const entry = journal.find((each) => each.kind === 'decided' && each.status === 'approved');
    expect(entry).toMatchObject({ approval: { by: 'ann', place: 'framework' } });
  });

  it(proves('B06')('does not count for a rule that needs a signature'), async () => {
    const { attempt } = openGuard({ policy: [ask('send', { approval: 'signed' })] });
    expect(await attempt()).toBe('refused');
    expect(await attempt({ answer: approve })).toBe('refused');
  });
});

describe('tools', () => {
  it(
    proves('B03')('that no rule covers are refused when they are attached, and later ones when they are called'),
    async () => {
      const guard = createGuard({ policy: [allow('send')] });
      expect(() => attach(guard, 'other')).toThrow(expect.objectContaining({ code: 'TOOL_UNCOVERED' }));
      attach(guard);
      const session = await guard.session('test', 's');
      const late = attach(guard, 'late');
      await expect(session.decide({ id: 'c1', tool: late, args: {} })).rejects.toMatchObject({
        code: 'TOOL_UNCOVERED',
      });
    },
  );

  it(proves('B01')('of two agents with the same name keep their own schemas'), async () => {
    const guard = createGuard({ policy: [allow('send')] });
    const text = attach(guard, 'send', z.object({ to: z.string() }));
    const number = attach(guard, 'send', z.object({ to: z.number() }));
    const session = await guard.session('test', 's');
    expect(await session.decide({ id: 'c1', tool: text, args: { to: 'a' } })).toMatchObject({ type: 'runs' });
    expect(await session.decide({ id: 'c2', tool: number, args: { to: 1 } })).toMatchObject({ type: 'runs' });
    expect(await session.decide({ id: 'c3', tool: number, args: { to: 'a' } })).toMatchObject({ type: 'refused' });
  });

  it(proves('B01')('get what the user declares about them, too'), async () => {
    const tools = [{ name: 'send', tier: 'observe' as const, schema: z.object({ to: z.string().max(3) }) }];
    const guard = createGuard({ policy: [], tools });
    const tool = attach(guard, 'send', z.object({ to: z.string() }));
    expect(tool.tier).toBe('observe');
    const session = await guard.session('test', 's');
    expect(await session.decide({ id: 'c1', tool, args: { to: 'long' } })).toMatchObject({ type: 'refused' });
  });

  it(proves('B03')('are refused after the guard has ended'), async () => {
    const { guard, attempt } = openGuard({ policy: [allow('send')] });
    expect(await attempt()).toBe('ran {}');
    await guard.end();
    await expect(attempt()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });
});

it(proves('B04')('a hook at a point that is not reached stops the start, with its name and the point'), async () => {
  const { attempt } = openGuard({ hooks: [preLlmCall(() => undefined, { name: 'never-called' })] });
  const message = /"never-called" is registered at preLlmCall/;
  await expect(attempt()).rejects.toMatchObject({ code: 'HOOK_UNREACHABLE', message: expect.stringMatching(message) });
});

it(proves('B07')('a tool returns its own value unless something changed it'), async () => {
  const guard = createGuard({ policy: [allow('send')] });
  const tool = attach(guard);
  const session = await guard.session('test', 's');
  const own = new Map([['a', 1]]);
  const ended = await session.call({ id: 'c1', tool, args: {} }, () => own);
  expect(ended).toMatchObject({ type: 'ended', thrown: undefined });
  expect(ended.type === 'ended' && ended.value).toBe(own);
});

it(proves('B02', 'G11')('a tool that is attached after the start is not compared with other names'), async () => {
  const { guard } = openGuard({ policy: [allow('*')] });
  const session = await guard.session('test', 's');
  const tool = attach(guard, 'sent');
  const call = async (): Promise<void> => {
    expect(await session.call({ id: 'c1', tool, args: {} }, () => 'done')).toMatchObject({ value: 'done' });
  };
  expect(await nameSearches('sent', call)).toBe(0);
});

it(proves('B02')('rewritten args are decided again, and the tool gets them'), async () => {
  const { attempt } = openGuard({
    policy: [deny('send', { when: isEve }), allow('send')],
    hooks: [
      preToolCall(({ call }) => transform({ to: call.args['to'] === 'bob' ? 'ann' : 'eve' }), { name: 'redirect' }),
    ],
  });
  expect(await attempt({ args: { to: 'bob' } })).toBe('ran {"to":"ann"}');
  expect(await attempt({ args: { to: 'joe' } })).toBe('refused');
});

async function decideLater(options: Partial<FrameworkGuardOptions> = {}) {
  const { guard, statuses } = openGuard({ policy: [allow('*')], ...options });
  const tool = attach(guard, 'later');
  const session = await guard.session('test', 's');
  const decided = await session.decide({ id: 'c1', tool, args: {} });
  if (decided.type !== 'runs') throw new TypeError(decided.type);
  const run = async (): Promise<readonly [string, boolean]> => {
    let hasRun = false;
    const { result } = await decided.run(() => (hasRun = true));
    return [result.text, hasRun];
  };
  return { guard, session, tool, run, statuses };
}

describe('a decided call that the framework runs later', () => {
  it(proves('G15')('does not start its tool if its time limit has passed meanwhile'), async () => {
    const { run, statuses } = await decideLater({ grant: { timeoutMs: 20 } });
    while (!statuses().includes('settled timeout')) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await run()).toEqual([expect.stringMatching('did not finish'), false]);
    expect(statuses()).toEqual(['decided allowed', 'settled timeout']);
  });

  it(proves('G15')('does not start its tool if the guard ends meanwhile, also in the same moment'), async () => {
    for (const waits of [true, false]) {
      const { guard, run, statuses } = await decideLater();
      const ending = guard.end();
      if (waits) await ending;
      expect(await run()).toEqual(['The call was cancelled.', false]);
      await ending;
      expect(statuses()).toEqual(['decided allowed', 'settled cancelled']);
    }
  });

  it(proves('B03')('is refused in a session that the adapter kept although the guard has ended'), async () => {
    const { guard, session, tool } = await decideLater();
    await guard.end();
    await expect(session.decide({ id: 'c2', tool, args: {} })).rejects.toThrow('the session has ended');
  });
});
