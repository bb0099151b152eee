/** Runs the cases of one framework in this process, and prints one JSON line for each. */

import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { cases } from './cases.mjs';
import { createContext } from './rig.mjs';
import { createProcesses } from './processes.mjs';

const [folder, ...chosen] = process.argv.slice(2);
const { driver } = await import(pathToFileURL(join(folder, 'driver.mjs')).href);
const load = (specifier) => driver.load(specifier);
const modules = {
  bridle: await load('bridle'),
  testing: await load('bridle/testing'),
  adapter: await load(`bridle/${driver.entry}`),
};

// A framework may have cases of its own, for what only it can do.
for (const [name, run] of Object.entries({ ...cases, ...driver.cases })) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const started = performance.now();
  const report = (result) =>
    console.log(JSON.stringify({ case: name, ...result, ms: Math.round(performance.now() - started) }));
  const reason = driver.skips[name];
  if (reason !== undefined) {
    report({ result: 'skipped', reason });
    continue;
  }
  const context = createContext({ driver, modules, processes: createProcesses(folder) });
  try {
    await run(context);
    report({ result: 'passed' });
  } catch (error) {
    report({ result: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    await context.close();
  }
}
process.exit(0);
