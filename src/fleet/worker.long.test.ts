/** What a worker does with the runs of a store, whatever brings them to it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { allow, ask } from 'bridle';
import { createAgent } from 'bridle/agent';
import { queueRun, startWorker } from 'bridle/fleet';
import { describe, expect, it } from 'vitest';
import { act, calling } from '../../test/rigs/agent-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { answering, fleetAgent, fleetRig, until } from '../../test/rigs/fleet-rig.ts';
import { describeStores, type StoreRig } from '../../test/rigs/store-rig.ts';
import type { RunState } from '../store/runs/run-record.ts';
import type { Store } from '../store/store.ts';

const hangMs = 60_000;

function thrower(): void {
  throw new RangeError('what a listener does');
}

async function hasState(store: Store, id: string, state: RunState): Promise<boolean> {
  return (await store.runs.get(id))?.state === state;
}

describeStores('a worker', (rig: StoreRig) => {
  const fleet = fleetRig(rig);

  it(
    proves('R07')('works on runs that were queued before and after it started'),
    async () => {
      const store = await rig.open();
      await queueRun(store, { id: 'before', prompt: 'go' });
      const worker = await fleet.start({ model: answering(calling('act')), tools: [act()] });
      await queueRun(store, { id: 'after', prompt: 'go' });
      for (const id of ['before', 'after']) await until(() => hasState(store, id, 'done'));
      expect((await store.runs.get('after'))?.output).toMatchObject({ text: 'all done', steps: 2 });
      const { id, agents } = worker;
      expect(agents).toEqual(['main']);
      expect(fleet.events[0]).toMatchObject({ type: 'worker_started', worker: id, agents, leaseMs: 600 });
      const told = (run: string, type: string) =>
        fleet.events.filter((each) => 'run' in each && each.run === run && each.type === type);
      await until(() => told('after', 'segment_ended').length === 1);
      expect(told('after', 'segment_started')).toHaveLength(1);
      expect(told('after', 'segment_ended')).toMatchObject([{ state: 'done', agent: 'main' }]);
    },
    hangMs,
  );

  it(
    'works on no more runs at a time than it was told, and on all in the end',
    async () => {
      let [now, most] = [0, 0];
      const tool = act(async () => {
        most = Math.max(most, ++now);
        await until(() => most >= 2);
        await sleep(60);
        now--;
      });
      const worker = await fleet.start({ model: answering(calling('act')), tools: [tool] }, { concurrency: 2 });
      const ids = ['a', 'b', 'c', 'd', 'e'];
      await Promise.all(ids.map((id) => queueRun(worker.store, { id, prompt: 'go' })));
      for (const id of ids) await until(() => hasState(worker.store, id, 'done'));
      expect(most).toBe(2);
    },
    hangMs,
  );

  it(
    proves('R07')('releases a waiting run, and resumes it when the approval is settled'),
    async () => {
      const agent = { model: answering(calling('act')), tools: [act()], policy: [ask('act'), allow('*')] };
      const { store } = await fleet.start(agent);
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => hasState(store, 'r1', 'waiting'));
      await until(() => fleet.events.some((event) => event.type === 'segment_ended' && event.state === 'waiting'));
      const [asked] = await store.approvals.list({ run: 'r1' });
      await store.approvals.move(asked!.id, { from: 'pending', to: 'expired', by: 'test' });
      await until(() => hasState(store, 'r1', 'done'));
      const record = await store.runs.get('r1');
      expect(record).toMatchObject({ segment: 2, output: { text: 'all done' } });
    },
    hangMs,
  );

  it(
    proves('R07')('resumes a run whose approval has expired'),
    async () => {
      const asking = { policy: [ask('act'), allow('*')], askTimeoutMs: 300 };
      const { store } = await fleet.start({ model: answering(calling('act')), tools: [act()], ...asking });
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => hasState(store, 'r1', 'done'));
      expect(await store.approvals.list({ run: 'r1' })).toMatchObject([{ state: 'expired' }]);
    },
    hangMs,
  );

  it(
    proves('R07')('takes over the runs of an owner whose lease has expired'),
    async () => {
      const store = await rig.open();
      await queueRun(store, { id: 'r1', prompt: 'go' });
      expect(typeof (await store.runs.claim('r1', { leaseMs: 500 }))).toBe('object');
      await fleet.start({});
      await until(() => hasState(store, 'r1', 'done'));
      expect((await store.runs.get('r1'))?.segment).toBe(2);
      expect(fleet.events).toContainEqual({ type: 'runs_taken_back', runs: ['r1'] });
    },
    hangMs,
  );

  it(
    'leaves runs of other agents alone',
    async () => {
      const { store } = await fleet.start({ name: 'reviewer' });
      await queueRun(store, { id: 'r1', prompt: 'go', agent: 'writer' });
      await queueRun(store, { id: 'r2', prompt: 'go', agent: 'reviewer' });
      await until(() => hasState(store, 'r2', 'done'));
      expect(await store.runs.get('r1')).toMatchObject({ state: 'queued', segment: 0 });
    },
    hangMs,
  );

  it(
    'stops once, gives back what it works on, and closes its store',
    async () => {
      let begun = false;
      const tool = act(async () => {
        begun = true;
        await sleep(100);
      });
      const worker = await fleet.start({ model: answering(calling('act')), tools: [tool] }, { leaseMs: 30_000 });
      await queueRun(worker.store, { id: 'r1', prompt: 'go' });
      await until(() => begun);
      await Promise.all([worker.stop(), worker.stop()]);
      const store = await rig.open();
      expect(await store.runs.get('r1')).toMatchObject({ state: 'queued', segment: 1 });
      expect(fleet.events.filter(({ type }) => type === 'worker_stopped')).toHaveLength(1);
      await expect(worker.store.runs.get('r1')).rejects.toThrow('closed');
    },
    hangMs,
  );

  it(
    'is not hurt by a listener that throws',
    async () => {
      const warned = new Promise((resolve) => process.once('warning', resolve));
      const { store } = await fleet.start({}, { onEvent: thrower });
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => hasState(store, 'r1', 'done'));
      await expect(warned).resolves.toMatchObject({ message: 'what a listener does' });
    },
    hangMs,
  );

  it('refuses unsuitable agents, and closes everything', async () => {
    const other = await rig.open({ namespace: 'other' });
    const start = (agents: Parameters<typeof startWorker>[0]['agents']) =>
      startWorker({ store: { at: rig.at, keys: rig.keys }, agents });
    await expect(start([])).rejects.toThrow('needs at least one agent');
    await expect(start([fleetAgent(), fleetAgent()])).rejects.toThrow('two agents have the name "main"');
    await expect(start([fleetAgent({ store: other })])).rejects.toThrow('uses another store than the worker');
    await expect(start([() => createAgent(fleetAgent())])).rejects.toThrow('uses another store than the worker');
    await expect(start([(() => 'agent') as never])).rejects.toThrow('not a string');
    await expect(start([fleetAgent({ concurrency: 1 } as never)])).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it(
    'takes a function that makes its agent',
    async () => {
      const agents = [async ({ store }: { store: Store }) => createAgent(fleetAgent({ store, name: 'made' }))];
      const { store } = await fleet.start({}, { agents });
      await queueRun(store, { id: 'r1', prompt: 'go', agent: 'made' });
      await until(() => hasState(store, 'r1', 'done'));
    },
    hangMs,
  );
});

describeStores('a queued run', (rig: StoreRig) => {
  it('is the same run under the same id, and refuses other input', async () => {
    const store = await rig.open();
    const { id } = await queueRun(store, { prompt: 'go' });
    expect(await queueRun(store, { id, prompt: 'go' })).toMatchObject({ id, state: 'queued', agent: 'main' });
    await expect(queueRun(store, { id, prompt: 'stop' })).rejects.toThrow(
      'already exists with a different agent or input',
    );
    await expect(queueRun(store, { id, prompt: 'go', agent: 'other' })).rejects.toThrow(
      'already exists with a different agent or input',
    );
    await expect(queueRun(store, { prompt: ' ' })).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
  });
});

describe('options of a worker', () => {
  it('report every problem', async () => {
    const starting = startWorker({ store: 'x', agents: [], concurrency: 0, leaseMs: 10, pollMs: Number.NaN });
    await expect(starting).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      problems: [
        'concurrency must be a whole number from 1 to 1000, not 0',
        'leaseMs must be a whole number from 500 to 86400000, not 10',
        'pollMs must be a whole number from 10 to 60000, not NaN',
      ],
    });
  });
});
