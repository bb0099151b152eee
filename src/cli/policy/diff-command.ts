/** `bridle diff`: lists calls that two policies decide differently. */

import {
  diffPolicies,
  type DecisionSide,
  type PolicyDiff,
  type DecisionChange,
  type ChangedRule,
} from '../../policy-files/diff/diff-policies.ts';
import type { LoadedPolicy } from '../../policy-files/loaded-policy.ts';
import { decisionText, callText } from '../output/call-text.ts';
import type { CommandReport } from '../output/command-report.ts';
import { countText } from '../output/count-text.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { policyExitCodes } from '../exit/policy-exit-codes.ts';

export async function runDiff(before: LoadedPolicy, after: LoadedPolicy): Promise<CommandReport> {
  const report = await diffPolicies(before, after);
  const { flips, unshown } = report;
  return {
    code: flips.length + unshown.length > 0 ? policyExitCodes.findings : policyExitCodes.ok,
    data: { before: before.files, after: after.files, ...report },
    lines: (paint) => [
      ...flips.flatMap((flip) => changeLines(flip, paint)),
      ...unshown.map((rule) => unshownLine(rule, paint)),
      summaryLine(report),
    ],
  };
}

function unshownLine({ side, rule, at }: ChangedRule, paint: Paint): string {
  const what = side === 'before' ? 'was removed or changed' : 'is new or changed';
  return `${paint('warn', 'unshown ')} ${rule} (${at}) ${what}, but no example call shows the difference`;
}

function changeLines({ call, before, after, change, similar }: DecisionChange, paint: Paint): readonly string[] {
  const tone = change === 'looser' ? 'warn' : 'plain';
  const more = similar === 0 ? '' : paint('dim', `  and ${similar} more like it`);
  return [
    `${paint(tone, change.padEnd(8))} ${callText(call)}${more}`,
    `    before ${sideText(before)}`,
    `    after  ${sideText(after)}`,
  ];
}

function sideText({ decision, rule, reason = '' }: DecisionSide): string {
  return decisionText({ effect: decision, rule, reason });
}

function summaryLine({ summary }: PolicyDiff): string {
  const { calls, stricter, looser, complete, cut } = summary;
  const scope = complete
    ? 'no other call can change'
    : 'conditions are tested with example calls, so others may change';
  const limit = cut ? '; some example calls were skipped' : '';
  const changes = stricter + looser === 0 ? 'nothing changes' : `${stricter} stricter, ${looser} looser`;
  return `${changes} in ${countText(calls, 'call')}; ${scope}${limit}`;
}
