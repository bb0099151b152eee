/** Checks the options that a shared budget depends on: a store for the counters, and a maximum length for answers. */

import type { JsonObject } from '../../kernel/json.ts';
import type { AgentOptions } from './agent-options.ts';

export function sharedBudgetProblems({ budget, store, settings, subagents = {} }: AgentOptions): readonly string[] {
  const { shared, perTurn, perSession } = budget ?? {};
  if (shared === undefined) return [];
  const problems: string[] = [];
  if (store === undefined) {
    problems.push('option "budget.shared" needs a store: createAgent({ store: await openStore() })');
  }
  const limited = (['outputTokens', 'cost'] as const).find((each) => shared.limits?.[each] !== undefined);
  const isBounded = perTurn?.outputTokens !== undefined || perSession?.outputTokens !== undefined;
  if (limited === undefined || isBounded) return problems;
  const settingsByPath: readonly (readonly [string, JsonObject | undefined])[] = [
    ['settings', settings],
    ...Object.entries(subagents).map(([name, subagent]) => [`subagents.${name}.settings`, subagent.settings] as const),
  ];
  for (const [path, each] of settingsByPath) {
    if (each?.['maxOutputTokens'] !== undefined) continue;
    const why = 'tokens are reserved before each model call, so every answer needs a maximum length';
    problems.push(`option "budget.shared.limits.${limited}" needs "${path}.maxOutputTokens": ${why}`);
  }
  return problems;
}
