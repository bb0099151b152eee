/** What a shared budget needs of the other options: a store to be counted in, and answers that have a bound. */

import type { JsonObject } from '../../kernel/json.ts';
import type { AgentOptions } from './agent-options.ts';

export function sharedBudgetProblems({ budget, store, settings, subagents = {} }: AgentOptions): readonly string[] {
  const { shared, perTurn, perSession } = budget ?? {};
  if (shared === undefined) return [];
  const problems: string[] = [];
  if (store === undefined) {
    problems.push(
      'option "budget" has a field "shared", which needs a store: createAgent({ store: await openStore() })',
    );
  }
  const kind = (['outputTokens', 'cost'] as const).find((each) => shared.limits?.[each] !== undefined);
  const isBounded = perTurn?.outputTokens !== undefined || perSession?.outputTokens !== undefined;
  if (kind === undefined || isBounded) return problems;
  const settingsByPath: readonly (readonly [string, JsonObject | undefined])[] = [
    ['settings', settings],
    ...Object.entries(subagents).map(([name, of]) => [`subagents.${name}.settings`, of.settings] as const),
  ];
  for (const [place, of] of settingsByPath) {
    if (of?.['maxOutputTokens'] !== undefined) continue;
    const why = 'an answer that has no bound cannot be counted before it is there';
    problems.push(`option "budget" limits "shared.limits.${kind}", which needs ${place}.maxOutputTokens: ${why}`);
  }
  return problems;
}
