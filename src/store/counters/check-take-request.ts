/** Refuses takings that make no sense: a limit that is no number would be one that is never reached. */

import { BridleError } from '../../kernel/errors.ts';
import type { Amounts, TakeRequest } from './counters.ts';

const maxNameLength = 200;

export function checkTakeRequest({ account, amounts, spent = {}, limits = {}, rates = {}, hold }: TakeRequest): void {
  checkAccount(account);
  checkAmounts('amounts', amounts);
  checkAmounts('spent', spent);
  checkAmounts('limits', limits);
  for (const [kind, { max, perMs }] of Object.entries(rates)) {
    if (!Number.isSafeInteger(max) || max < 1 || !Number.isFinite(perMs) || perMs <= 0) {
      throw invalidRequest(`the rate of ${kind} is not { max: a whole number from 1 up, perMs: milliseconds above 0 }`);
    }
  }
  if (hold === undefined) return;
  checkAmounts('hold.most', hold.most);
  checkAmounts('hold.presumed', hold.presumed);
  if (hold.id === '' || !Number.isFinite(hold.ms) || hold.ms <= 0) {
    throw invalidRequest('hold is not { id: a text, ms: milliseconds above 0, … }');
  }
}

export function checkAccount(account: unknown): void {
  if (typeof account === 'string' && account !== '' && account.length <= maxNameLength) return;
  throw invalidRequest(`account is not a text of 1 to ${maxNameLength} characters`);
}

export function checkAmounts(what: string, amounts: Amounts, { mayBeNegative = false } = {}): void {
  for (const [kind, amount] of Object.entries(amounts)) {
    if (kind === '__proto__') throw invalidRequest(`${what} names a kind "${kind}"`);
    if (Number.isFinite(amount) && (mayBeNegative || amount >= 0)) continue;
    throw invalidRequest(`${what}.${kind} is ${String(amount)}, not a number${mayBeNegative ? '' : ' from 0 up'}`);
  }
}

function invalidRequest(problem: string): BridleError {
  return new BridleError('OPTION_INVALID', `counters: ${problem}`);
}
