/** The guard options that come from a store, and the rules that protect the store from the agent. */

import { createHmac } from 'node:crypto';
import { ruleProposals } from '../../approvals/proposals/rule-proposals.ts';
import { rememberAnswers } from '../../approvals/remember-answers.ts';
import type { Mask } from '../../kernel/approval.ts';
import { storeRules } from '../../policy-files/own-file-rules.ts';
import type { GuardOptions } from '../../kernel/guard/guard-options.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { type SessionRun, storeApprover } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { AgentOptions } from '../options/agent-options.ts';

/** The default approval timeout if approvals are answered only through the store. */
const storeAskTimeoutMs = 7 * 24 * 60 * 60 * 1000;

export interface StoreParts {
  readonly options: Pick<GuardOptions, 'approver' | 'journal' | 'askTimeoutMs' | 'mask' | 'keyspace'>;
  /** Rules that forbid the agent to touch the store and its keys, regardless of its policy. */
  readonly rules: Rules;
}

/** The options that concern the store. */
export type StorePartsOptions = Pick<
  AgentOptions,
  'store' | 'approver' | 'journal' | 'askTimeoutMs' | 'answerers' | 'mask'
>;

export function createStoreParts(options: StorePartsOptions, runs: ReadonlyMap<string, SessionRun>): StoreParts {
  const { store, approver, journal, askTimeoutMs, answerers } = options;
  const mask = maskOf(options);
  const proposals = ruleProposals();
  if (store === undefined) {
    const remembering = approver && rememberAnswers(approver, { proposals });
    return { options: { approver: remembering, journal, askTimeoutMs, mask }, rules: [] };
  }
  const runOf = (session: string): SessionRun | undefined => runs.get(session);
  return {
    options: {
      approver: storeApprover(store, { alsoAsk: approver, runOf, answerers, mask, proposals }),
      journal: journal ?? store.journal,
      askTimeoutMs: askTimeoutMs ?? (approver === undefined ? storeAskTimeoutMs : undefined),
      mask,
      keyspace: keyspaceOf(store, runs),
    },
    rules: storeRules({ files: store.files, keys: store.keys.folder }),
  };
}

/** Prefixes idempotency keys, so that a run, a session of the same id, and other namespaces never share a key. */
function keyspaceOf({ keys, namespace }: Store, runs: ReadonlyMap<string, unknown>): (session: string) => string {
  const prefixOf = (kind: string): string => {
    const hash = createHmac('sha256', keys.secret('idempotency')).update(JSON.stringify([namespace, kind]));
    return `${hash.digest('hex').slice(0, 16)}/`;
  };
  const [runPrefix, sessionPrefix] = [prefixOf('run'), prefixOf('session')];
  return (session) => (runs.has(session) ? runPrefix : sessionPrefix);
}

/** With the store's key, the same secret gets the same mask in every process. */
function maskOf({ mask, store }: StorePartsOptions): Mask | undefined {
  return mask === false ? undefined : (mask ?? maskSecrets({ key: store?.keys.secret('masks') }));
}
