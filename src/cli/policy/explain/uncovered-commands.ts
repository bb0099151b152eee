/** Finds the commands that no allow rule covers, to explain why no rule decides a call. */

import { conditionParts } from '../../../policy-files/cel/syntax/condition-parts.ts';
import type { PolicyFileRule } from '../../../policy-files/policy-file.ts';
import type { LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { lineRunsOnly } from '../../../facts/shell/conditions/call-facts.ts';
import type { CommandFacts } from './command-facts.ts';

/** Marks commands that no allow rule's `runsOnly` covers. Commands with non-literal words stay unmarked. */
export function markUncovered(
  commands: readonly CommandFacts[],
  { layers }: Pick<LoadedPolicy, 'layers'>,
): readonly CommandFacts[] {
  const entries = layers.flatMap(({ policyFile }) => policyFile.rules.flatMap(runsOnlyEntries));
  if (entries.length === 0) return commands;
  return commands.map((facts) => ({
    ...facts,
    runs: facts.runs.map((run) => {
      const isLiteral = run.via.length === 0 && !run.command.includes('…');
      return isLiteral && lineRunsOnly(run.command, entries) === false ? { ...run, uncovered: true } : run;
    }),
  }));
}

function runsOnlyEntries({ effect, shadow, when }: PolicyFileRule): readonly string[] {
  if (effect !== 'allow' || shadow === true || when === undefined) return [];
  return conditionParts(when.text).flatMap((part) =>
    part.type === 'fact' && part.name === 'runsOnly' && !part.negated ? part.entries : [],
  );
}
