/**
 * Only people may answer approvals and make keys, so processes started by an agent are refused (Q06). They are detected by
 * the marks of agents in their own or an ancestor's environment, and by being a descendant of the process that asks.
 */

import { readFileSync } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { relationToAsker } from '../../approvals/signing/process-relation.ts';
import type { ProcessIdentity } from '../../approvals/signing/approval-record.ts';
import { processTree } from '../../approvals/signing/process-tree.ts';
import { agentOf } from '../../files/agent-environment.ts';
import type { CommandEnv } from './command-row.ts';

/** Refuses any process that an agent has started. */
export function refuseAgents(env: CommandEnv): void {
  const own = agentOf(Object.keys(env).filter((name) => env[name] !== undefined));
  if (own !== undefined) throw refusal(`${own.agent} started this process (${own.variable} is set)`);
  // A command can clear its own environment, but not that of its parents.
  for (const { pid, name } of processTree()) {
    const found = agentOf(variablesOf(pid));
    if (found !== undefined) throw refusal(`the parent process ${pid} (${name}) belongs to ${found.agent}`);
    // A command that replaces the marked shell is a child of the coding agent, which has no mark itself.
    if (isCodingAgent(pid)) throw refusal(`the parent process ${pid} (${name}) is a coding agent`);
  }
}

export interface AnswerCheckOptions {
  /** The processes that ask. */
  readonly askers: readonly ProcessIdentity[];
  /** True if the signing key needs a passphrase. That proves a person is present if the process tree does not. */
  readonly isLocked: boolean;
}

/** Refuses answers from descendants of the asking processes, and, without a passphrase, from processes that may be one. */
export function refuseAnswersFromRun({ askers, isLocked }: AnswerCheckOptions): void {
  for (const asker of askers) {
    const place = relationToAsker(asker);
    if (place.type === 'inside') throw refusal(place.why);
    if (place.type === 'unsure' && !isLocked) {
      const hint = 'Answer from a terminal that was open before the run started, or use a key with a passphrase';
      throw refusal(`the run may have started this process: ${place.why}. ${hint}`);
    }
  }
}

const programs = /(?:^|\/)(?:claude|codex|copilot|gemini|opencode)(?:\.(?:exe|[cm]?js))?$/;
const packages = /\/(?:@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli|@github\/copilot|opencode-ai)\//;

/** True if the process runs a coding agent: as a program of its own, or as a script of node or bun. */
function isCodingAgent(pid: number): boolean {
  const [program = '', script = ''] = commandLine(pid);
  if (/\s/.test(program)) return false;
  if (!/(?:^|\/)(?:node|bun)$/.test(program)) return programs.test(program) || packages.test(program);
  return programs.test(script) || packages.test(script);
}

/** Empty on systems without /proc. */
function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** Empty on systems without /proc; the position in the process tree is still checked. */
function variablesOf(pid: number): readonly string[] {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return variables.map((each) => each.slice(0, Math.max(0, each.indexOf('='))));
  } catch {
    return [];
  }
}

function refusal(why: string): BridleError {
  return new BridleError('APPROVAL_REFUSED', `Refused: only a person may do this, not an agent: ${why}.`);
}
