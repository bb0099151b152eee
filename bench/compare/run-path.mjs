/**
 * Does a path in this process: `node run-path.mjs <path> <iterations>` ends after so many iterations, for valgrind;
 * `node run-path.mjs <path> bytes` prints how many bytes an iteration allocates on the heap.
 */

import { allocated } from '../allocated.mjs';
import { withFolder } from '../processes.mjs';
import { paths } from './paths.mjs';

const [name, order] = process.argv.slice(2);
const { few, many, open } = paths[name];

await withFolder(async (folder) => {
  const path = await open(folder);
  if (order === 'bytes') {
    await repeat(path, 0, few);
    const bytes = await allocated(() => repeat(path, few, many));
    if (bytes === undefined) throw new Error(`${name} allocates too much for the young generation`);
    process.stdout.write(String(bytes / (many - few)));
  } else {
    await repeat(path, 0, Number(order));
  }
  await path.close?.();
});

async function repeat({ next }, from, to) {
  for (let i = from; i < to; i++) await next(i);
}
