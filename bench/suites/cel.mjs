/** What a condition of a policy file costs: to evaluate, in a whole decision, and to compile. */

import {
  byHand,
  calls,
  checkCelJs,
  compileOurs,
  names,
  ours,
  parseCelJs,
  policy,
  texts,
  theirs,
} from '../cel/conditions.mjs';
import { compare, toRow, warmCalls } from '../measure.mjs';

export async function run(pace, emit) {
  checkAnswers();
  const cases = names.map((name, i) => ({
    name,
    entries: contest({ bridle: ours[i], limit: byHand[i], 'cel-js': theirs[i] }),
  }));
  cases.push({
    name: 'decision, 6 rules',
    entries: contest({ bridle: (call) => policy.decide(call), limit: firstOf(byHand), 'cel-js': firstOf(theirs) }),
  });
  cases.push({
    name: 'compile',
    entries: contest({ bridle: compileOurs, limit: parseCelJs, 'cel-js': checkCelJs }, texts),
  });
  // Every part has met every condition before the first is measured.
  for (const { entries } of cases) await warmCalls(entries, pace.name === 'smoke' ? 1 : 10_000);
  for (const { name, entries } of cases) emit(toRow('cel', name, await compare(entries, pace)));
}

function contest(contestants, items = calls) {
  const { length } = items;
  return Object.entries(contestants).map(([name, work]) => ({ name, call: (i) => work(items[i % length]) }));
}

/** The first condition that holds, among calls for which none or the last one does. */
function firstOf(conditions) {
  return (call) => conditions.findIndex((holds) => holds(call));
}

/** All must say the same, or they are not doing the same work. */
function checkAnswers() {
  for (const [k, call] of calls.entries()) {
    for (const [i, text] of texts.entries()) {
      const answers = [ours, byHand, theirs].map((all) => all[i](call));
      if (answers.some((answer) => answer !== (k === 0))) throw new Error(`${answers.join(', ')} for ${text}`);
    }
    const { effect } = policy.decide(call);
    if (effect !== (k === 0 ? 'deny' : 'allow')) throw new Error(`the policy says ${effect}`);
  }
}
