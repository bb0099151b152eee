/** Waits for answers: a guarded call that a person is asked about, and by hand. */

import { answering, now } from '../stores/peer-process.mjs';
import { openRawWait } from './raw-wait.mjs';
import { load } from '../dist.mjs';

const { ask, createGuard } = await load('index.js');
const { openStore, storeApprover } = await load('store/index.js');

const { place, raw: rawPlace } = JSON.parse(process.argv[2]);
const store = await openStore(place);
const raw = await openRawWait(rawPlace);
let woken;

const watched = new Proxy(store.approvals, {
  get: (real, name) => (name in told ? told[name] : real[name].bind(real)),
});
const told = {
  put: async (draft) => {
    const record = await store.approvals.put(draft);
    process.send({ type: 'asked', id: record.id });
    return record;
  },
  settled: async (...args) => {
    const record = await store.approvals.settled(...args);
    woken = now();
    return record;
  },
};

const guard = createGuard({
  tools: [{ name: 'deploy' }],
  policy: [ask('deploy')],
  approver: storeApprover({ ...store, approvals: watched }),
  journal: store.journal,
});
const session = await guard.start();
let calls = 0;

answering({
  /** When it was woken, and when the tool ran. */
  async bridle() {
    let ran;
    const turn = session.turn();
    const call = { id: `call-${calls++}`, tool: 'deploy', args: { to: 'production' } };
    const result = await turn.guard(call, { run: async () => void (ran = now()) });
    turn.end();
    if (result.type !== 'ok') throw new Error(`the call did not run: ${JSON.stringify(result)}`);
    return { woken, ran };
  },
  async limit({ id }) {
    await raw.wait(id);
    return { woken: now() };
  },
  async close() {
    await raw.close();
    await store.close();
  },
});
process.send({ type: 'ready' });
