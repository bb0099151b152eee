/** Hooks that only observe: they see what came of the others and change nothing. */

import {
  allowAll,
  confirm,
  createGuard,
  createHooks,
  deny,
  type Hook,
  type ObservingHook,
  type PointName,
  pointNames,
  reject,
  replace,
  retry,
  useSummary,
  transform,
} from 'bridle';
import { fakeClock, testActivity } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { blockingClock, hang, isPending } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { eventsOf, rig, story } from '../../../../test/rigs/guard-rig.ts';
import { samplePayloads, sampleResponse } from '../../../../test/rigs/sample-payloads.ts';

const dispatched = pointNames.filter((point) => point !== 'onEvent');
const observer = (method: (payload: never, ctx: never) => unknown, point: PointName, more: object = {}): Hook => ({
  name: 'observer',
  observes: true,
  [point]: method,
  ...more,
});

/** Every way to misbehave. */
const misbehaving: Readonly<Record<string, () => unknown>> = {
  'answers reject': () => reject('no'),
  'answers transform': () => transform({ path: 'mine' }),
  'answers replace': () => replace({ path: 'mine' }),
  'answers confirm': () => confirm('sure?'),
  'answers retry': () => retry('again'),
  'answers summary': () => useSummary('mine'),
  'answers false': () => false,
  'answers { allow: false }': () => ({ allow: false }),
  'resolves to reject': async () => reject('no'),
  throws: () => {
    throw new RangeError('broke');
  },
  rejects: () => Promise.reject(new RangeError('broke')),
  hangs: () => hang(),
};

describe('an observing hook', () => {
  it.each(dispatched)(proves('H17')('at %s changes nothing, whatever it does, and is recorded'), async (point) => {
    for (const [how, method] of Object.entries(misbehaving)) {
      const clock = fakeClock();
      const events: unknown[] = [];
      const watch: Hook = { name: 'watch', onEvent: (event) => void events.push(event) };
      const activity = testActivity([observer(method, point, { timeoutMs: 100 }), watch], { clock });
      const result = Promise.resolve(activity.dispatch(point, samplePayloads[point]));
      if (how === 'hangs') await clock.advance(250);
      expect(await result).toEqual({ type: 'passed', payload: undefined, confirms: [], hint: undefined });
      const kind = how === 'hangs' ? 'timeout' : /answers|resolves/.test(how) ? 'malformed' : 'threw';
      expect(events).toMatchObject([{ type: 'hook_failed', hook: 'observer', point, kind }]);
    }
  });

  it(proves('H17')('gets the reason why its answer was ignored'), async () => {
    const made = await rig({ hooks: [observer(() => reject('no'), 'preToolCall')] });
    expect(await made.call('act')).toMatchObject({ type: 'ok', text: 'done' });
    expect(eventsOf(made, 'hook_failed')).toMatchObject([
      { message: 'answered "reject"; a hook with `observes: true` must not answer' },
    ]);
  });

  it.each(dispatched)(proves('H17', 'H08')('at %s is waited for, up to its time limit'), async (point) => {
    const clock = fakeClock();
    const activity = testActivity([observer(() => hang(), point, { timeoutMs: 300 })], { clock });
    const result = Promise.resolve(activity.dispatch(point, samplePayloads[point]));
    await clock.advance(200);
    expect(await isPending(result)).toBe(true);
    await clock.advance(250);
    expect(await result).toMatchObject({ type: 'passed' });
  });

  it(proves('H17', 'H06')('that blocks closes no gate either'), async () => {
    const clock = blockingClock();
    const events: unknown[] = [];
    const hooks = [
      observer(() => clock.block(500), 'preToolCall', { timeoutMs: 100 }),
      { name: 'watch', onEvent: (event) => void events.push(event) } satisfies Hook,
    ];
    expect(await testActivity(hooks, { clock }).dispatch('preToolCall', samplePayloads.preToolCall)).toMatchObject({
      type: 'passed',
    });
    expect(events).toMatchObject([{ type: 'hook_failed', kind: 'timeout' }]);
  });

  it.each([{ gate: true }, { failOpen: false }, { gate: true, failOpen: false }])(
    proves('H17', 'H10')('is refused with %j'),
    (more) => {
      const hook = { name: 'both', observes: true, ...more } as unknown as Hook;
      expect(() => createHooks([hook])).toThrow(expect.objectContaining({ code: 'HOOK_OPTION_INVALID' }));
    },
  );

  it.each([{ observes: 'yes' }, { observes: 1 }, { observe: true }, { observer: true }])(
    proves('H17', 'H10')('is not created by %j'),
    (more) => {
      expect(() => createHooks([{ name: 'odd', ...more } as unknown as Hook])).toThrow(/observes/);
    },
  );

  it(proves('H17')('may state its defaults: gate: false, failOpen: true'), () => {
    expect(() => createHooks([{ name: 'fine', observes: true, gate: false, failOpen: true }])).not.toThrow();
  });

  it(proves('H17', 'H16')('can run in the background'), async () => {
    const activity = testActivity([observer(() => hang(), 'postToolCall', { detached: true })], { clock: fakeClock() });
    expect(await activity.dispatch('postToolCall', samplePayloads.postToolCall)).toMatchObject({ type: 'passed' });
  });
});

const seenAt = async (hooks: readonly Hook[]): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const watch: ObservingHook = {
    name: 'seer',
    observes: true,
    priority: 1,
    preToolCall: ({ call }) => void seen.push(call.args),
    postLlmCall: ({ response }) => void seen.push(response.text),
  };
  const activity = testActivity([watch, ...hooks]);
  await activity.dispatch('preToolCall', samplePayloads.preToolCall);
  await activity.dispatch('postLlmCall', samplePayloads.postLlmCall);
  return seen;
};

describe('what an observing hook sees', () => {
  const changed: Hook = {
    name: 'changed',
    preToolCall: ({ call }) => transform({ ...call.args, more: 1 }),
    postLlmCall: ({ response }) => transform({ ...response, text: `${response.text}!` }),
  };

  it(proves('H17')('is the final value, whatever its priority'), async () => {
    expect(await seenAt([changed])).toEqual([{ path: 'a', more: 1 }, 'hello!']);
  });

  it(proves('H17', 'H04')('is the value of a replace, which does not skip it'), async () => {
    const own: Hook = {
      name: 'own',
      preToolCall: () => replace({ path: 'own' }),
      postLlmCall: () => replace({ ...sampleResponse, text: 'own' }),
    };
    expect(await seenAt([own])).toEqual([{ path: 'own' }, 'own']);
  });

  it.each([false, true])(
    proves('H17', 'H04')('is the value that was rejected, as it had become by then; asynchronous %s'),
    async (asynchronous) => {
      const no = asynchronous ? async () => reject('no') : () => reject('no');
      const again = asynchronous ? async () => retry('again') : () => retry('again');
      const later: Hook = { name: 'later', priority: 200, preToolCall: no };
      const last: Hook = { name: 'last', priority: 50, postLlmCall: again };
      expect(await seenAt([changed, later, last])).toEqual([{ path: 'a', more: 1 }, 'hello!']);
      const first: Hook = { name: 'first', priority: 2, preToolCall: no };
      const early: Hook = { name: 'early', priority: 200, postLlmCall: again };
      expect(await seenAt([first, changed, early])).toEqual([{ path: 'a' }, 'hello']);
    },
  );

  it(proves('H17')('cannot be changed by it in place'), async () => {
    const hooks = [
      observer(({ call }: { call: { args: { path: string } } }) => void (call.args.path = 'b'), 'preToolCall'),
    ];
    const { turn, host } = await rig({ hooks });
    await turn.guard({ tool: 'act', args: { path: 'a' } }, host);
    expect(host.calls).toMatchObject([{ args: { path: 'a' } }]);
  });
});

describe('a denied call', () => {
  const seen: string[] = [];
  const watch: ObservingHook = {
    name: 'seer',
    observes: true,
    preToolCall: ({ call }) => void seen.push(`pre ${call.tool}`),
    postToolCall: ({ call }) => void seen.push(`post ${call.tool}`),
  };
  const no: Hook = { name: 'no', priority: 1, preToolCall: () => reject('no') };
  const later: Hook = { name: 'later', preToolCall: () => void seen.push('later') };

  it(proves('G04', 'H17')('reaches observing hooks at preToolCall if a hook rejected it, and no others'), async () => {
    seen.length = 0;
    const made = await rig({ hooks: [watch, no, later], policy: allowAll() });
    expect(await made.call('act')).toMatchObject({ type: 'denied', text: 'no', hook: 'no' });
    expect(seen).toEqual(['pre act']);
    expect(made.host.calls).toEqual([]);
    expect(eventsOf(made, 'tool_denied')).toHaveLength(1);
    expect(story(made)).toEqual(['decided denied']);
  });

  it(proves('G04', 'H17')('reaches no hook at all if policy denied it'), async () => {
    seen.length = 0;
    const made = await rig({ hooks: [watch, later], policy: [deny('act')] });
    expect(await made.call('act')).toMatchObject({ type: 'denied' });
    expect(seen).toEqual([]);
  });

  it(proves('H17', 'G06')('an executed one reaches them once, with the result as the model sees it'), async () => {
    const results: unknown[] = [];
    const hooks: Hook[] = [
      { name: 'seer', observes: true, priority: 500, postToolCall: ({ result }) => void results.push(result) },
      { name: 'redact', postToolCall: () => transform('[redacted]') },
    ];
    const made = await rig({ hooks, does: { act: 'raw' } });
    expect(await made.call('act')).toMatchObject({ text: '[redacted]' });
    expect(results).toEqual(['[redacted]']);
  });
});

describe('a guard', () => {
  it(proves('H17', 'A02')('does not take an observing hook for a gate'), () => {
    const hook = { name: 'both', observes: true, gate: true, preToolCall: () => undefined } as unknown as Hook;
    expect(() => createGuard({ tools: [], policy: [], hooks: [hook] })).toThrow(/"observes" and "gate"/);
  });
});
