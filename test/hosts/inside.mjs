/** Runs one case inside the namespace, and writes its outcome. */

import { writeFileSync } from 'node:fs';
import { cases } from './cases.mjs';
import { Lab } from './lab.mjs';

const { name, outcome, ...place } = JSON.parse(process.argv[2]);
const lab = new Lab(place);
const started = performance.now();
let result = { result: 'pass' };
try {
  await lab.open();
  await cases.find((each) => each.name === name).run(lab);
} catch (error) {
  const { told, stderr } = lab.sessions.at(-1) ?? {};
  const seen = told === undefined ? [] : [`the model was told: ${JSON.stringify(told, null, 2)}`, stderr.slice(-1000)];
  result = { result: 'fail', detail: [error.message, ...seen].join('\n') };
} finally {
  lab.close();
}
writeFileSync(outcome, JSON.stringify({ ...result, seconds: (performance.now() - started) / 1000 }));
process.exit();
