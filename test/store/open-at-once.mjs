/**
 * Opens a store with the built package on request, saves a session, and prints what it sees, or the code of the error.
 * Arguments: `at`, `keys`, the id of the session.
 */

import { once } from 'node:events';
import { openStore } from '../../dist/store/index.js';

const [, , at, keys, id] = process.argv;
console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
try {
  const store = await openStore({ at, keys });
  await store.sessions.save(id, { by: id }, 0);
  const { body } = (await store.sessions.load(id)) ?? {};
  await store.close();
  console.log(JSON.stringify({ body }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
