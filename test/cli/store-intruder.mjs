/** Opens a store with the keys of the user, as any program of that user can, and writes into it whatever could approve. */

import { openStore } from '../../dist/store/open-store.js';

const [at, keys, id] = process.argv.slice(2);
const store = await openStore({ at, keys });
const record = await store.approvals.get(id);
const tried = {};
const attempt = async (name, work) => {
  tried[name] = await work().then(
    (value) => value ?? 'done',
    (error) => error.code ?? String(error),
  );
};

// An answer that nobody signed, or that the key of nobody has signed.
const signed = {
  answer: { type: 'approve' },
  approval: id,
  digest: record.digest,
  by: 'ann',
  at: Date.now(),
  from: { host: 'elsewhere', realm: 'x/y', pid: 1, started: '1', parents: [] },
  key: store.keys.approverKeys()[0].id,
  signature: Buffer.alloc(64).toString('base64url'),
};
await attempt('answer', () => store.approvals.answer(signed));
// An answer that is to count again, for whatever comes.
const query = { binding: 'any', group: 'any', turn: 1, covers: () => true };
const kept = { approvalId: id, approved: true, reason: '', by: 'ann', turn: undefined, rule: undefined };
await attempt('keep', () => store.answers.keep(query, kept, 1e12));
// A record that says approved, sealed with the secret of the store.
await attempt('move', () => store.approvals.move(id, { from: 'pending', to: 'approved', by: 'ann' }));
await store.close();
process.stdout.write(`${JSON.stringify(tried)}\n`);
