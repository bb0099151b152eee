/**
 * Who sits here. Answers and keys are for people, so whatever an agent has started is refused (Q06): by the mark in its
 * environment or in that of a process above it, and by its place below the process that asks.
 */

import { readFileSync } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { relationToAsker } from '../../approvals/signing/process-relation.ts';
import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import { processTree } from '../../approvals/signing/process-tree.ts';
import { agentVariable } from '../../files/agent-environment.ts';
import type { CommandEnv } from '../options/store-options.ts';

/** Refuses what an agent has started, whoever asks what. */
export function refuseAgents(env: CommandEnv): void {
  if (env[agentVariable] !== undefined) throw refusal(`${agentVariable} is set: this was started by an agent`);
  // A command can empty its own environment, not that of whoever started it.
  const marked = processTree().find(({ pid }) => isMarked(pid));
  if (marked !== undefined)
    throw refusal(`process ${marked.pid} (${marked.name}), above this one, belongs to an agent`);
}

export interface AnswerCheckOptions {
  /** Those that ask. */
  readonly askers: readonly ProcessIdentity[];
  /** True: the key that signs needs a passphrase, which is proof enough of a person where the place is not. */
  readonly isLocked: boolean;
}

/** Refuses answers from below those that ask; and, without a passphrase, where that cannot be told. */
export function refuseAnswersFromRun({ askers, isLocked }: AnswerCheckOptions): void {
  for (const asker of askers) {
    const place = relationToAsker(asker);
    if (place.type === 'inside') throw refusal(place.why);
    if (place.type === 'unsure' && !isLocked) {
      const hint = 'Answer from a terminal that was there before, or with a key that has a passphrase';
      throw refusal(`it cannot be told that the run has not started this: ${place.why}. ${hint}`);
    }
  }
}

/** Where the system does not tell, nothing is marked; the place of the process still counts. */
function isMarked(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .some((each) => each.startsWith(`${agentVariable}=`));
  } catch {
    return false;
  }
}

function refusal(why: string): BridleError {
  return new BridleError('APPROVAL_REFUSED', `This is for people, not for the agents it is about: ${why}.`);
}
