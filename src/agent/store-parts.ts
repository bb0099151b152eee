/** What a store gives the guard of an agent: the journal, the approver, and the book of remembered answers. */

import type { GuardOptions } from '../guard/guard.ts';
import { type AskingRun, storeApprover } from '../store/store-approver.ts';
import type { AgentOptions } from './options.ts';

/** Where nobody sits in front of it, a question may be answered as late as this. */
const storeAskMs = 24 * 60 * 60 * 1000;

export type StoreParts = Pick<GuardOptions, 'approver' | 'journal' | 'answers' | 'askTimeoutMs'>;

export function storeParts(options: AgentOptions, runs: ReadonlyMap<string, AskingRun>): StoreParts {
  const { store, approver, journal, askTimeoutMs, answerers } = options;
  if (store === undefined) return { approver, journal, askTimeoutMs };
  return {
    approver: storeApprover(store, { beside: approver, runOf: (session) => runs.get(session), answerers }),
    journal: journal ?? store.journal,
    answers: store.answers,
    askTimeoutMs: askTimeoutMs ?? (approver === undefined ? storeAskMs : undefined),
  };
}
