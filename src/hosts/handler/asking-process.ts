/** The process of the host, which must not answer its own questions (Q06). */

import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import { processIdentity, processTree } from '../../approvals/signing/process-tree.ts';

/** Programs between the host and the hook process: the wrapper, and the shell in which hosts start it. */
const shells = /^-?(sh|dash|ash|bash|zsh|ksh|busybox|env)$/;

/** The nearest ancestor that is not a shell. Its descendants include every command that the agent runs. */
export function askingProcess(): ProcessIdentity {
  const host = processTree()
    .slice(1)
    .find(({ name }) => !shells.test(name));
  const own = processIdentity();
  return host === undefined || host.pid === 1 ? own : { ...own, pid: host.pid, started: host.started };
}
