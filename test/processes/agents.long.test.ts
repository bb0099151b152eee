/** Agents in several processes on one store: sessions are not lost or overwritten, and budgets are shared. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { storeSessions } from '../../src/agent/session/sessions-in-store.ts';
import { proves } from '../contract/cite.ts';
import { bundleChild } from '../faults/bundle-child.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import type { AgentChildOptions, ChatReport } from './agent-child.ts';
import { Child } from './child.ts';

let program = '';
beforeAll(async () => {
  program = await bundleChild('../processes/agent-child.ts');
});

function acted(rig: StoreRig): number {
  const file = join(rig.folder, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

function chat(child: Child, prompt: string): Promise<ChatReport> {
  child.say(prompt);
  return child.data<ChatReport>();
}

describeStores('agents in processes of their own', (rig) => {
  const start = async (options: Partial<AgentChildOptions> = {}): Promise<Child> => {
    const { at, keys, folder } = rig;
    const child = new Child(program, { at, keys, ledger: join(folder, 'ledger'), calls: 1, ...options });
    expect(await child.next()).toBe('ready');
    return child;
  };

  it(proves('A17')('continue a session of another process'), async () => {
    await rig.open();
    const first = await start({ session: 's1' });
    expect(await chat(first, 'end')).toMatchObject({ stopReason: 'end' });
    await first.ended();
    const second = await start({ session: 's1' });
    expect(await chat(second, 'end')).toMatchObject({ stopReason: 'end' });
    await second.ended();
    const saved = await storeSessions(await rig.open()).load('s1');
    expect(saved).toMatchObject({ turns: 2, counts: { modelCalls: 2, inputTokens: 14 }, messages: { length: 4 } });
  });

  it(proves('A17')('do not overwrite each other: the second to save fails, and the first continues'), async () => {
    const store = await rig.open();
    const [one, two] = [await start({ session: 's1' }), await start({ session: 's1' })];
    expect(await chat(one, 'end one')).toMatchObject({ stopReason: 'end' });
    const conflict = {
      code: 'STORE_CONFLICT',
      text: expect.stringContaining('Another process has saved the session "s1"'),
    };
    expect(await chat(two, 'end two')).toMatchObject(conflict);
    expect(await chat(two, 'end two again')).toMatchObject(conflict);
    expect(await chat(one, 'end three')).toMatchObject({ stopReason: 'end' });
    const ended = two.ended();
    expect(await two.data()).toMatchObject({ code: 'STORE_CONFLICT' });
    await ended;
    await one.ended();
    const saved = await storeSessions(store).load('s1');
    expect(saved).toMatchObject({ turns: 2, messages: { length: 4 } });
    expect(JSON.stringify(saved)).not.toContain('end two');
  });

  it(proves('A17', 'A18')('keep the usage and number of a killed turn'), async () => {
    const store = await rig.open();
    const child = await start({ session: 's1' });
    expect(await chat(child, 'end')).toMatchObject({ stopReason: 'end' });
    child.say('hang');
    await expect.poll(() => acted(rig), { timeout: 10_000 }).toBe(1);
    await child.kill();
    const saved = await storeSessions(store).load('s1');
    // The turn counts, so that its keys are not reused; its conversation is not saved partially.
    expect(saved).toMatchObject({ turns: 2, counts: { modelCalls: 2, inputTokens: 14, outputTokens: 6 } });
    expect(saved?.messages).toHaveLength(2);
    const again = await start({ session: 's1', budget: { perSession: { modelCalls: 3 } } });
    expect(await chat(again, 'end')).toMatchObject({ stopReason: 'end' });
    expect(await chat(again, 'end')).toMatchObject({ stopReason: 'budget:perSession.modelCalls' });
    await again.ended();
  });

  it(proves('A17', 'A18')('keep the rates of a resumed session'), async () => {
    await rig.open();
    const budget = { rates: { modelCalls: { max: 2, perMs: 3_600_000 } } };
    const first = await start({ session: 's1', budget });
    expect(await chat(first, 'end')).toMatchObject({ stopReason: 'end' });
    await first.ended();
    const second = await start({ session: 's1', budget });
    expect(await chat(second, 'end')).toMatchObject({ stopReason: 'end' });
    expect(await chat(second, 'end')).toMatchObject({ stopReason: 'budget:rates.modelCalls' });
    await second.ended();
  });

  it(
    proves('A18', 'R06')('make exactly as many calls as a shared budget allows, even if some are killed'),
    { timeout: 60_000 },
    async () => {
      const store = await rig.open();
      const limit = 40;
      const budget = { shared: { account: 'team', limits: { toolCalls: limit } } };
      const lives = Array.from({ length: 4 }, () => start({ budget, calls: 3 }));
      const children = await Promise.all(lives);
      for (const child of children) child.say('go');
      await expect.poll(() => acted(rig), { timeout: 20_000 }).toBeGreaterThan(8);
      await children[0]?.kill();
      await children[1]?.kill();
      const fresh = await start({ budget, calls: 3 });
      fresh.say('go');
      for (const child of [fresh, ...children.slice(2)]) {
        expect(await child.data<ChatReport>()).toMatchObject({ stopReason: 'budget:shared.toolCalls' });
        await child.ended();
      }
      expect(await store.counters.used('team')).toMatchObject({ toolCalls: limit });
      // For each killed process, at most the call it had just taken did not run.
      expect(acted(rig)).toBeLessThanOrEqual(limit);
      expect(acted(rig)).toBeGreaterThanOrEqual(limit - 2);
    },
  );
});
