/** What became of a damaged store: what it says is held against what it said before. */

import type { Reading } from './read-store.ts';
import { waitingSteps } from './sample-store.ts';

/**
 * `refused`: it does not open. `detected`: something in it is refused, or verifying finds it. `asks again`: an answer or a
 * question is forgotten, and nothing is allowed by it. `harmless`: everything is as it was.
 */
type Outcome = 'refused' | 'detected' | 'asks again' | 'harmless';

export interface Judgement {
  readonly outcome: Outcome;
  /** What must never be: whatever it is, in words. */
  readonly wrong: readonly string[];
}

/** Errors that say that something is not to be believed, or not to be done. */
const refusals = new Set([
  '!STORE_DAMAGED',
  '!STORE_FAILED',
  '!STORE_KEYS',
  '!STORE_VERSION',
  '!STORE_CONFLICT',
  '!APPROVAL_REFUSED',
]);

function isRefusal(answer: string | undefined): boolean {
  return answer !== undefined && refusals.has(answer);
}

type Verdict = 'same' | 'refused' | 'forgotten' | 'wrong';

/** Of a store that was read, used, and read again; `later` stands after the names of the second time. */
export function judge(before: Reading, after: Reading): Judgement {
  const verdicts = Object.keys(before).map((name) => {
    const is = after[name];
    // A store that does not open is not asked any further.
    const verdict = is === undefined ? 'refused' : verdictAt(name, before, after);
    return { name, verdict, text: `${name}: ${cut(before[name] ?? '')} → ${cut(is ?? '')}` };
  });
  const has = (verdict: Verdict) => verdicts.some((each) => each.verdict === verdict);
  const wrong = verdicts.filter(({ verdict }) => verdict === 'wrong');
  return { outcome: outcomeOf(after, has), wrong: wrong.map(({ text }) => text) };
}

function verdictAt(name: string, before: Reading, after: Reading): Verdict {
  const was = before[name] ?? 'nothing';
  const is = after[name] ?? 'nothing';
  const first = name.replace(later, '');
  // What was tried in between and refused has left things as they were.
  const isUndone = first !== name && trialsAbout(first).some((trial) => after[trial] !== before[trial]);
  const facts = { name: first, is, isFound: isFound(after), all: before[first.split(' ')[0] ?? ''] };
  const verdict = verdictOn({ ...facts, was });
  if (verdict !== 'wrong' || !isUndone) return verdict;
  // Taken, because what it waits for is lost; what it has recorded is asked for as well.
  if (first === 'run run-waiting' && is.includes('"state":"running"')) return 'forgotten';
  // Made by the trial, and taken by nobody, as the store has refused that.
  if (first === 'run run-none' && isRefusal(after['steps run-none']) && is.includes('"state":"queued","segment":0')) {
    return 'refused';
  }
  return verdictOn({ ...facts, was: before[first] ?? 'nothing' });
}

const later = / later$/;

/** What was tried that changes the answer to a question. */
function trialsAbout(question: string): readonly string[] {
  const [kind = '', ...words] = question.split(' ');
  const what = words.join(' ');
  const about: Readonly<Record<string, readonly string[]>> = {
    approval: ['use'],
    use: ['use'],
    used: ['take'],
    take: ['take'],
    session: ['begin'],
    begin: ['begin'],
    run: ['create', 'steps'],
    create: ['create'],
    steps: ['create', 'steps'],
  };
  return (about[kind] ?? []).map((trial) => `${trial} ${what}`);
}

function outcomeOf(after: Reading, has: (verdict: Verdict) => boolean): Outcome {
  if (after['open']?.startsWith('!')) return 'refused';
  if (has('refused') || isFound(after)) return 'detected';
  return has('forgotten') ? 'asks again' : 'harmless';
}

/** Whether verifying the journal finds the damage. */
function isFound(reading: Reading): boolean {
  const verified = [reading['journal verify'], reading['journal verify later']].map((text) => text ?? '');
  return verified.some((text) => text.startsWith('!') || text.includes('"ok":false'));
}

interface Case {
  readonly name: string;
  readonly was: string;
  readonly is: string;
  readonly isFound: boolean;
  /** Everything that such a list could hold. */
  readonly all: string | undefined;
}

function verdictOn(each: Case): Verdict {
  const { name, was, is } = each;
  if (was === is) return 'same';
  if (is.startsWith('!')) return isRefusal(is) ? 'refused' : 'wrong';
  const [kind = ''] = name.split(' ');
  return (verdicts[kind] ?? never)(each);
}

/** By the first word of what was asked. What is not here may only stay as it was, or be refused. */
const verdicts: Readonly<Record<string, (each: Case) => Verdict>> = {
  journal: (each) => {
    if (each.isFound) return 'refused';
    if (each.name === 'journal checkpoints') return lacks(each);
    return each.name === 'journal verify' && endOf(each.is) === endOf(each.was) ? 'forgotten' : 'wrong';
  },
  approval: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  approvals: lacks,
  // A place to look for runs: who takes one is told where it stands.
  runs: (each) => (each.name === 'runs queued' ? 'forgotten' : lacks(each)),
  // Only looked at by people: what is loaded is sealed.
  sessions: () => 'forgotten',
  answer: ({ is }) => (is.includes('"approved":true') ? 'wrong' : 'forgotten'),
  use: ({ is }) => (is === 'true' ? 'wrong' : 'forgotten'),
  take: ({ is }) => (is === 'nothing' ? 'wrong' : 'forgotten'),
  // Gone; whether it can be begun anew is asked as well.
  run: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  session: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  steps: ({ name, is }) => {
    if (name === 'steps run-waiting' && is === waitingSteps) return 'forgotten';
    return is === '"refused"' ? 'refused' : 'wrong';
  },
};

/** All that is verified but the signatures: where one is lost, less is said to be signed. */
function endOf(verified: string): string {
  const { ok, count, head } = JSON.parse(verified) as Record<string, unknown>;
  return JSON.stringify([ok, count, head]);
}

function never(): Verdict {
  return 'wrong';
}

/** A list that lacks something, or holds what belongs into another one, says nothing false of what it holds. */
function lacks({ was, is, all }: Case): Verdict {
  const items = new Set((JSON.parse(all ?? was) as unknown[]).map((item) => JSON.stringify(item)));
  const isPart = (JSON.parse(is) as unknown[]).every((item) => items.has(JSON.stringify(item)));
  return isPart ? 'forgotten' : 'wrong';
}

function cut(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
