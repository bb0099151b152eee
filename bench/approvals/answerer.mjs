/** Gives answers from a process of its own. */

import { answering, now } from '../stores/peer-process.mjs';
import { openRawWait } from './raw-wait.mjs';
import { load } from '../dist.mjs';

const { createApproverKey, openStore, signAnswer } = await load('store/index.js');

const { place, raw: rawPlace } = JSON.parse(process.argv[2]);
const store = await openStore(place);
const raw = await openRawWait(rawPlace);
const key = createApproverKey({ folder: place.keys, name: `person-${process.pid}` });

answering({
  /** When the answer was given, and when it was known to be kept. */
  async bridle({ id }) {
    const signed = signAnswer(key, await store.approvals.get(id), { type: 'approve' });
    const given = now();
    const { won } = await store.approvals.answer(signed);
    if (!won) throw new Error('the answer came too late');
    return { given, kept: now() };
  },
  async limit({ id }) {
    const given = now();
    await raw.tell(id);
    return { given, kept: now() };
  },
  async close() {
    await raw.close();
    await store.close();
  },
});
process.send({ type: 'ready' });
