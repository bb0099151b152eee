/** Sessions in a store: restored completely, and never overwritten by a process that has not seen the latest state. */

import {
  createAgent,
  memorySessions,
  storeSessions,
  type AgentOptions,
  type AgentLoop,
  type SessionStore,
} from 'bridle/agent';
import { fakeClock, scriptedModel } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { agentRig, calling, look, type AgentRig } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf } from '../../../test/rigs/guard-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { SavedDocuments } from '../../store/sessions/open-sessions.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';

const session = { id: 's1' };
const conflict = { code: 'STORE_CONFLICT' };

describeStores('sessions in a store', (rig) => {
  it(proves('A17')('are resumed completely, wherever their id is given'), async () => {
    const store = await rig.open();
    const first = await agentRig(['one'], { store, session, state: { tenant: 'a' } });
    await first.agent.chat('hello');
    await first.agent.stop();
    const again = await rig.open();
    for (const options of [{ store: again }, { session: { ...session, store: storeSessions(again) } }]) {
      const { agent } = await agentRig([], { session, ...options });
      expect(agent.history).toHaveLength(2);
      expect(agent.session.scope.get('tenant')).toBe('a');
      await agent.stop();
    }
    expect(storeSessions(again)).toBe(storeSessions(again));
  });

  it(proves('A17')('can be open only once in a process, wherever their id is given'), async () => {
    const store = await rig.open();
    const first = await agentRig(['one'], { store, session });
    const second = createAgent({ model: scriptedModel([]), capabilities: 'none', store, session });
    await expect(second.start()).rejects.toMatchObject({ code: 'SESSION_STORE' });
    await first.agent.stop();
  });

  it(
    proves('A17')('that another process has continued fail the turn and accept no other; nothing is lost'),
    async () => {
      const [mine, theirs] = [await rig.open(), await rig.open()];
      const options = (store: typeof mine): Partial<AgentOptions> => ({ store, session, tools: [look()] });
      const one = await agentRig(['first', calling('look'), 'never'], options(mine));
      const two = await agentRig(['second', 'third'], options(theirs));
      expect((await one.agent.chat('a')).text).toBe('first');
      await expect(two.agent.chat('b')).rejects.toMatchObject(conflict);
      expect(eventsOf(two, 'session_unsaved')).toHaveLength(1);
      await expect(two.agent.chat('c')).rejects.toMatchObject(conflict);
      expect(two.model.calls).toHaveLength(1);
      await expect(two.agent.stop()).rejects.toMatchObject(conflict);
      const three = await agentRig(['fourth'], { store: await rig.open(), session });
      expect((await three.agent.chat('d')).text).toBe('fourth');
      await three.agent.stop();
      // No tool runs for an answer that could not be kept.
      await expect(one.agent.chat('e')).rejects.toMatchObject(conflict);
      expect(eventsOf(one, 'tool_started')).toEqual([]);
      await expect(one.agent.stop()).rejects.toMatchObject(conflict);
      const saved = await storeSessions(await rig.open()).load('s1');
      expect(JSON.stringify(saved?.messages)).toMatch(/"a".*first.*"d".*fourth/);
      expect(saved).toMatchObject({ turns: 2, messages: { length: 4 } });
    },
  );

  it(
    proves('A17')(
      'that the store wrote without confirming are recognised as their own, those of another process are not',
    ),
    async () => {
      const store = await rig.open();
      const fails: ('before' | 'after')[] = [];
      const save: typeof store.sessions.save = async (id, body, version) => {
        const fault = fails.shift();
        if (fault === 'before') throw new BridleError('STORE_FAILED', 'away');
        const saved = await store.sessions.save(id, body, version);
        if (fault === 'after') throw new BridleError('STORE_FAILED', 'away');
        return saved;
      };
      const sessions = new Proxy(store.sessions, {
        get: (of, name: keyof SavedDocuments) => (name === 'save' ? save : of[name].bind(of)),
      });
      const sessionOptions = { ...session, store: storeSessions({ sessions }) };
      const { agent } = await agentRig(['one', 'two', 'three', 'four'], { session: sessionOptions });
      fails.push('before', 'after');
      expect((await agent.chat('a')).text).toBe('one');
      fails.push('before', 'before', 'after');
      expect((await agent.chat('b')).text).toBe('two');
      expect((await agent.chat('c')).text).toBe('three');
      const other = await agentRig(['other'], { store: await rig.open(), session });
      expect(other.agent.history).toHaveLength(6);
      await other.agent.chat('d');
      await other.agent.stop();
      await expect(agent.chat('e')).rejects.toMatchObject(conflict);
      await expect(agent.stop()).rejects.toMatchObject(conflict);
    },
  );

  it(proves('A17')('can be deleted and started again'), async () => {
    const sessions = storeSessions(await rig.open());
    const { agent } = await agentRig(['x'], { session: { ...session, store: sessions } });
    await agent.chat('a');
    await agent.stop();
    await sessions.delete('s1');
    expect(await sessions.load('s1')).toBeUndefined();
    const fresh = await agentRig(['y'], { session: { ...session, store: sessions, mode: 'createOnly' } });
    await fresh.agent.chat('b');
    await fresh.agent.stop();
    expect(await sessions.load('s1')).toMatchObject({ turns: 1 });
  });
});

/** A slow store that records every save. */
function recordingStore(): { readonly store: SessionStore; readonly saves: SavedSession[]; maxConcurrent: number } {
  const inner = memorySessions();
  const record = { saves: [] as SavedSession[], maxConcurrent: 0 };
  let open = 0;
  const save = async (saved: SavedSession): Promise<void> => {
    record.maxConcurrent = Math.max(record.maxConcurrent, ++open);
    record.saves.push(structuredClone(saved));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await inner.save(saved);
    open--;
  };
  return Object.assign(record, { store: { ...inner, save } });
}

describe('the usage of a turn', () => {
  it(proves('A17', 'A18')('is saved at every answer of the model, before its tool calls run'), async () => {
    const { store, saves } = recordingStore();
    const seen: number[] = [];
    const tools = [look(() => void seen.push(saves.at(-1)?.counts.modelCalls ?? 0))];
    const rig = await agentRig([calling('look'), calling('look'), 'ok'], { tools, session: { ...session, store } });
    await rig.agent.chat('go');
    expect(seen).toEqual([1, 2]);
    expect(saves.map(({ counts, messages }) => [counts.modelCalls, messages.length])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [3, 6],
    ]);
    await rig.agent.stop();
  });

  it(proves('A17')('is saved one state after another, also with concurrent answers'), async () => {
    const recording = recordingStore();
    const loop: AgentLoop = {
      name: 'many',
      run: async ({ generate }) => {
        const messages = [{ role: 'user' as const, content: 'x' }];
        await Promise.all(Array.from({ length: 12 }, () => generate({ messages })));
      },
    };
    const script = Array.from({ length: 12 }, () => 'ok');
    const { agent, ...rest } = await agentRig(script, { loop, session: { ...session, store: recording.store } });
    await agent.chat('go');
    expect(recording.maxConcurrent).toBe(1);
    expect(recording.saves.length).toBeLessThan(12);
    expect(recording.saves.at(-1)?.counts.modelCalls).toBe(12);
    expect(eventsOf({ agent, ...rest } as AgentRig, 'session_unsaved')).toEqual([]);
    await agent.stop();
  });
});

describe('the rate limits of a session', () => {
  const budget = { rates: { toolCalls: { max: 2, perMs: 1000 } } };

  it(proves('A17', 'A18')('continue after a resume'), async () => {
    const store = memorySessions();
    const clock = fakeClock();
    const options = { clock, budget, tools: [look()], session: { ...session, store } };
    const first = await agentRig([calling('look', 'look'), 'ok'], options);
    await first.agent.chat('a');
    await first.agent.stop();
    await clock.advance(999);
    const second = await agentRig([calling('look'), calling('look'), 'ok'], options);
    expect((await second.agent.chat('b')).stopReason).toBe('budget:rates.toolCalls');
    await clock.advance(1);
    expect((await second.agent.chat('c')).stopReason).toBe('end');
    await second.agent.stop();
  });

  it(proves('A17', 'A18')('saved by a clock that was ahead do not block longer than their period'), async () => {
    const store = memorySessions();
    const clock = fakeClock();
    const options = { clock, budget, tools: [look()], session: { ...session, store } };
    const first = await agentRig([calling('look', 'look'), 'ok'], options);
    await first.agent.chat('a');
    await first.agent.stop();
    const saved = (await store.load('s1')) as SavedSession;
    const toolCalls = (saved.recent?.toolCalls ?? []).map((time) => time + 1_000_000);
    expect(toolCalls).toHaveLength(2);
    await store.save({ ...saved, recent: { modelCalls: [], toolCalls } });
    const second = await agentRig([calling('look'), calling('look'), 'ok'], options);
    expect((await second.agent.chat('b')).stopReason).toBe('budget:rates.toolCalls');
    await clock.advance(1000);
    expect((await second.agent.chat('c')).stopReason).toBe('end');
    await second.agent.stop();
  });

  it(proves('A17')('may be missing, as in sessions of earlier versions, but must not be damaged'), async () => {
    const store = memorySessions();
    const { agent } = await agentRig(['x'], { session: { ...session, store } });
    await agent.chat('a');
    await agent.stop();
    const { recent: _, ...old } = (await store.load('s1')) as SavedSession;
    await store.save(old);
    expect(await store.load('s1')).toEqual(old);
    for (const recent of [
      7,
      [],
      {},
      { modelCalls: [] },
      { modelCalls: [], toolCalls: ['x'] },
      { modelCalls: [-1], toolCalls: [] },
    ]) {
      await store.save({ ...old, recent: recent as never });
      await expect(store.load('s1')).rejects.toMatchObject({ code: 'SESSION_STORE' });
    }
  });
});
