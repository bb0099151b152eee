/** `bridle diff`: calls about which two policies decide differently. */

import {
  diffPolicies,
  type FlipSide,
  type PolicyDiff,
  type PolicyFlip,
  type UnshownRule,
} from '../documents/diff-policies.ts';
import type { LoadedPolicy } from '../documents/loaded-policy.ts';
import { answerText, callText } from './call-text.ts';
import type { CommandReport } from './command-report.ts';
import { counted } from './counted.ts';
import type { Paint } from './paint.ts';
import { policyExitCodes } from './policy-exit-codes.ts';

export async function diff(before: LoadedPolicy, after: LoadedPolicy): Promise<CommandReport> {
  const report = await diffPolicies(before, after);
  const { flips, unshown } = report;
  return {
    code: flips.length + unshown.length > 0 ? policyExitCodes.found : policyExitCodes.ok,
    data: { before: before.files, after: after.files, ...report },
    lines: (paint) => [
      ...flips.flatMap((flip) => flipLines(flip, paint)),
      ...unshown.map((rule) => unshownLine(rule, paint)),
      summaryLine(report),
    ],
  };
}

function unshownLine({ side, rule, at }: UnshownRule, paint: Paint): string {
  const what = side === 'before' ? 'is gone or changed' : 'is new or changed';
  return `${paint('warn', 'unshown ')} ${rule} (${at}) ${what}, and no call was found that shows it`;
}

function flipLines({ call, before, after, change, similar }: PolicyFlip, paint: Paint): readonly string[] {
  const tone = change === 'looser' ? 'warn' : 'plain';
  const more = similar === 0 ? '' : paint('dim', `  and ${similar} more like it`);
  return [
    `${paint(tone, change.padEnd(8))} ${callText(call)}${more}`,
    `    before ${sideText(before)}`,
    `    after  ${sideText(after)}`,
  ];
}

function sideText({ decision, rule, reason = '' }: FlipSide): string {
  return answerText({ effect: decision, rule, reason });
}

function summaryLine({ summary }: PolicyDiff): string {
  const { calls, stricter, looser, complete, cut } = summary;
  const scope = complete ? 'no other call can change' : 'conditions are tried out with calls made from them, not all';
  const most = cut ? '; there were more calls to try' : '';
  const changes = stricter + looser === 0 ? 'nothing changes' : `${stricter} stricter, ${looser} looser`;
  return `${changes}, over ${counted(calls, 'call')}; ${scope}${most}`;
}
