/** What a failing or rejecting hook means for the operation it stands at, seen from outside. */

import {
  allowAll,
  BridleError,
  createGuard,
  type Guard,
  type Hook,
  type PointName,
  reject,
  type ToolHost,
} from 'bridle';
import type { HostPoint } from '../../guard/turn.ts';
import { memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const journal = memoryJournal();
const tools = [{ name: 'write' }];

function guardWith(...hooks: Hook[]): Guard {
  return createGuard({ tools, policy: allowAll(), hooks, journal });
}

function broken(point: PointName, options: Partial<Hook> = {}): Hook {
  return {
    name: 'broken',
    ...options,
    [point]: () => {
      throw new RangeError('it broke');
    },
  };
}

/** A host that counts what it ran. */
function countingHost(run: () => unknown = () => 'raw secret'): ToolHost & { ran: number } {
  return {
    ran: 0,
    run() {
      this.ran++;
      return run();
    },
  };
}

const failing = (): never => {
  throw new RangeError('disk full');
};

describe('a closed gate', () => {
  it(proves('H06', 'H04')('keeps the session from starting, with the reason'), async () => {
    const error: unknown = await guardWith(broken('onSessionStart'))
      .start()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BridleError);
    expect(error).toMatchObject({
      code: 'SESSION_REJECTED',
      message: 'Hook "broken" failed at onSessionStart: it broke',
    });
    const no = guardWith({ name: 'no', onSessionStart: () => reject('Not today') });
    await expect(no.start()).rejects.toThrow('Not today');
  });

  it(proves('H06', 'H04')('keeps a prompt from the model and informs the caller'), async () => {
    const session = await guardWith(broken('preTurn')).start();
    expect(await session.turn().enter('hi')).toEqual({
      type: 'rejected',
      reason: 'Hook "broken" failed at preTurn: it broke',
      hook: 'broken',
    });
    const other = await guardWith({ name: 'no', preTurn: async () => reject('Too rude') }).start();
    expect(await other.turn().enter('hi')).toEqual({ type: 'rejected', reason: 'Too rude', hook: 'no' });
  });

  it(proves('H06', 'H04')('keeps a tool from running and informs the model'), async () => {
    const host = countingHost();
    const session = await guardWith(broken('preToolCall')).start();
    const result = await session.turn().guard({ tool: 'write' }, host);
    expect(result).toMatchObject({
      type: 'denied',
      isError: true,
      text: 'Hook "broken" failed at preToolCall: it broke',
      hook: 'broken',
    });
    expect(host.ran).toBe(0);
  });

  it.each(['preLlmCall', 'postLlmCall'] as const)(
    proves('H06')('is returned to the loop that dispatches %s'),
    async (point) => {
      const session = await guardWith(broken(point)).start();
      const result = await dispatch(session.turn(), point);
      expect(result).toEqual({
        type: 'rejected',
        reason: `Hook "broken" failed at ${point}: it broke`,
        hook: 'broken',
      });
    },
  );

  it(proves('H06')('opens for a hook that throws with failOpen: true, and for no malformed answer'), async () => {
    const host = countingHost();
    const open = await guardWith(broken('preToolCall', { failOpen: true })).start();
    expect(await open.turn().guard({ tool: 'write' }, host)).toMatchObject({ type: 'ok' });
    const odd = { name: 'odd', failOpen: true, preToolCall: () => null } as unknown as Hook;
    const shut = await guardWith(odd).start();
    expect(await shut.turn().guard({ tool: 'write' }, host)).toMatchObject({ type: 'denied', hook: 'odd' });
    expect(host.ran).toBe(1);
  });
});

describe('a failing hook elsewhere', () => {
  it(proves('H07')('takes the result with it at postToolCall if it must not fail'), async () => {
    const session = await guardWith(broken('postToolCall', { failOpen: false })).start();
    const result = await session.turn().guard({ tool: 'write' }, countingHost());
    expect(result).toMatchObject({ type: 'error', isError: true });
    expect(result.text).toContain('withheld');
    expect(result.text).toContain('"broken"');
    expect(JSON.stringify(result)).not.toContain('raw secret');
  });

  it(proves('H07')('lets the result through at postToolCall if it may fail, after the other hooks'), async () => {
    const redact: Hook = {
      name: 'redact',
      priority: 1,
      postToolCall: () => ({ type: 'transform', value: 'redacted' }),
    };
    const session = await guardWith(redact, broken('postToolCall')).start();
    expect(await session.turn().guard({ tool: 'write' }, countingHost())).toMatchObject({
      type: 'ok',
      text: 'redacted',
    });
  });

  it.each([undefined, true, false])(proves('H07')("never hides a tool's error, failOpen %s"), async (failOpen) => {
    const session = await guardWith(broken('onToolError', { failOpen })).start();
    const result = await session.turn().guard({ tool: 'write' }, countingHost(failing));
    expect(result).toMatchObject({ type: 'error', error: 'disk full', isError: true });
  });

  it(proves('H07')('does not keep a session from ending, and is thrown if it is fatal'), async () => {
    const gentle = await guardWith(broken('onSessionEnd')).start();
    await expect(gentle.end()).resolves.toBeUndefined();
    const fatal = await guardWith(broken('onSessionEnd', { failOpen: false })).start();
    const ended = fatal.end();
    await expect(ended).rejects.toMatchObject({ code: 'HOOK_FATAL' });
    expect(() => fatal.turn()).toThrow('the session has ended');
    expect(fatal.end()).toBe(ended);
  });

  it(proves('H07')('leaves a question unanswered, and is thrown to the asking hook if it is fatal'), async () => {
    const gentle = await guardWith(broken('onInteraction')).start();
    expect(await gentle.turn().ask([{ question: 'Go on?' }])).toEqual({ type: 'unanswered' });
    const fatal = await guardWith(broken('onInteraction', { failOpen: false })).start();
    await expect(fatal.turn().ask([{ question: 'Go on?' }])).rejects.toMatchObject({ code: 'HOOK_FATAL' });
  });

  it.each(['postTurn', 'onTurnError', 'onLlmError', 'preCompaction', 'postCompaction'] as const)(
    proves('H07')('is isolated at %s, or fatal to it'),
    async (point) => {
      const gentle = await guardWith(broken(point)).start();
      expect(await dispatch(gentle.turn(), point)).toMatchObject({ type: 'passed', payload: undefined });
      const fatal = await guardWith(broken(point, { failOpen: false })).start();
      expect(await dispatch(fatal.turn(), point)).toEqual({
        type: 'failed',
        reason: `Hook "broken" failed at ${point}: it broke`,
        hook: 'broken',
      });
    },
  );

  it(proves('H07', 'H09')('is a record and an event, once'), async () => {
    const own = memoryJournal();
    const events: unknown[] = [];
    const watcher: Hook = { name: 'watcher', onEvent: (event) => void events.push(event) };
    const guard = createGuard({ tools, policy: allowAll(), hooks: [broken('postTurn'), watcher], journal: own });
    const session = await guard.start();
    await dispatch(session.turn(), 'postTurn');
    const failure = { hook: 'broken', point: 'postTurn', kind: 'threw', message: 'it broke' };
    expect(own.entries()).toMatchObject([{ kind: 'noted', status: 'hook_failed', detail: failure, turn: 1 }]);
    expect(events.filter((event) => (event as { type: string }).type === 'hook_failed')).toMatchObject([failure]);
  });
});

describe('dispatching by hand', () => {
  it.each(['preToolCall', 'onEvent', 'onSessionStart', 'onInteraction', '__proto__', 'constructor', 'nothing'])(
    proves('H01')('refuses "%s", which is not a point of the loop'),
    async (point) => {
      const session = await guardWith(broken('preToolCall')).start();
      const turn = session.turn();
      expect(() => turn.dispatch(point as 'postTurn', samplePayloads.postTurn)).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      );
    },
  );

  it(proves('H01')('is refused when the turn or the session has ended'), async () => {
    const session = await guardWith(broken('postTurn')).start();
    const first = session.turn();
    const second = session.turn();
    expect(() => dispatch(first, 'postTurn')).toThrow(expect.objectContaining({ code: 'SESSION_ENDED' }));
    await session.end();
    expect(() => dispatch(second, 'postTurn')).toThrow(expect.objectContaining({ code: 'SESSION_ENDED' }));
    await expect(second.enter('hi')).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await expect(second.ask([{ question: 'Go on?' }])).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    const host = countingHost();
    await expect(second.guard({ tool: 'write' }, host)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(host.ran).toBe(0);
  });
});

type Turn = ReturnType<Awaited<ReturnType<Guard['start']>>['turn']>;

function dispatch(turn: Turn, point: HostPoint): unknown {
  return turn.dispatch(point, samplePayloads[point]);
}
