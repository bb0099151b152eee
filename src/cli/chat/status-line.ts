import type { Agent } from '../../agent/agent.ts';
import type { TurnResult } from '../../agent/turn/state/turn-result.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';

/** What a session may use, as far as the command line bounds it. */
export interface SessionLimits {
  readonly maxCost: number | undefined;
  readonly maxSteps: number | undefined;
}

/** Turn, tokens, cost, budget: what a person wants to know after each turn. */
export function statusLine(result: TurnResult, agent: Pick<Agent, 'usage'>, bounds: SessionLimits): string {
  const { total, cost } = agent.usage;
  return [
    `turn ${result.turn}`,
    `tokens ${tokensText(result.usage)}, session ${tokensText(total)}`,
    `cost ${dollarsText(cost)}`,
    `budget ${limitsText(bounds)}`,
  ].join(' · ');
}

export function tokensText({ inputTokens, outputTokens }: Usage): string {
  return `${count(inputTokens)} in ${count(outputTokens)} out`;
}

export function dollarsText(cost: number | undefined): string {
  return cost === undefined ? 'unknown' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

export function limitsText({ maxCost, maxSteps }: SessionLimits): string {
  const bounds = [
    ...(maxCost === undefined ? [] : [dollarsText(maxCost)]),
    ...(maxSteps === undefined ? [] : [`${count(maxSteps)} steps a turn`]),
  ];
  return bounds.length === 0 ? 'none' : bounds.join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
