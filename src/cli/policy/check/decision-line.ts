import type { Decision } from '../../../kernel/call.ts';
import { safeJson } from '../../../terminal/output/safe-text.ts';

const plain = /^[\x20-\x7e]*$/;

/** The answer to one call as a line of JSON. */
export function decisionLine({ effect, rule, reason, uncertainty: unsure }: Decision): string {
  const { name = null, at = null } = rule ?? {};
  return lineOf({ decision: effect, rule: name, reason, at, ...(unsure === undefined ? {} : { unsure }) });
}

/** The answer to a line that holds no call: nothing is allowed by it. */
export function invalidLine(number: number, error: string): string {
  const reason = `Line ${number} ${error}${error.endsWith('?') ? '' : '.'}`;
  return lineOf({ decision: 'deny', rule: null, reason, at: null, error, line: number });
}

function lineOf(answer: object): string {
  const json = JSON.stringify(answer);
  return `${plain.test(json) ? json : safeJson(answer)}\n`;
}
