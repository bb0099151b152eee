/** What the whole path of a tool call costs: time, and memory allocated. */

import { compare, quantile, toRow, warm } from '../measure.mjs';
import { bridleTurn } from '../peers/bridle.mjs';
import { makeCalls, makeRules } from '../rule-set.mjs';

const counts = [0, 5, 20];
const rules = makeRules(100);
const [call] = makeCalls(rules).first;
const host = { run: async () => 'done' };

export async function run(pace, emit) {
  const cases = counts.map((count) => ({ name: `${count} hooks`, bridle: guardWith(count) }));
  for (const { bridle } of cases) {
    await checkRuns(bridle);
    // A long path takes long to be compiled.
    await warm([bridle], pace.warmMs * 20);
  }
  const limit = { name: 'limit', call: () => host.run(call) };
  const rows = [];
  for (const { name, bridle } of cases) rows.push(toRow('guard', name, await compare([bridle, limit], longer(pace))));
  // Last, because forced collections throw compiled code away.
  for (const [i, { bridle }] of cases.entries()) emit({ ...rows[i], bytes: await bytesPerCall(bridle, pace.rounds) });
}

function guardWith(count) {
  let turn;
  return {
    name: 'bridle',
    // The journal keeps every record, so a round starts with a new one.
    reset: async () => {
      turn = await bridleTurn(rules, makeHooks(count));
    },
    call: (i) => turn.guard({ id: `call-${i}`, tool: call.tool, args: call.args }, host),
  };
}

/** A new guard is slow at first: rounds are long enough for that not to count. */
function longer(pace) {
  return { ...pace, roundMs: pace.roundMs * 4, warmMs: pace.warmMs * 4 };
}

/** Hooks that look on before and after the call. */
function makeHooks(count) {
  return Array.from({ length: count }, (_, i) => ({
    name: `hook-${i}`,
    preToolCall: () => undefined,
    postToolCall: () => undefined,
  }));
}

async function checkRuns({ reset, call: guard }) {
  await reset();
  const result = await guard(0);
  if (result.type !== 'ok') throw new Error(`the call did not run: ${JSON.stringify(result)}`);
}

/** So few calls at once that nothing is collected meanwhile: the growth of the heap is what they allocated. */
async function bytesPerCall({ reset, call: guard }, rounds) {
  const calls = 32;
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    await reset();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < calls; i++) await guard(i);
    samples.push((process.memoryUsage().heapUsed - before) / calls);
  }
  return quantile(
    samples.toSorted((a, b) => a - b),
    0.5,
  );
}
