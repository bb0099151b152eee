/**
 * Appends entries to the journal of a store with the built package. Arguments: `at`, `keys`, its name, how many. Each
 * entry has the name and a number. Prints how many were stored.
 */

import { openStore } from '../../dist/store/index.js';

const [, , at, keys, writer, entries] = process.argv;
const store = await openStore({ at, keys });
const entry = (number) => ({
  v: 1,
  at: Date.now(),
  session: 's',
  turn: 1,
  step: 0,
  agent: ['main'],
  policy: 'p',
  kind: 'noted',
  status: 'late_result',
  detail: [Number(writer), number],
});

let next = 0;
let taken = 0;
while (next < Number(entries)) {
  const together = Math.min(1 + (next % 7), Number(entries) - next);
  await Promise.all(Array.from({ length: together }, () => store.journal.append(entry(next++))));
  taken += together;
}
await store.close();
console.log(taken);
