/** Runs one suite in a process of its own, with the flags it needs, and sends its rows to the parent. */

import { paces } from './measure.mjs';

const [suite, pace] = process.argv.slice(2);
try {
  const { run } = await import(`./suites/${suite}.mjs`);
  await run(paces[pace], (row) => process.send({ row }));
  process.disconnect();
} catch (error) {
  process.send({ failure: error.message });
  throw error;
}
