/** Reads the answer that the options of `approve` and `deny` give. */

import type { RememberDuration } from '../../kernel/approval.ts';
import type { ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { usageError } from '../command/command-row.ts';
import { readArgs } from '../command/read-input.ts';
import type { StoreFlags } from '../command/store-options.ts';

export interface AnswerFlags extends StoreFlags {
  readonly args?: string | undefined;
  readonly reason?: string | undefined;
  readonly rule?: boolean | undefined;
  readonly remember?: string | undefined;
  readonly as?: string | undefined;
  readonly digest?: string | undefined;
  readonly yes?: boolean | undefined;
}

export function readAnswerFlags(type: ApproverAnswer['type'], flags: AnswerFlags): ApproverAnswer {
  const remember = flags.remember === undefined ? undefined : readSpan(flags.remember);
  if (type === 'deny') return { type, reason: flags.reason, remember };
  if (flags.rule === true && remember === undefined)
    throw usageError('--rule needs --remember: for how long should the rule apply?');
  const args = flags.args === undefined ? undefined : readArgs(flags.args);
  if (args !== undefined && remember !== undefined) {
    throw usageError('--args and --remember cannot be combined: an edited call is approved once');
  }
  return { type, args, remember, rule: flags.rule };
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `turn`, `session`, `90s`, `30m`, `2h`, `7d`. */
function readSpan(given: string): RememberDuration {
  if (given === 'turn' || given === 'session') return given;
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(given) ?? [];
  if (count === '')
    throw usageError(
      `--remember must be turn, session, or a duration such as 30m, 2h, 7d, not ${JSON.stringify(given)}`,
    );
  return { ms: Number(count) * units[unit as keyof typeof units] };
}
