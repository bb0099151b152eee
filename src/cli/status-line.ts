import type { Agent } from '../agent/agent.ts';
import type { TurnResult } from '../agent/turn-result.ts';
import type { Usage } from '../hooks/payloads.ts';

/** What a session may use, as far as the command line bounds it. */
export interface Bounds {
  readonly maxCost: number | undefined;
  readonly maxSteps: number | undefined;
}

/** Turn, tokens, cost, budget: what a person wants to know after each turn. */
export function statusLine(result: TurnResult, agent: Pick<Agent, 'usage'>, bounds: Bounds): string {
  const { total, cost } = agent.usage;
  return [
    `turn ${result.turn}`,
    `tokens ${tokens(result.usage)}, session ${tokens(total)}`,
    `cost ${dollars(cost)}`,
    `budget ${boundsText(bounds)}`,
  ].join(' · ');
}

export function tokens({ inputTokens, outputTokens }: Usage): string {
  return `${count(inputTokens)} in ${count(outputTokens)} out`;
}

export function dollars(cost: number | undefined): string {
  return cost === undefined ? 'unknown' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

export function boundsText({ maxCost, maxSteps }: Bounds): string {
  const bounds = [
    ...(maxCost === undefined ? [] : [dollars(maxCost)]),
    ...(maxSteps === undefined ? [] : [`${count(maxSteps)} steps a turn`]),
  ];
  return bounds.length === 0 ? 'none' : bounds.join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
