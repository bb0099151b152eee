/** Refuses invalid requests: a limit that is not a number would never be reached. */

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
      throw invalidRequest(
        `the rate of ${kind} must be { max: an integer of at least 1, perMs: milliseconds above 0 }`,
      );
    }
  }
  if (hold === undefined) return;
  checkAmounts('hold.most', hold.most);
  checkAmounts('hold.presumed', hold.presumed);
  if (hold.id === '' || !Number.isFinite(hold.ms) || hold.ms <= 0) {
    throw invalidRequest('hold must be { id: a string, ms: milliseconds above 0, … }');
  }
}

export function checkAccount(account: unknown): void {
  if (typeof account === 'string' && account !== '' && account.length <= maxNameLength) return;
  throw invalidRequest(`account must be a string of 1 to ${maxNameLength} characters`);
}

export function checkAmounts(what: string, amounts: Amounts, { mayBeNegative = false } = {}): void {
  for (const [kind, amount] of Object.entries(amounts)) {
    if (kind === '__proto__') throw invalidRequest(`${what} must not have a kind named "${kind}"`);
    if (Number.isFinite(amount) && (mayBeNegative || amount >= 0)) continue;
    throw invalidRequest(
      `${what}.${kind} must be a number${mayBeNegative ? '' : ' of at least 0'}, not ${String(amount)}`,
    );
  }
}

function invalidRequest(problem: string): BridleError {
  return new BridleError('OPTION_INVALID', `counters: ${problem}`);
}
