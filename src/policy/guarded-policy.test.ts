import { allowAll, arg, createGuard, deny, forbid, systemClock, type Clock } from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';

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
      await session.end();
    }
  });
});

/** A clock that a predicate can move on by hand, as blocking would. */
function movable(): Clock & { blocked: number } {
  const clock = { ...systemClock, blocked: 0, now: () => systemClock.now() + clock.blocked };
  return clock;
}
