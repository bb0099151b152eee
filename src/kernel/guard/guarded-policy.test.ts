import {
  allow,
  allowAll,
  arg,
  compilePolicy,
  createGuard,
  deny,
  denyAll,
  forbid,
  type Clock,
  type ToolDeclaration,
} from 'bridle';
import { systemClock } from '../clock.ts';
import type { RuleCondition } from '../policy/rules/rule.ts';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

type Schema = NonNullable<ToolDeclaration['schema']>;

const host = { run: (): string => 'ran' };

describe('a guard and its policy', () => {
  const servers = [{ name: 'gh' }];

  it(proves('P12')('know the same tools, also after a server changed its list'), async () => {
    const guard = createGuard({ tools: [], servers, policy: [deny('gh/drop'), allowAll()] });
    guard.replaceServerTools('gh', [{ name: 'drop' }, { name: 'push' }]);
    const session = await guard.start();
    for (const tool of ['drop', 'push', 'pull']) {
      const call = { server: 'gh', tool };
      const { decision } = await guard.policy.explain(call);
      const { type } = await session.turn().guard(call, host);
      expect([tool, decision.effect === 'allow']).toEqual([tool, type === 'ok']);
    }
    await session.end();
  });

  it(proves('P14')('warn of a rule for a tool that a server turns out not to have'), () => {
    const guard = createGuard({ tools: [], servers, policy: [deny('gh/delte'), allowAll()] });
    expect(guard.warnings).toEqual([]);
    guard.replaceServerTools('gh', [{ name: 'delete' }]);
    expect(guard.warnings).toEqual(['deny gh/delte: no tool is named "delte"; did you mean "delete"?']);
    guard.replaceServerTools('gh', [{ name: 'delte' }]);
    expect(guard.warnings).toEqual([]);
  });

  it.each(['disabledTools', 'enabledTools'] as const)(
    proves('P14', 'M05')('warn of %s that a server turns out not to have'),
    (field) => {
      const hiding = [{ name: 'gh', [field]: ['delte', 'push', 'shove'] }];
      const guard = createGuard({ tools: [], servers: hiding, policy: denyAll() });
      expect(guard.warnings).toEqual([]);
      guard.replaceServerTools('gh', [{ name: 'delete' }, { name: 'push', aliases: { names: ['shove'] } }]);
      const text = `server "gh": ${field} names "delte", which it does not have; did you mean "delete"?`;
      expect(guard.warnings).toEqual([text]);
    },
  );

  it(proves('P14', 'W01')('warn of paths configured for a tool that a server does not have'), () => {
    const covering = [{ name: 'gh', paths: { upload: ['from'], uplod: ['from'] } }];
    const guard = createGuard({ tools: [{ server: 'gh', name: 'upload' }], servers: covering, policy: denyAll() });
    expect(guard.warnings).toEqual([
      'server "gh": paths names "uplod", which it does not have; did you mean "upload"?',
    ]);
  });

  it(proves('P12', 'G12')('have the same limits'), async () => {
    const limits = { argsBytes: 20 };
    const guard = createGuard({ tools: [{ name: 'tool' }], policy: allowAll(), limits });
    const call = { tool: 'tool', args: { text: 'x'.repeat(30) } };
    expect((await guard.policy.decide(call)).effect).toBe('deny');
    expect((await compilePolicy(allowAll(), { limits }).explain(call)).decision.effect).toBe('deny');
    expect((await compilePolicy(allowAll()).decide(call)).effect).toBe('allow');
    for (const wrong of [{ argsBytes: 0 }, { argsByte: 5 }, null, 7]) {
      expect(() => compilePolicy(allowAll(), { limits: wrong as object })).toThrow('option "limits');
    }
  });

  it(proves('P12', 'G12')('do not wait for a schema that never answers'), async () => {
    const clock = fakeClock();
    const schema: Schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => new Promise(() => undefined) },
    };
    const policy = compilePolicy(allowAll(), { tools: [{ name: 'tool', schema }], clock, timeoutMs: 100 });
    const decisions = Promise.all([policy.decide({ tool: 'tool' }), policy.explain({ tool: 'tool' })]);
    await clock.advance(1000);
    const [decision, explanation] = await decisions;
    expect(decision).toMatchObject({
      effect: 'deny',
      problem: 'Invalid args for tool: its schema did not answer within 100 ms.',
    });
    expect(explanation.decision).toEqual(decision);
  });
});

describe('a synchronous predicate that takes too long', () => {
  it(proves('P05')('denies and is named, before and after an asynchronous one'), async () => {
    for (const soon of [true, false]) {
      const clock = movable();
      const blocking = arg('x', () => {
        clock.blocked += 2000;
        return false;
      });
      const policy = [
        forbid('*', { name: 'first', when: () => (soon ? false : Promise.resolve(false)) }),
        forbid('*', { name: 'blocks', when: blocking }),
        allowAll(),
      ];
      const guard = createGuard({ tools: [{ name: 'tool' }], policy, clock, timeoutMs: 1000 });
      const session = await guard.start();
      const result = await session.turn().guard({ tool: 'tool' }, host);
      expect(result.type).toBe('denied');
      expect(result.text).toContain('"blocks"');
      expect(result).toMatchObject({ rule: { name: 'blocks' } });
      await session.end();
      const explained = await compilePolicy(policy, { clock, timeoutMs: 1000 }).explain({ tool: 'tool' });
      expect(explained.decision).toMatchObject({ effect: 'deny', rule: { name: 'blocks' } });
    }
  });

  it(proves('P05', 'P12')('denies also if it blocks after it has waited'), async () => {
    const clock = movable();
    const when: RuleCondition = async () => {
      await Promise.resolve();
      clock.blocked += 2000;
      return true;
    };
    const decision = await compilePolicy(allow('tool', { name: 'blocks', when }), { clock, timeoutMs: 1000 }).decide({
      tool: 'tool',
    });
    expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'blocks' } });
    expect(decision.reason).toContain('did not answer within 1000 ms');
  });

  it(proves('P05', 'P16')('is timed only where there is one'), async () => {
    let reads = 0;
    const clock = { ...systemClock, now: () => ++reads };
    const policy = compilePolicy([allow('tool'), deny('other', { when: () => true }), denyAll()], { clock });
    expect(await policy.decide({ tool: 'tool' })).toMatchObject({ effect: 'allow' });
    expect(await policy.decide({ tool: 'third' })).toMatchObject({ effect: 'deny' });
    expect(reads).toBe(0);
    await policy.decide({ tool: 'other' });
    expect(reads).toBe(2);
  });
});

/** A clock that a predicate can move on by hand, as blocking would. */
function movable(): Clock & { blocked: number } {
  const clock = { ...systemClock, blocked: 0, now: () => systemClock.now() + clock.blocked };
  return clock;
}
