/** `bridle diff`: lists calls that two policies decide differently. */

import { resolve } from 'node:path';
import {
  diffPolicies,
  type DecisionSide,
  type PolicyDiff,
  type DecisionChange,
  type ChangedRule,
} from '../../policy-files/diff/diff-policies.ts';
import { callText, countText, decisionText } from '../command/call-text.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { loadPolicyAlone, type PolicyOptions } from '../command/policy-options.ts';
import type { Paint } from '../../terminal/output/paint.ts';

export async function diffCommand({ positionals, options, env }: Invocation<PolicyOptions>): Promise<CommandReport> {
  const [oldFile = '', newFile = ''] = positionals;
  // Comparing a file with itself would always report no differences.
  if (resolve(oldFile) === resolve(newFile))
    throw usageError(`both policies are ${JSON.stringify(newFile)}: name an older and a newer version`);
  const before = loadPolicyAlone({ ...options, policy: oldFile }, env);
  const after = loadPolicyAlone({ ...options, policy: newFile }, env);
  const report = await diffPolicies(before, after);
  const { flips, unshown } = report;
  return {
    code: flips.length + unshown.length > 0 ? exitCodes.negative : exitCodes.ok,
    data: {
      before: before.files,
      after: after.files,
      hooks: { before: before.hookModules, after: after.hookModules },
      ...report,
    },
    lines: (paint) => [
      ...flips.flatMap((flip) => changeLines(flip, paint)),
      ...unshown.map((rule) => unshownLine(rule, paint)),
      summaryLine(report),
    ],
  };
}

function unshownLine({ side, rule, at, change }: ChangedRule, paint: Paint): string {
  const what = side === 'before' ? 'was removed or changed' : 'is new or changed';
  const effect = change === 'stricter' ? 'it can only make decisions stricter' : 'it may make decisions looser';
  const tone = change === 'stricter' ? 'plain' : 'warn';
  return `${paint(tone, 'unshown ')} ${rule} (${at}) ${what}; no example call shows the effect, and ${effect}`;
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
