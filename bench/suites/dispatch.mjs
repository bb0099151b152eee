/** What it costs to call 1, 5 or 20 hooks that have no opinion. */

import { runInThisContext } from 'node:vm';
import { blaming, compare, toRow, warm } from '../measure.mjs';
import { bridleFrame, bridleHooks } from '../peers/bridle.mjs';
import { hookable, hookableCore } from '../peers/hookable.mjs';
import { awaitLoop, syncFirstLoop } from '../peers/limits.mjs';
import { strands } from '../peers/strands.mjs';
import { tapableBail, tapableWaterfall } from '../peers/tapable.mjs';

const limits = { sync: syncFirstLoop, async: awaitLoop };
const peers = [bridleFrame, tapableBail, tapableWaterfall, hookableCore, hookable, strands];
const counts = [1, 5, 20];
let sources = 0;

const payload = { tool: 'view_file', args: { file_path: '/srv/data/report.txt' } };
const ctx = { session: 'session-1' };

export async function run(pace, emit) {
  const cases = [];
  for (const kind of ['sync', 'async']) {
    for (const count of counts) {
      const contestants = [bridleHooks, limits[kind], ...peers];
      const entries = [];
      for (const contestant of contestants)
        entries.push(await blaming(contestant.name, () => toEntry(contestant, count, kind)));
      cases.push({ name: `${count} ${kind}`, entries });
    }
  }
  // A dispatcher meets few and many hooks, quick and slow ones: none is measured while it knows only one kind.
  for (const { entries } of cases) await warm(entries, pace.warmMs / 2);
  for (const { name, entries } of cases) emit(toRow('dispatch', name, await compare(entries, pace)));
}

async function toEntry({ name, setup }, count, kind) {
  const counter = { calls: 0 };
  const call = setup({ hooks: makeHooks(count, kind, counter), kind, payload, ctx });
  await call();
  if (counter.calls !== count) throw new Error(`${name} called ${counter.calls} of ${count} hooks`);
  return { name, call };
}

/** Functions with a source of their own each, as hooks have in life, so that no call site sees one function only. */
function makeHooks(count, kind, counter) {
  const source = `(counter) => ${kind === 'async' ? 'async ' : ''}function hook(payload, ctx) { counter.calls++; }`;
  return Array.from({ length: count }, () => runInThisContext(`${source} // ${sources++}`)(counter));
}
