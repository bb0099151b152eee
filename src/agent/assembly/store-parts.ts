/** What a store gives the guard of an agent, and what keeps an agent's hands off it. */

import { createHmac } from 'node:crypto';
import type { Mask } from '../../kernel/approval.ts';
import { storeRules } from '../../policy-files/own-file-rules.ts';
import type { GuardOptions } from '../../kernel/guard/guard.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { type SessionRun, storeApprover } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { AgentOptions } from '../options/agent-options.ts';

/** Where nobody sits in front of it, a question may be answered as late as this. */
const storeAskTimeoutMs = 7 * 24 * 60 * 60 * 1000;

export interface StoreParts {
  readonly options: Pick<GuardOptions, 'approver' | 'journal' | 'answers' | 'askTimeoutMs' | 'mask' | 'keyspace'>;
  /** The store and its keys are not for the agent, whatever its policy says. */
  readonly rules: Rules;
}

export function createStoreParts(options: AgentOptions, runs: ReadonlyMap<string, SessionRun>): StoreParts {
  const { store, approver, journal, askTimeoutMs, answerers } = options;
  const mask = maskOf(options);
  if (store === undefined) return { options: { approver, journal, askTimeoutMs, mask }, rules: [] };
  return {
    options: {
      approver: storeApprover(store, { alsoAsk: approver, runOf: (session) => runs.get(session), answerers, mask }),
      journal: journal ?? store.journal,
      answers: store.answers,
      askTimeoutMs: askTimeoutMs ?? (approver === undefined ? storeAskTimeoutMs : undefined),
      mask,
      keyspace: keyspaceOf(store, runs),
    },
    rules: storeRules({ files: store.files, keys: store.keys.folder }),
  };
}

/** A run, and a session of the same name, and both in every namespace: none of them may take the others' keys for its own. */
function keyspaceOf({ keys, namespace }: Store, runs: ReadonlyMap<string, unknown>): (session: string) => string {
  const startOf = (kind: string): string => {
    const hash = createHmac('sha256', keys.secret('idempotency')).update(JSON.stringify([namespace, kind]));
    return `${hash.digest('hex').slice(0, 16)}/`;
  };
  const [ofRuns, ofSessions] = [startOf('run'), startOf('session')];
  return (session) => (runs.has(session) ? ofRuns : ofSessions);
}

/** With the key of the store, masks of two processes can be compared. */
function maskOf({ mask, store }: AgentOptions): Mask | undefined {
  return mask === false ? undefined : (mask ?? maskSecrets({ key: store?.keys.secret('masks') }));
}
