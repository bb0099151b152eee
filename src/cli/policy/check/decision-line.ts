import type { Decision } from '../../../kernel/call.ts';
import { safeJson } from '../../../terminal/output/safe-text.ts';

const printableAscii = /^[\x20-\x7e]*$/;

/** The decision on one call as a line of JSON. */
export function decisionLine({ effect, rule, reason, uncertainty: unsure }: Decision): string {
  const { name = null, at = null } = rule ?? {};
  return lineOf({ decision: effect, rule: name, reason, at, ...(unsure === undefined ? {} : { unsure }) });
}

/** The answer to an invalid line: it is denied. */
export function invalidLine(number: number, error: string): string {
  const reason = `Line ${number} ${error}${error.endsWith('?') ? '' : '.'}`;
  return lineOf({ decision: 'deny', rule: null, reason, at: null, error, line: number });
}

function lineOf(answer: object): string {
  const json = JSON.stringify(answer);
  return `${printableAscii.test(json) ? json : safeJson(answer)}\n`;
}
