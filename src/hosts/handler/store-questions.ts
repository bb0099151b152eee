/** Questions of a session of a host. Hook processes end before a person answers, so the questions are in the store. */

import { ruleProposals } from '../../approvals/proposals/rule-proposals.ts';
import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import { processIdentity, processTree } from '../../approvals/signing/process-tree.ts';
import type { Approver, Mask } from '../../kernel/approval.ts';
import { lazy } from '../../kernel/lazy.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { storeApprover } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { HostEvent } from '../host.ts';
import type { HandlerOptions } from './host-policy.ts';

/** Questions stay open after this process: an answer counts for the next call with the same args. */
export function storeQuestions(store: Store, { session }: HostEvent, { host, deadline }: HandlerOptions): Approver {
  const run = { id: `${host}:${session}`, stopWaiting: deadline, isResumed: () => false, triesAgain: true };
  // Most calls are not asked about.
  const made = lazy(() => maskSecrets({ key: store.keys.secret('masks') }));
  const mask: Mask = (value) => made()(value);
  return storeApprover(store, { runOf: () => run, mask, proposals: ruleProposals(), asker: askingProcess });
}

/** Programs between the host and the hook process: the wrapper, which is named like its file, and shells. */
const shells = /^-?(?:sh|dash|ash|bash|zsh|ksh|busybox|env|hook(?:-.*)?)$/;

/** The nearest ancestor that is not a shell. Its descendants include every command that the agent runs. */
function askingProcess(): ProcessIdentity {
  const host = processTree()
    .slice(1)
    .find(({ name }) => !shells.test(name));
  const own = processIdentity();
  return host === undefined || host.pid === 1 ? own : { ...own, pid: host.pid, started: host.started };
}
