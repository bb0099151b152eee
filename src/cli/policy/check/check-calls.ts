/** Decides calls in order and writes one line of JSON per call. */

import type { Decision, Effect } from '../../../kernel/call.ts';
import type { CheckRequest, LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { isPromise } from '../../../kernel/maybe-promise.ts';
import { decisionLine, invalidLine } from './decision-line.ts';
import type { InputLine } from '../../../files/line-reader.ts';
import { type PolicyExitCode, policyExitCodes } from '../../exit/policy-exit-codes.ts';
import { readCallLine } from './read-call-line.ts';

/** Batches of lines; undefined at the end. */
export interface LineSource {
  next(): readonly InputLine[] | undefined;
}

export interface CheckSession {
  readonly policy: Pick<LoadedPolicy, 'decide' | 'cwd'>;
  /** Returns false if the reader has closed the output. */
  readonly write: (text: string) => boolean;
}

/** The most characters that are collected before they are written. */
const maxBatchLength = 256 * 1024;

export async function checkCalls(lines: LineSource, { policy, write }: CheckSession): Promise<PolicyExitCode> {
  const tally = new ExitCodeTally();
  for (let batch = lines.next(); batch !== undefined; batch = lines.next()) {
    let text = '';
    for (const line of batch) {
      const answer = lineAnswer(line, policy, tally);
      text += typeof answer === 'string' ? answer : await answer;
      if (text.length < maxBatchLength) continue;
      if (!write(text)) return policyExitCodes.brokenPipe;
      text = '';
    }
    // The sender may wait for these answers before it sends more lines.
    if (!write(text)) return policyExitCodes.brokenPipe;
  }
  return tally.code;
}

/** The answer to one line; empty for a blank line. */
function lineAnswer(line: InputLine, policy: CheckSession['policy'], tally: ExitCodeTally): string | Promise<string> {
  const { number, text } = line;
  if (text === undefined) return tally.addInvalid(number, line.problem ?? 'is not readable');
  if (isBlank(text)) return '';
  const { request, problem } = readCallLine(text, policy.cwd);
  return request === undefined ? tally.addInvalid(number, problem) : decideCall(request, policy, tally);
}

function decideCall(
  request: CheckRequest,
  policy: CheckSession['policy'],
  tally: ExitCodeTally,
): string | Promise<string> {
  const decision = policy.decide(request);
  return isPromise(decision) ? decision.then((settled) => tally.addDecision(settled)) : tally.addDecision(decision);
}

function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== 0x7b && text.trim() === '';
}

/** Collects the exit code over all answers. */
class ExitCodeTally {
  private readonly seen: Record<Effect, boolean> = { allow: false, ask: false, deny: false };
  private hasInvalid = false;

  addDecision(decision: Decision): string {
    this.seen[decision.effect] = true;
    return decisionLine(decision);
  }

  addInvalid(number: number, problem: string): string {
    this.hasInvalid = true;
    return invalidLine(number, problem);
  }

  get code(): PolicyExitCode {
    if (this.hasInvalid) return policyExitCodes.invalid;
    if (this.seen.deny) return policyExitCodes.findings;
    return this.seen.ask ? policyExitCodes.asks : policyExitCodes.ok;
  }
}
