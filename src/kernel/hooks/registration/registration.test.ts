/** Registering hooks: what is refused and how it is told, undo, the seal, snapshots. */

import * as bridle from 'bridle';
import { allowAll, createGuard, createHooks, type Hook, type PointName, pointNames, reject } from 'bridle';
import { testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const register = (hook: unknown): unknown => createHooks().register(hook as Hook);
const coded = (code: string, ...parts: string[]): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(parts.join('.*'), 's')) as unknown });

describe('registering', () => {
  it.each([null, undefined, 7, 'preTurn', true, Symbol('hook'), 1n, [], [{ name: 'a' }]])(
    proves('H10')('refuses a value that is not an object: %s'),
    (hook) => {
      expect(() => register(hook)).toThrow(coded('HOOK_INVALID', 'a hook is ', ', not an object'));
    },
  );

  it(proves('H10', 'H14')('explains how a function becomes a hook'), () => {
    expect(() => register(() => {})).toThrow(coded('HOOK_INVALID', 'a function', 'preToolCall\\(fn\\)'));
  });

  it.each([undefined, null, '', '  ', '\n', 7, {}])(proves('H10')('refuses a hook whose name is %j'), (name) => {
    expect(() => register({ name, preTurn: () => {} })).toThrow(coded('HOOK_UNNAMED', 'preTurn'));
    expect(() => register({ name })).toThrow(coded('HOOK_UNNAMED', 'no method'));
  });

  it(proves('H10', 'G12')('refuses an endless name'), () => {
    expect(() => register({ name: 'x'.repeat(256) })).not.toThrow();
    expect(() => register({ name: 'x'.repeat(257) })).toThrow(coded('HOOK_UNNAMED', 'longer than 256'));
  });

  it(proves('H10', 'H13')('refuses a duplicate name, even of the same object'), () => {
    const hook: Hook = { name: 'one', preTurn: () => {} };
    const hooks = createHooks([hook]);
    expect(() => hooks.register(hook)).toThrow(coded('HOOK_DUPLICATE', '"one"'));
    expect(() => hooks.register({ name: 'one' })).toThrow(coded('HOOK_DUPLICATE', '"one"'));
    expect(() => createGuard({ tools: [], policy: [], hooks: [hook, hook] })).toThrow(coded('HOOK_DUPLICATE', '"one"'));
  });

  it.each([
    ['preToolcall', 'preToolCall'],
    ['pretoolcall', 'preToolCall'],
    ['PreToolCall', 'preToolCall'],
    ['pre_tool_call', 'preToolCall'],
    ['preToolCal', 'preToolCall'],
    ['preToolCalls', 'preToolCall'],
    ['preTol', 'preToolCall'],
    ['perToolCall', 'preToolCall'],
    ['pastTurn', 'postTurn'],
    ['pretrun', 'preTurn'],
    ['postTool', 'postToolCall'],
    ['onSessionstart', 'onSessionStart'],
    ['onSession', 'onSessionStart'],
    ['preLLMCall', 'preLlmCall'],
    ['postLLMcall', 'postLlmCall'],
    ['onLLMError', 'onLlmError'],
    ['onEvents', 'onEvent'],
    ['preturn', 'preTurn'],
    ['on-interaction', 'onInteraction'],
    ['preCompact', 'preCompaction'],
    ['onToolErorr', 'onToolError'],
  ])(proves('H10')('takes a method %s for a misspelling of %s'), (method, meant) => {
    const hook = { name: 'slip', [method]: () => {} };
    expect(() => register(hook)).toThrow(coded('HOOK_POINT_MISSPELLED', `"slip"`, `"${method}"`, `"${meant}"`));
  });

  it(proves('H10')('finds a misspelling in a class, and lets other members be'), () => {
    class Slip {
      readonly name = 'slip';
      preToolcall(): void {}
    }
    expect(() => register(new Slip())).toThrow(coded('HOOK_POINT_MISSPELLED', 'preToolCall'));
    class Fine {
      readonly name = 'fine';
      readonly preToolcall = 'a text is no method';
      count = 0;
      constructor(readonly options: object) {}
      get events(): never {
        throw new RangeError('accessors with other names are left alone');
      }
      preTurn(): void {
        this.helper();
      }
      helper(): void {
        this.count++;
      }
      toString(): string {
        return 'fine';
      }
      reset(): void {}
    }
    expect(() => register(new Fine({}))).not.toThrow();
  });

  it.each([null, 7, 'text', {}, true])(proves('H10')('refuses a point that is %j'), (member) => {
    expect(() => register({ name: 'odd', preTurn: member })).toThrow(coded('HOOK_INVALID', 'preTurn', '"odd"'));
  });

  it.each([
    [{ priority: Number.NaN }, 'priority'],
    [{ priority: Number.POSITIVE_INFINITY }, 'priority'],
    [{ priority: '10' }, 'priority'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: -1 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ timeoutMs: '5' }, 'timeoutMs'],
    [{ failOpen: 'yes' }, 'failOpen'],
    [{ failOpen: null }, 'failOpen'],
    [{ gate: 1 }, 'gate'],
    [{ detached: 'true' }, 'detached'],
    [{ detached: true, gate: true }, 'detached'],
    [{ detached: true, failOpen: false }, 'detached'],
    [{ detached: true, preToolCall: () => {} }, 'preToolCall'],
  ])(proves('H10')('refuses the options %j'), (options, named) => {
    expect(() => register({ name: 'odd', ...options })).toThrow(coded('HOOK_OPTION_INVALID', '"odd"', named));
  });

  it.each([0, -1, Number.NaN, '5'])(proves('H10')('refuses a default limit of %j'), (timeoutMs) => {
    expect(() => createHooks([], { timeoutMs: timeoutMs as number })).toThrow(coded('OPTION_INVALID', 'timeoutMs'));
  });
});

/** The hooks of an activity, which its public type hides. */
function hooksOf({ session }: ReturnType<typeof testActivity>): ReturnType<typeof createHooks> {
  return (session as unknown as { parts: { hooks: ReturnType<typeof createHooks> } }).parts.hooks;
}

const dispatch = (hooks: readonly Hook[], more: () => void = () => {}): Promise<{ type: string }> => {
  const activity = testActivity(hooks);
  more();
  // Registering another one links the list anew.
  hooksOf(activity).register({ name: 'another' });
  return Promise.resolve(activity.dispatch('preToolCall', samplePayloads.preToolCall));
};

describe('a registered hook', () => {
  it(proves('H10', 'H12')('stays as it was when it was checked, even if the object changes'), async () => {
    const hook: Record<string, unknown> = { name: 'firm', preToolCall: () => reject('no') };
    const change = (): void => {
      hook['preToolCall'] = undefined;
      hook['failOpen'] = true;
      hook['priority'] = Number.NaN;
      hook['name'] = 7;
      hook['detached'] = true;
    };
    expect(await dispatch([hook as unknown as Hook], change)).toEqual({ type: 'rejected', reason: 'no', hook: 'firm' });
  });

  it(proves('H06', 'H10')('is read once: an option that answers differently later is not asked again'), async () => {
    let asked = 0;
    const shifty = {
      name: 'shifty',
      get failOpen(): boolean | undefined {
        return asked++ > 0 ? true : undefined;
      },
      preToolCall: (): never => {
        throw new RangeError('broke');
      },
    };
    expect(await dispatch([shifty])).toMatchObject({ type: 'rejected', hook: 'shifty' });
    expect(asked).toBe(1);
  });

  it(proves('H15')('is the same observer in every session, even if the object changes after the start'), async () => {
    const seen: string[] = [];
    const hook: { name: string; onEvent?: (event: { type: string }) => void } = {
      name: 'watcher',
      onEvent: ({ type }) => void seen.push(type),
    };
    const guard = createGuard({ tools: [], policy: [], hooks: [hook] });
    await (await guard.start()).end();
    delete hook.onEvent;
    await (await guard.start()).end();
    expect(seen).toEqual(['session_started', 'session_ended', 'session_started', 'session_ended']);
  });
});

const names = async (activity: ReturnType<typeof testActivity>, called: string[]): Promise<string[]> => {
  called.length = 0;
  await activity.dispatch('preTurn', samplePayloads.preTurn);
  return [...called];
};

describe('undo', () => {
  it(proves('H11')('removes its own registration, once'), async () => {
    const called: string[] = [];
    const hook = (name: string): Hook => ({ name, preTurn: () => void called.push(name) });
    const activity = testActivity([hook('a')]);
    const hooks = hooksOf(activity);
    const undo = hooks.register(hook('b'));
    expect(await names(activity, called)).toEqual(['a', 'b']);
    undo();
    expect(await names(activity, called)).toEqual(['a']);
    const again = hook('b');
    hooks.register(again);
    undo();
    expect(await names(activity, called)).toEqual(['a', 'b']);
  });

  it(proves('H11')('does not undo a second registration of the same object'), async () => {
    const called: string[] = [];
    const hook: Hook = { name: 'a', preTurn: () => void called.push('a') };
    const activity = testActivity([]);
    const hooks = hooksOf(activity);
    const first = hooks.register(hook);
    first();
    hooks.register(hook);
    first();
    expect(await names(activity, called)).toEqual(['a']);
  });

  it(proves('H11')('is refused after the start, like registering'), async () => {
    const guard = createGuard({ tools: [], policy: [] });
    const undo = guard.register({ name: 'early' });
    const session = await guard.start();
    expect(() => guard.register({ name: 'late' })).toThrow(coded('HOOKS_SEALED', 'register'));
    expect(undo).toThrow(coded('HOOKS_SEALED', 'remove'));
    await session.end();
    expect(undo).toThrow(coded('HOOKS_SEALED', 'remove'));
  });

  it(proves('H11')('is refused after a start that a hook rejected, too'), async () => {
    const guard = createGuard({ tools: [], policy: [], hooks: [{ name: 'no', onSessionStart: () => reject('no') }] });
    await expect(guard.start()).rejects.toThrow('no');
    expect(() => guard.register({ name: 'late' })).toThrow(coded('HOOKS_SEALED'));
  });
});

describe('a dispatch', () => {
  it.each([false, true])(proves('H12')('works on a snapshot, asynchronous %s'), async (asynchronous) => {
    const called: string[] = [];
    const activity = testActivity([]);
    const hooks = hooksOf(activity);
    const note = (name: string): void => void called.push(name);
    const undo: (() => void)[] = [];
    const first = (): undefined => {
      note('first');
      if (undo.length > 1) return;
      undo.push(hooks.register({ name: 'added', priority: 200, preTurn: () => note('added') }));
      undo[0]?.();
    };
    hooks.register({ name: 'first', priority: 1, preTurn: asynchronous ? async () => first() : first });
    undo.push(hooks.register({ name: 'second', preTurn: () => note('second') }));
    await activity.dispatch('preTurn', samplePayloads.preTurn);
    expect(called).toEqual(['first', 'second']);
    called.length = 0;
    await activity.dispatch('preTurn', samplePayloads.preTurn);
    expect(called).toEqual(['first', 'added']);
  });

  it(proves('H13')('calls one object once at each point it serves'), async () => {
    const called: PointName[] = [];
    const hook = {
      name: 'all',
      ...Object.fromEntries(pointNames.map((point) => [point, () => void called.push(point)])),
    } as Hook;
    const activity = testActivity([hook]);
    for (const point of pointNames) await activity.dispatch(point, samplePayloads[point]);
    expect(called).toEqual(pointNames);
  });
});

describe('a function', () => {
  const helpers = bridle as unknown as Record<string, (fn: unknown, options?: object) => Hook>;

  it.each(pointNames)(proves('H14')('becomes a hook at %s, named after itself or explicitly'), async (point) => {
    let calls = 0;
    function watcher(): void {
      calls++;
    }
    const hook = helpers[point]?.(watcher) as Hook;
    expect(hook).toEqual({ name: 'watcher', [point]: watcher });
    const other = helpers[point]?.(watcher, { name: 'other', priority: 7, timeoutMs: 9000 }) as Hook;
    expect(other).toEqual({ name: 'other', priority: 7, timeoutMs: 9000, [point]: watcher });
    await testActivity([hook, other]).dispatch(point, samplePayloads[point]);
    expect(calls).toBe(2);
  });

  it.each(pointNames)(proves('H14', 'H10')('needs a name, and to be one: %s'), (point) => {
    expect(() => helpers[point]?.(() => {})).toThrow(coded('HOOK_UNNAMED', point));
    expect(() => helpers[point]?.(() => {}, { name: '' })).toThrow(coded('HOOK_UNNAMED', point));
    for (const wrong of [undefined, null, {}, 'text']) {
      expect(() => helpers[point]?.(wrong)).toThrow(coded('HOOK_INVALID', point));
    }
  });

  it(proves('H14')('guards a call like any other hook'), async () => {
    const hooks = [
      bridle.preToolCall(function never() {
        return reject('never');
      }),
    ];
    const session = await createGuard({ tools: [{ name: 'write' }], policy: allowAll(), hooks }).start();
    const result = await session.turn().guard({ tool: 'write' }, { run: () => 'ran' });
    expect(result).toMatchObject({ type: 'denied', text: 'never', hook: 'never' });
  });
});
