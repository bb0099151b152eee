/** Answers calls in their order, one line for each. */

import type { Decision, Effect } from '../call.ts';
import type { CheckRequest, LoadedPolicy } from '../documents/loaded-policy.ts';
import { isPromise } from '../maybe-promise.ts';
import { answerLine, badLine } from './answer-line.ts';
import type { InputLine } from './json-lines.ts';
import { type PolicyExitCode, policyExitCodes } from './policy-exit-codes.ts';
import { readCallLine } from './read-call-line.ts';

/** Batches of lines; undefined at the end. */
export interface LineSource {
  next(): readonly InputLine[] | undefined;
}

export interface CheckRun {
  readonly policy: Pick<LoadedPolicy, 'decide' | 'cwd'>;
  /** False if nobody reads any more. */
  readonly write: (text: string) => boolean;
}

/** So much is written at once at most. */
const mostCharacters = 256 * 1024;

export async function checkCalls(lines: LineSource, { policy, write }: CheckRun): Promise<PolicyExitCode> {
  const tally = new Tally();
  for (let batch = lines.next(); batch !== undefined; batch = lines.next()) {
    let text = '';
    for (const line of batch) {
      const answered = answer(line, policy, tally);
      text += typeof answered === 'string' ? answered : await answered;
      if (text.length < mostCharacters) continue;
      if (!write(text)) return policyExitCodes.unread;
      text = '';
    }
    // Whoever sent these lines may wait for their answers before it sends more.
    if (!write(text)) return policyExitCodes.unread;
  }
  return tally.code;
}

/** The text for one line: none for a blank one. */
function answer(line: InputLine, policy: CheckRun['policy'], tally: Tally): string | Promise<string> {
  const { number, text } = line;
  if (text === undefined) return tally.bad(number, line.problem ?? 'cannot be read');
  if (isBlank(text)) return '';
  const { request, problem } = readCallLine(text, policy.cwd);
  return request === undefined ? tally.bad(number, problem) : decided(request, policy, tally);
}

function decided(request: CheckRequest, policy: CheckRun['policy'], tally: Tally): string | Promise<string> {
  const decision = policy.decide(request);
  return isPromise(decision) ? decision.then((settled) => tally.answer(settled)) : tally.answer(decision);
}

function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== 0x7b && text.trim() === '';
}

/** What was answered so far. */
class Tally {
  private readonly seen: Record<Effect, boolean> = { allow: false, ask: false, deny: false };
  private isBad = false;

  answer(decision: Decision): string {
    this.seen[decision.effect] = true;
    return answerLine(decision);
  }

  bad(number: number, problem: string): string {
    this.isBad = true;
    return badLine(number, problem);
  }

  get code(): PolicyExitCode {
    if (this.isBad) return policyExitCodes.bad;
    if (this.seen.deny) return policyExitCodes.found;
    return this.seen.ask ? policyExitCodes.asks : policyExitCodes.ok;
  }
}
