/**
 * One of several processes that answer the same approvals concurrently, then try to use them all. Reads its options
 * from the first argument and the commands `answer` and `use` from stdin; prints what it won as lines of JSON.
 */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { signAnswer } from '../../dist/approvals/signing/signed-answer.js';
import { openApproverKey } from '../../dist/store/keys/approver-keys.js';
import { openStore } from '../../dist/store/open-store.js';

const { at, keys, name, type, session } = JSON.parse(process.argv[2]);
const store = await openStore({ at, keys, durability: 'process' });
const credential = openApproverKey({ folder: keys, name });
const records = await store.approvals.list({ session, limit: 100_000 });
const signed = records.map((record) => signAnswer(credential, record, { type }));
const lines = createInterface({ input: process.stdin });

/** Several at a time, in the same order in all processes, so that they compete for the same rows. */
async function each(items, work) {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

function tell(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const phases = {
  answer: () =>
    each(signed, async (answer) => {
      const { won, record } = await store.approvals.answer(answer);
      tell({ phase: 'answer', id: answer.approval, won, state: record.state, by: record.answer?.by });
    }),
  use: () =>
    each(records, async ({ id }) => {
      const won = await store.approvals.move(id, { from: 'approved', to: 'used', by: name });
      tell({ phase: 'use', id, won });
    }),
};

tell({ phase: 'ready' });
lines.on('line', (word) => {
  void phases[word]().then(() => tell({ phase: 'done' }));
});
await once(lines, 'close');
await store.close();
