/** Answers calls in their order, one line for each. */

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
  /** False if nobody reads any more. */
  readonly write: (text: string) => boolean;
}

/** So much is written at once at most. */
const maxBatchLength = 256 * 1024;

export async function checkCalls(lines: LineSource, { policy, write }: CheckSession): Promise<PolicyExitCode> {
  const tally = new ExitCodeTally();
  for (let batch = lines.next(); batch !== undefined; batch = lines.next()) {
    let text = '';
    for (const line of batch) {
      const answered = lineAnswer(line, policy, tally);
      text += typeof answered === 'string' ? answered : await answered;
      if (text.length < maxBatchLength) continue;
      if (!write(text)) return policyExitCodes.brokenPipe;
      text = '';
    }
    // Whoever sent these lines may wait for their answers before it sends more.
    if (!write(text)) return policyExitCodes.brokenPipe;
  }
  return tally.code;
}

/** The text for one line: none for a blank one. */
function lineAnswer(line: InputLine, policy: CheckSession['policy'], tally: ExitCodeTally): string | Promise<string> {
  const { number, text } = line;
  if (text === undefined) return tally.addInvalid(number, line.problem ?? 'cannot be read');
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

/** What was answered so far. */
class ExitCodeTally {
  private readonly seen: Record<Effect, boolean> = { allow: false, ask: false, deny: false };
  private isBad = false;

  addDecision(decision: Decision): string {
    this.seen[decision.effect] = true;
    return decisionLine(decision);
  }

  addInvalid(number: number, problem: string): string {
    this.isBad = true;
    return invalidLine(number, problem);
  }

  get code(): PolicyExitCode {
    if (this.isBad) return policyExitCodes.invalid;
    if (this.seen.deny) return policyExitCodes.findings;
    return this.seen.ask ? policyExitCodes.asks : policyExitCodes.ok;
  }
}
