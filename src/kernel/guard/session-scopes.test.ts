/** Scopes and contexts as hooks, tools and hosts meet them in a session. */

import {
  allowAll,
  createGuard,
  type GuardOptions,
  type Hook,
  type HookContext,
  stateKey,
  type PointName,
  pointNames,
  type RunContext,
  type Scope,
  type ToolHost,
} from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { samplePayloads } from '../../../test/rigs/sample-payloads.ts';

const tools = [{ name: 'write' }, { name: 'read' }];
const host: ToolHost = { run: () => 'done' };
const failing: ToolHost = {
  run: () => {
    throw new RangeError('disk full');
  },
};

function guardWith(hooks: readonly Hook[], options: Partial<GuardOptions> = {}) {
  return createGuard({ tools, policy: allowAll(), hooks, ...options });
}

/** Gives the context of every point to `look`. */
function everywhere(look: (point: PointName, ctx: HookContext) => void): Hook {
  const methods = pointNames.map((point) => [
    point,
    (_payload: unknown, ctx: HookContext) => {
      look(point, ctx);
    },
  ]);
  return { name: 'everywhere', ...Object.fromEntries(methods) } as Hook;
}

/** Reaches every point once or more. */
async function reachAll(hook: Hook, options: Parameters<ReturnType<typeof guardWith>['start']>[0] = {}): Promise<void> {
  const session = await guardWith([hook]).start(options);
  const turn = session.turn();
  await turn.enter('hi');
  turn.nextStep();
  turn.nextStep();
  for (const point of ['preLlmCall', 'postLlmCall', 'onLlmError', 'preCompaction', 'postCompaction'] as const) {
    await turn.dispatch(point, samplePayloads[point]);
  }
  await turn.guard({ tool: 'write' }, failing);
  await turn.ask([{ question: 'Well?' }]);
  await turn.dispatch('onTurnError', samplePayloads.onTurnError);
  await turn.dispatch('postTurn', samplePayloads.postTurn);
  await session.end();
}

const inCall: readonly PointName[] = ['preToolCall', 'onToolError', 'postToolCall'];
const outsideTurn: readonly PointName[] = ['onSessionStart', 'onSessionEnd'];

function attempt(use: () => unknown): unknown {
  try {
    return use();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe('a context', () => {
  it(proves('S08')('carries everything at every point'), async () => {
    const seen = new Map<PointName, Record<string, unknown>>();
    await reachAll(
      everywhere((point, ctx) => {
        if (seen.has(point)) return;
        const { sessionId, agent, depth, loopName, turnNumber, stepNumber, signal } = ctx;
        const can = (['get', 'set', 'emit', 'ask'] as const).every((name) => typeof ctx[name] === 'function');
        const aborted = signal instanceof AbortSignal && signal.aborted;
        seen.set(point, { sessionId, agent, depth, loopName, turnNumber, stepNumber, host: ctx.host, aborted, can });
      }),
      { id: 's-1', agent: ['main', 'helper'], host: 'mcp', loopName: 'loop' },
    );
    expect([...seen.keys()].toSorted()).toEqual(pointNames.toSorted());
    for (const [point, context] of seen) {
      const turnNumber = outsideTurn.includes(point) || point === 'onEvent' ? 0 : 1;
      const early = turnNumber === 0 || point === 'preTurn';
      expect(context, point).toEqual({
        sessionId: 's-1',
        agent: ['main', 'helper'],
        depth: 1,
        loopName: 'loop',
        host: 'mcp',
        turnNumber,
        stepNumber: early ? 0 : 2,
        aborted: false,
        can: true,
      });
    }
  });

  it(proves('S02', 'S08')('has the scopes of its place; the others are an error'), async () => {
    const seen = new Map<PointName, unknown>();
    await reachAll(
      everywhere((point, ctx) => {
        const scopes = [() => ctx.session.hasParent, () => ctx.turn.hasParent, () => ctx.operation.hasParent];
        if (!seen.has(point)) seen.set(point, scopes.map(attempt));
      }),
    );
    for (const point of pointNames.filter((name) => name !== 'onEvent')) {
      const turn = outsideTurn.includes(point) ? 'SCOPE_MISSING' : true;
      const operation = inCall.includes(point) ? true : 'SCOPE_MISSING';
      expect(seen.get(point), point).toEqual([false, turn, operation]);
    }
  });

  it(proves('S01')('reads operation, turn, session in that order and writes to the innermost'), async () => {
    const log: unknown[] = [];
    const hook: Hook = {
      name: 'reader',
      onSessionStart: (_payload, ctx) => ctx.set('k', 'session'),
      preTurn: (_payload, ctx) => {
        log.push(ctx.get('k'));
        ctx.set('k', 'turn');
        log.push(ctx.get('k'), ctx.session.get('k'));
      },
      preToolCall: (_payload, ctx) => {
        log.push(ctx.get('k'));
        ctx.set('k', 'operation');
        log.push(ctx.get('k'), ctx.turn.get('k'), ctx.session.get('k'));
      },
      postTurn: (_payload, ctx) => void log.push(ctx.get('k'), ctx.get('none'), ctx.get('none', 'default')),
      onSessionEnd: (_payload, ctx) => void log.push(ctx.get('k')),
    };
    const session = await guardWith([hook]).start();
    const turn = session.turn();
    await turn.enter('hi');
    await turn.guard({ tool: 'write' }, host);
    await turn.dispatch('postTurn', samplePayloads.postTurn);
    await session.end();
    expect(log).toEqual([
      'session',
      'turn',
      'session',
      'turn',
      'operation',
      'turn',
      'session',
      'turn',
      undefined,
      'default',
      'session',
    ]);
  });

  it(proves('S07')('accepts typed keys'), async () => {
    const count = stateKey<number>('count', 10);
    let seen: number | undefined;
    const hook: Hook = {
      name: 'typed',
      preTurn: (_payload, ctx) => {
        ctx.set(count, ctx.get(count) + 1);
        seen = ctx.get(count);
      },
    };
    const session = await guardWith([hook]).start();
    await session.turn().enter('hi');
    expect(seen).toBe(11);
  });

  it(proves('S08')('cannot be changed by one hook for another'), async () => {
    const log: unknown[] = [];
    const hooks: Hook[] = [
      {
        name: 'liar',
        preToolCall: (_payload, ctx) => {
          for (const name of ['get', 'ask', 'host', 'session']) {
            log.push(attempt(() => Object.defineProperty(ctx, name, { value: () => 'mine' })));
          }
        },
      },
      { name: 'honest', preToolCall: (_payload, ctx) => void log.push(ctx.host, ctx.get('user')) },
    ];
    const session = await guardWith(hooks).start({ state: { user: 'ann' } });
    await session.turn().guard({ tool: 'write' }, host);
    expect(log).toEqual([undefined, undefined, undefined, undefined, 'own', 'ann']);
  });

  it(proves('S08')('has a signal that is aborted when the turn is cancelled'), async () => {
    const signals: AbortSignal[] = [];
    const keep: Hook = {
      name: 'keep',
      onSessionStart: (_payload, ctx) => void signals.push(ctx.signal),
      preTurn: (_payload, ctx) => void signals.push(ctx.signal),
    };
    const guard = guardWith([keep]);
    const session = await guard.start();
    const other = await guard.start();
    const turn = session.turn();
    await turn.enter('hi');
    turn.cancel();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true]);
    // Not even a signal is shared between sessions.
    expect(signals[0]).not.toBe(signals[1]);
    await Promise.all([session.end(), other.end()]);
  });
});

describe('the life of a scope', () => {
  it(proves('S03')('is one turn for the turn, one call for the operation'), async () => {
    const log: unknown[] = [];
    const hook: Hook = {
      name: 'marker',
      preToolCall: ({ call }, ctx) => {
        log.push([call.id, ctx.operation.get('pre'), ctx.turn.get('calls', 0)]);
        ctx.operation.set('pre', call.id);
        ctx.turn.set('calls', Number(ctx.turn.get('calls', 0)) + 1);
      },
      onToolError: ({ call }, ctx) => {
        log.push([call.id, 'error', ctx.operation.get('pre')]);
        ctx.set('error', true);
      },
      postToolCall: ({ call }, ctx) => void log.push([call.id, 'post', ctx.get('pre'), ctx.operation.has('error')]),
    };
    const session = await guardWith([hook]).start();
    const turn = session.turn();
    await turn.guard({ id: 'a', tool: 'write' }, failing);
    await turn.guard({ id: 'b', tool: 'write' }, host);
    await session.turn().guard({ id: 'c', tool: 'write' }, host);
    expect(log).toEqual([
      ['a', undefined, 0],
      ['a', 'error', 'a'],
      ['a', 'post', 'a', true],
      ['b', undefined, 1],
      ['b', 'post', 'b', false],
      ['c', undefined, 0],
      ['c', 'post', 'c', false],
    ]);
  });

  it(proves('S03', 'S04')('keeps parallel calls apart, and lets them count together'), async () => {
    const wrong: unknown[] = [];
    const calls = stateKey<number>('calls', 0);
    const hook: Hook = {
      name: 'parallel',
      preToolCall: async ({ call }, ctx) => {
        ctx.set('id', call.id);
        await ctx.turn.update(calls, async (before) => {
          await new Promise((resolve) => setImmediate(resolve));
          return before + 1;
        });
      },
      postToolCall: ({ call }, ctx) => void (ctx.operation.get('id') === call.id || wrong.push(call.id)),
    };
    const session = await guardWith([hook]).start();
    const turn = session.turn();
    const slow: ToolHost = { run: () => new Promise((resolve) => setImmediate(() => resolve('done'))) };
    await Promise.all(Array.from({ length: 50 }, (_, index) => turn.guard({ id: `c${index}`, tool: 'read' }, slow)));
    expect(wrong).toEqual([]);
    expect(turn.scope.get(calls)).toBe(50);
  });

  it(proves('S03', 'H15')('is the same for observers of the call'), async () => {
    const seen: unknown[] = [];
    const hook: Hook = {
      name: 'marker',
      preToolCall: ({ call }, ctx) => ctx.set('id', call.id),
      onEvent: (event, ctx) => {
        if (event.type === 'tool_requested') ctx.set('requested', true);
        if (event.type === 'tool_settled') seen.push(ctx.operation.get('id'), ctx.operation.get('requested'));
      },
    };
    const session = await guardWith([hook]).start();
    await session.turn().guard({ id: 'c1', tool: 'write' }, host);
    expect(seen).toEqual(['c1', true]);
  });

  it(proves('S06')('is one session: two in one process never see each other'), async () => {
    const total = stateKey<number>('total', 0);
    const hook: Hook = {
      name: 'counter',
      preTurn: async (_payload, ctx) => {
        await ctx.session.update(total, (before) => before + 1);
        ctx.set('mine', ctx.sessionId);
      },
      preToolCall: (_payload, ctx) => ctx.set('op', ctx.sessionId),
    };
    const guard = guardWith([hook]);
    const [a, b] = await Promise.all([guard.start({ id: 'a' }), guard.start({ id: 'b', state: { total: 100 } })]);
    const stores: unknown[] = [];
    const keeping: ToolHost = {
      run: async (call, { store }) => {
        stores.push(store.get('by'));
        store.set('by', call.session);
      },
    };
    for (const session of [a, b, a, b]) {
      const turn = session.turn();
      await turn.enter('hi');
      await turn.guard({ tool: 'write' }, keeping);
      expect(turn.scope.get('mine')).toBe(session.id);
    }
    expect([a.scope.get(total), b.scope.get(total)]).toEqual([2, 102]);
    expect(stores).toEqual([undefined, undefined, 'a', 'b']);
  });
});

describe('other state', () => {
  it(proves('S09')('of the tools is a store of their own, for the whole session'), async () => {
    const seen: unknown[] = [];
    const contexts: RunContext[] = [];
    const tool: ToolHost = {
      run: async (_call, context) => {
        contexts.push(context);
        seen.push(context.store.get('k'), context.store.keys(), context.store.hasParent);
        context.store.set('k', 'tool');
        return context.store.update('n', (n) => Number(n) + 1, 0);
      },
    };
    const hook: Hook = {
      name: 'hook',
      preToolCall: (_payload, ctx) => {
        ctx.set('k', 'operation');
        ctx.turn.set('k', 'turn');
        ctx.session.set('k', 'session');
      },
      postToolCall: (_payload, ctx) => void seen.push(ctx.get('k'), ctx.session.keys()),
    };
    const session = await guardWith([hook]).start();
    await session.turn().guard({ tool: 'write' }, tool);
    expect(await session.turn().guard({ tool: 'read' }, tool)).toMatchObject({ type: 'ok', value: 2 });
    expect(seen).toEqual([undefined, [], false, 'operation', ['k'], 'tool', ['k', 'n'], false, 'operation', ['k']]);
    expect(() => contexts[0]?.store.set('k', new Map())).toThrow(expect.objectContaining({ code: 'NOT_JSON' }));
    expect(session.scope.get('k')).toBe('session');
  });

  it(proves('S10')('given at the start seeds the session, and the host can read it'), async () => {
    const state = { user: 'ann', tenant: { id: 7, roles: ['admin'] } };
    let first: unknown;
    const hook: Hook = { name: 'first', onSessionStart: (_payload, ctx) => void (first = ctx.get('user')) };
    const session = await guardWith([hook]).start({ state });
    state.tenant.roles.push('root');
    expect(first).toBe('ann');
    expect(session.scope.get('tenant')).toEqual({ id: 7, roles: ['admin'] });
    expect(session.scope.keys()).toEqual(['user', 'tenant']);
    session.scope.set('seen', true);
    expect(session.turn().scope.get('seen')).toBe(true);
  });

  it(proves('S10', 'S05')('that is not JSON data is an error at the start'), async () => {
    await expect(guardWith([]).start({ state: { at: new Date() } })).rejects.toMatchObject({ code: 'NOT_JSON' });
  });

  it(proves('G12', 'S05')('has the limits of its guard in every scope'), async () => {
    const refused: unknown[] = [];
    const fill = (scope: Scope): void => {
      scope.set('small', 'x'.repeat(8));
      refused.push(attempt(() => scope.set('large', 'x'.repeat(9))));
    };
    const hook: Hook = {
      name: 'filler',
      preToolCall: (_payload, ctx) => [ctx.session, ctx.turn, ctx.operation].forEach(fill),
    };
    const session = await guardWith([hook], { limits: { stateBytes: 10 } }).start();
    await session.turn().guard({ tool: 'write' }, { run: (_call, { store }) => fill(store) });
    expect(refused).toEqual(['NOT_JSON', 'NOT_JSON', 'NOT_JSON', 'NOT_JSON']);
  });

  it(proves('S10', 'S06')('with dangerous names stays what it is'), async () => {
    const state = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') as Record<string, unknown>;
    const session = await guardWith([]).start({ state });
    expect(session.scope.get('__proto__')).toEqual({ admin: true });
    expect(session.scope.get('admin')).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});
