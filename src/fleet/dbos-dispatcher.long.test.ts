/** What dead workers leave in the queue of DBOS is put right, and nothing stays in it for ever. */

import { queueRun, startWorker } from 'bridle/fleet';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { act, calling } from '../../test/rigs/agent-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { cutLine } from '../../test/postgres/cut-line.ts';
import { answering, fleetAgent, fleetRig, until } from '../../test/rigs/fleet-rig.ts';
import { describePostgres, type StoreRig } from '../../test/rigs/store-rig.ts';
import type { Store } from '../store/store.ts';

const hangMs = 60_000;

async function isDone(store: Store, id: string): Promise<boolean> {
  return (await store.runs.get(id))?.state === 'done';
}

describePostgres('the queue', (rig: StoreRig) => {
  const fleet = fleetRig(rig);

  /** A queue that has delivered `r1`, which is done, and no worker. */
  async function used(): Promise<Store> {
    const worker = await fleet.start({});
    await queueRun(worker.store, { id: 'r1', prompt: 'go' });
    await until(() => isDone(worker.store, 'r1'));
    await worker.stop();
    return rig.open();
  }

  /** Makes the delivery of `r1` one of another run, as if another worker had had it. */
  async function forge(run: string, change: string): Promise<void> {
    const id = `default/${run}:1`;
    await fleet.askQueue(`UPDATE $dbos.workflow_status SET workflow_uuid = '${id}', executor_id = 'dead', ${change}`);
    await fleet.askQueue(
      `UPDATE $dbos.workflow_input SET workflow_uuid = '${id}', inputs = replace(inputs, '"r1"', '"${run}"')`,
    );
  }

  const rows = (): Promise<readonly Record<string, unknown>[]> =>
    fleet.askQueue('SELECT workflow_uuid, status, executor_id FROM $dbos.workflow_status');

  it(
    proves('R07')('delivers a segment again if its worker died before claiming the run'),
    async () => {
      const store = await used();
      await queueRun(store, { id: 'r2', prompt: 'go' });
      await forge('r2', `status = 'PENDING', completed_at = NULL, started_at_epoch_ms = 1`);
      await fleet.start({});
      await until(() => isDone(store, 'r2'));
      expect((await store.runs.get('r2'))?.segment).toBe(1);
    },
    hangMs,
  );

  it(
    proves('R07')('starts although the connection is lost while the queue is opened'),
    async () => {
      const line = await cutLine(rig.at);
      line.cutAt('workflow_status', 'before');
      try {
        const worker = await fleet.start({}, { store: { at: line.url, keys: rig.keys } });
        await queueRun(worker.store, { id: 'r1', prompt: 'go' });
        await until(() => isDone(worker.store, 'r1'));
        expect(fleet.events).toContainEqual({
          type: 'problem',
          message: expect.stringContaining('cannot open the queue yet'),
        });
        await worker.stop();
      } finally {
        await line.close();
      }
    },
    hangMs,
  );

  it(
    proves('R07')('delivers a segment again if the run was not claimed'),
    async () => {
      const store = await used();
      await queueRun(store, { id: 'r2', prompt: 'go' });
      await forge('r2', `status = 'SUCCESS'`);
      await fleet.start({});
      await until(() => isDone(store, 'r2'));
    },
    hangMs,
  );

  it(
    proves('R07')('removes the segment of a dead worker once another worker has the run'),
    async () => {
      await used();
      await forge('r1', `status = 'PENDING', completed_at = NULL, started_at_epoch_ms = 1`);
      await fleet.start({});
      await until(async () => (await rows()).length === 0);
    },
    hangMs,
  );

  it(
    'forgets what is over after a while, and not before',
    async () => {
      const store = await used();
      await queueRun(store, { id: 'r2', prompt: 'go' });
      const hourAgo = Date.now() - 3_600_000;
      await fleet.askQueue(`UPDATE $dbos.workflow_status SET completed_at = ${hourAgo}`);
      await fleet.start({});
      await until(() => isDone(store, 'r2'));
      await until(async () => !(await rows()).some((row) => row['workflow_uuid'] === 'default/r1:1'));
      expect(await rows()).toMatchObject([{ workflow_uuid: 'default/r2:1', status: 'SUCCESS' }]);
      const [left] = await fleet.askQueue('SELECT count(*)::int AS count FROM $dbos.workflow_input');
      expect(left).toEqual({ count: 1 });
    },
    hangMs,
  );

  it(
    proves('R07')('ignores a duplicate delivery'),
    async () => {
      let ran = 0;
      const agent = { model: answering(calling('act')), tools: [act(() => ++ran)] };
      const { store } = await fleet.start(agent);
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => isDone(store, 'r1'));
      await until(async () => (await rows())[0]?.['status'] === 'SUCCESS');
      await fleet.askQueue(`UPDATE $dbos.workflow_status SET status = 'ENQUEUED', completed_at = NULL`);
      await until(() => fleet.events.filter(({ type }) => type === 'segment_ended').length === 2);
      expect(ran).toBe(1);
      expect(await store.runs.get('r1')).toMatchObject({ state: 'done', segment: 1 });
    },
    hangMs,
  );

  it(
    'is one per process, and can be opened again',
    async () => {
      const first = await fleet.start({});
      const second = startWorker({ store: { at: rig.at, keys: rig.keys }, agents: [fleetAgent()] });
      await expect(second).rejects.toThrow('start one worker per process');
      await first.stop();
      const { store } = await fleet.start({});
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => isDone(store, 'r1'));
    },
    hangMs,
  );

  it(
    'keeps namespaces apart',
    async () => {
      const other = await rig.open({ namespace: 'other' });
      await queueRun(other, { id: 'r1', prompt: 'go' });
      const { store } = await fleet.start({});
      await queueRun(store, { id: 'r1', prompt: 'go' });
      await until(() => isDone(store, 'r1'));
      expect(await other.runs.get('r1')).toMatchObject({ state: 'queued', segment: 0 });
    },
    hangMs,
  );

  it(
    'needs no right to make anything once it is there, and says what is missing before',
    async () => {
      const role = `small_${new URL(rig.at).searchParams.get('schema')}`;
      const url = new URL(rig.at);
      const schema = url.searchParams.get('schema');
      url.username = role;
      url.password = 'small';
      const admin = new Client(rig.at.split('?')[0]);
      await admin.connect();
      try {
        await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'small'`);
        await rig.open();
        const grant = (name: string) =>
          admin.query(
            `GRANT USAGE ON SCHEMA ${name} TO ${role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${name} TO ${role}`,
          );
        await grant(`${schema}`);
        const options = { store: { at: url.href, keys: rig.keys } };
        await expect(fleet.start({}, options)).rejects.toThrow(`the right to create the schema ${schema}_dbos`);
        await used();
        await grant(`${schema}_dbos`);
        const { store } = await fleet.start({}, options);
        await queueRun(store, { id: 'r2', prompt: 'go' });
        await until(() => isDone(store, 'r2'));
        for (const event of fleet.events) expect(JSON.stringify(event)).not.toContain('small@');
      } finally {
        await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).catch(() => undefined);
        await admin.end();
      }
    },
    hangMs,
  );
});
