/** What one policy decision costs, with 10 rules or 100,000. */

import { blaming, compare, toRow, warm } from '../measure.mjs';
import { agtDocument, agtFlat } from '../peers/agt.mjs';
import { bridlePolicy } from '../peers/bridle.mjs';
import { casbin } from '../peers/casbin.mjs';
import { casl } from '../peers/casl.mjs';
import { cedar } from '../peers/cedar.mjs';
import { maps } from '../peers/limits.mjs';
import { makeCalls, makeRules } from '../rule-set.mjs';

const sizes = [10, 1_000, 10_000, 100_000];
const smokeSizes = [10, 1_000];
const contestants = [maps, bridlePolicy, casl, agtFlat, agtDocument, casbin, cedar];

export async function run(pace, emit) {
  for (const size of pace.name === 'smoke' ? smokeSizes : sizes) {
    const rules = makeRules(size);
    const calls = makeCalls(rules);
    const engines = [];
    const skipped = [];
    for (const contestant of contestants) {
      const { name, slowFrom = Infinity } = contestant;
      if (pace.name === 'full' || size < slowFrom)
        engines.push({ name, ...(await blaming(name, () => contestant.build(rules))) });
      else skipped.push({ name, ns: null, skipped: 'builds for too long for a quick run' });
    }
    await checkAnswers(
      engines,
      Object.values(calls).flatMap((list) => list.slice(0, 4)),
    );
    const cases = Object.entries(calls).map(([lookup, list]) => ({
      name: `${size} ${lookup}`,
      entries: engines.map((engine) => toEntry(engine, list)),
    }));
    // Every engine has met hits and misses before the first one is measured.
    for (const { entries } of cases) await warm(entries, pace.warmMs / 10);
    for (const { name, entries } of cases) {
      emit(toRow('decide', name, [...(await compare(entries, pace)), ...skipped]));
    }
  }
}

/** All engines must say the same as the first one, or they are not doing the same work. */
async function checkAnswers(engines, calls) {
  for (const call of calls) {
    const answers = [];
    for (const { name, request, decide, allowed } of engines) {
      answers.push(await blaming(name, async () => allowed(await decide(request(call)))));
    }
    const odd = answers.findIndex((answer) => answer !== answers[0]);
    if (odd !== -1) throw new Error(`${engines[odd].name} answers ${answers[odd]} to ${JSON.stringify(call)}`);
  }
}

function toEntry({ name, request, decide }, calls) {
  const requests = calls.map(request);
  const mask = requests.length - 1;
  return { name, call: (i) => decide(requests[i & mask]) };
}
