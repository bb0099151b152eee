/** Which commands of a line no allow rule covers: why a call is asked about that no rule decides. */

import { conditionParts } from '../../../policy-files/cel/syntax/condition-parts.ts';
import type { PolicyFileRule } from '../../../policy-files/policy-file.ts';
import type { LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { runsOnlyText } from '../../../facts/shell/conditions/call-facts.ts';
import type { CommandFacts } from './command-facts.ts';

/** Marks the commands that `runsOnly` of no allow rule covers. Those with words that are not literal stay unmarked. */
export function markUncovered(
  commands: readonly CommandFacts[],
  { layers }: Pick<LoadedPolicy, 'layers'>,
): readonly CommandFacts[] {
  const entries = layers.flatMap(({ policyFile }) => policyFile.rules.flatMap(runsOnlyEntries));
  if (entries.length === 0) return commands;
  return commands.map((facts) => ({
    ...facts,
    runs: facts.runs.map((run) => {
      const isWhole = run.via.length === 0 && !run.command.includes('…');
      return isWhole && runsOnlyText(run.command, entries) === false ? { ...run, uncovered: true } : run;
    }),
  }));
}

function runsOnlyEntries({ effect, shadow, when }: PolicyFileRule): readonly string[] {
  if (effect !== 'allow' || shadow === true || when === undefined) return [];
  return conditionParts(when.text).flatMap((part) =>
    part.type === 'fact' && part.name === 'runsOnly' && !part.negated ? part.entries : [],
  );
}
