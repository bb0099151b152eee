/** Refuses takings that make no sense: a limit that is no number would be one that is never reached. */

import { BridleError } from '../../errors.ts';
import type { Amounts, Taking } from './counters.ts';

const longest = 200;

export function checkTaking({ account, amounts, spent = {}, limits = {}, rates = {}, hold }: Taking): void {
  checkAccount(account);
  checkAmounts('amounts', amounts);
  checkAmounts('spent', spent);
  checkAmounts('limits', limits);
  for (const [kind, { max, perMs }] of Object.entries(rates)) {
    if (!Number.isSafeInteger(max) || max < 1 || !Number.isFinite(perMs) || perMs <= 0) {
      throw refused(`the rate of ${kind} is not { max: a whole number from 1 up, perMs: milliseconds above 0 }`);
    }
  }
  if (hold === undefined) return;
  checkAmounts('hold.most', hold.most);
  checkAmounts('hold.presumed', hold.presumed);
  if (hold.id === '' || !Number.isFinite(hold.ms) || hold.ms <= 0) {
    throw refused('hold is not { id: a text, ms: milliseconds above 0, … }');
  }
}

export function checkAccount(account: unknown): void {
  if (typeof account === 'string' && account !== '' && account.length <= longest) return;
  throw refused(`account is not a text of 1 to ${longest} characters`);
}

export function checkAmounts(what: string, amounts: Amounts, { mayBeNegative = false } = {}): void {
  for (const [kind, amount] of Object.entries(amounts)) {
    if (kind === '__proto__') throw refused(`${what} names a kind "${kind}"`);
    if (Number.isFinite(amount) && (mayBeNegative || amount >= 0)) continue;
    throw refused(`${what}.${kind} is ${String(amount)}, not a number${mayBeNegative ? '' : ' from 0 up'}`);
  }
}

function refused(problem: string): BridleError {
  return new BridleError('OPTION_INVALID', `counters: ${problem}`);
}
