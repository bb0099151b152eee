import type { Agent } from '../../agent/agent.ts';
import type { TurnResult } from '../../agent/turn/turn-result.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';

/** The limits given with `--max-cost` and `--max-steps`. */
export interface SessionLimits {
  readonly maxCost: number | undefined;
  readonly maxSteps: number | undefined;
}

/** The line after each turn: its number, tokens, cost, and the limits, if there are any. */
export function statusLine(result: TurnResult, agent: Pick<Agent, 'usage'>, limits: SessionLimits): string {
  const { usage } = result;
  const hasLimits = limits.maxCost !== undefined || limits.maxSteps !== undefined;
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    `turn ${result.turn}`,
    `${count(tokens)} tokens`,
    `session cost ${dollarsText(agent.usage.cost)}`,
    ...(hasLimits ? [`budget ${limitsText(limits)}`] : []),
  ].join(' · ');
}

export function tokensText({ inputTokens, outputTokens }: Usage): string {
  return `${count(inputTokens)} in ${count(outputTokens)} out`;
}

export function dollarsText(cost: number | undefined): string {
  return cost === undefined ? 'unknown' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

export function limitsText({ maxCost, maxSteps }: SessionLimits): string {
  const limits = [
    ...(maxCost === undefined ? [] : [dollarsText(maxCost)]),
    ...(maxSteps === undefined ? [] : [`${count(maxSteps)} ${maxSteps === 1 ? 'step' : 'steps'} per turn`]),
  ];
  return limits.length === 0 ? 'none' : limits.join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
