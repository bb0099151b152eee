/** Classifies a damaged store by comparing its contents with the original. */

import type { Reading } from './read-store.ts';
import { waitingSteps } from './sample-store.ts';

/**
 * `refused`: it does not open. `detected`: a row is refused, or verification finds the damage. `asks again`: an answer or
 * a question is lost, which allows nothing. `harmless`: everything is unchanged.
 */
type Outcome = 'refused' | 'detected' | 'asks again' | 'harmless';

export interface Judgement {
  readonly outcome: Outcome;
  /** A description of something that must never happen. */
  readonly wrong: readonly string[];
}

/** Errors that report damage or refuse an operation. */
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

/** For a store that was read, used, and read again; names of the second read end with `later`. */
export function judge(before: Reading, after: Reading): Judgement {
  const verdicts = Object.keys(before).map((name) => {
    const is = after[name];
    // A store that does not open has no further results.
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
  // Refused operations in between have changed nothing.
  const isUndone = first !== name && trialsAbout(first).some((trial) => after[trial] !== before[trial]);
  const facts = { name: first, is, isFound: isFound(after), all: before[first.split(' ')[0] ?? ''] };
  const verdict = verdictOn({ ...facts, was });
  if (verdict !== 'wrong' || !isUndone) return verdict;
  // Claimed, because its approval is lost; its recorded steps are checked as well.
  if (first === 'run run-waiting' && is.includes('"state":"running"')) return 'forgotten';
  // Created by the trial and not claimed, since the store refused it.
  if (first === 'run run-none' && isRefusal(after['steps run-none']) && is.includes('"state":"queued","segment":0')) {
    return 'refused';
  }
  return verdictOn({ ...facts, was: before[first] ?? 'nothing' });
}

const later = / later$/;

/** Trials that change the result of a query. */
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

/** Whether verification of the journal detects the damage. */
function isFound(reading: Reading): boolean {
  const verified = [reading['journal verify'], reading['journal verify later']].map((text) => text ?? '');
  return verified.some((text) => text.startsWith('!') || text.includes('"ok":false'));
}

interface Case {
  readonly name: string;
  readonly was: string;
  readonly is: string;
  readonly isFound: boolean;
  /** Everything that such a list may contain. */
  readonly all: string | undefined;
}

function verdictOn(each: Case): Verdict {
  const { name, was, is } = each;
  if (was === is) return 'same';
  if (is.startsWith('!')) return isRefusal(is) ? 'refused' : 'wrong';
  const [kind = ''] = name.split(' ');
  return (verdicts[kind] ?? never)(each);
}

/** By the first word of the query. Results not listed here must be unchanged or refused. */
const verdicts: Readonly<Record<string, (each: Case) => Verdict>> = {
  journal: (each) => {
    if (each.isFound) return 'refused';
    if (each.name === 'journal checkpoints') return lacks(each);
    return each.name === 'journal verify' && endOf(each.is) === endOf(each.was) ? 'forgotten' : 'wrong';
  },
  approval: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  approvals: lacks,
  // Only a hint: claiming a run verifies its state.
  runs: (each) => (each.name === 'runs queued' ? 'forgotten' : lacks(each)),
  // For display only: loaded sessions are sealed.
  sessions: () => 'forgotten',
  answer: ({ is }) => (is.includes('"approved":true') ? 'wrong' : 'forgotten'),
  use: ({ is }) => (is === 'true' ? 'wrong' : 'forgotten'),
  take: ({ is }) => (is === 'nothing' ? 'wrong' : 'forgotten'),
  // Lost; whether it can start over is checked as well.
  run: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  session: ({ is }) => (is === 'nothing' ? 'forgotten' : 'wrong'),
  steps: ({ name, is }) => {
    if (name === 'steps run-waiting' && is === waitingSteps) return 'forgotten';
    return is === '"refused"' ? 'refused' : 'wrong';
  },
};

/** The verification result without signatures: if one is lost, fewer records are reported as signed. */
function endOf(verified: string): string {
  const { ok, count, head } = JSON.parse(verified) as Record<string, unknown>;
  return JSON.stringify([ok, count, head]);
}

function never(): Verdict {
  return 'wrong';
}

/** A list may lack items or contain items of another list, but each item must be correct. */
function lacks({ was, is, all }: Case): Verdict {
  const items = new Set((JSON.parse(all ?? was) as unknown[]).map((item) => JSON.stringify(item)));
  const isPart = (JSON.parse(is) as unknown[]).every((item) => items.has(JSON.stringify(item)));
  return isPart ? 'forgotten' : 'wrong';
}

function cut(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
