import { reject } from '../../kernel/hooks/points/actions.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Payloads, Usage } from '../../kernel/hooks/points/payloads.ts';
import { stateKey } from '../../kernel/scope/scope.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface TokenBudgetOptions extends Omit<ReadyMadeOptions, 'name'> {
  /** The most input and output tokens of a session. Once reached, the next turn is refused. */
  readonly max: number;
  /** Sends an event when fewer tokens are left. Default: a tenth of `max`, at most 10,000. */
  readonly warnBelow?: number | undefined;
}

/** The tokens a session has used so far, in the session scope. */
export const tokensUsed = stateKey<number>('bridle:token-budget:used', 0);

/** The tokens of the current turn that are already counted. */
const counted = stateKey<number>('bridle:token-budget:counted', 0);

/**
 * Counts the tokens of all turns of a session, including subagents and failed turns. Refuses the next turn once `max`
 * is reached, and sends the event `token_budget_low` after each turn that leaves less than `warnBelow`. If a turn
 * reports no usage, four characters count as one token.
 */
export function tokenBudget(options: TokenBudgetOptions): Hook {
  const shapes = { max: is.wholeNumber(1), warnBelow: is.count };
  checkHookOptions('tokenBudget', options, { shapes, needed: ['max'], shared: ['priority', 'timeoutMs'] });
  const { max, warnBelow = Math.min(10_000, max / 10) } = options;

  async function count(spent: number, ctx: HookContext): Promise<void> {
    const used = await ctx.session.update(tokensUsed, (before) => {
      const already = ctx.turn.get(counted);
      ctx.turn.set(counted, Math.max(already, spent));
      return before + Math.max(0, spent - already);
    });
    const remaining = Math.max(0, max - used);
    if (remaining < warnBelow) ctx.emit('token_budget_low', { remaining, used, max });
  }

  return {
    ...hookSettings(options, { name: 'token-budget', gate: true }),
    preTurn(_payload, ctx) {
      const used = ctx.session.get(tokensUsed);
      // Written this way so that NaN refuses too.
      return used < max ? undefined : reject(`Token budget exhausted: ${grouped(used)}/${grouped(max)}`);
    },
    postTurn: (payload, ctx) => count(tokensOf(payload), ctx),
    // A turn that fails or is refused midway has used tokens but never reaches postTurn.
    onEvent(event, ctx) {
      const spent = event.type === 'turn_ended' && event.usage !== undefined ? total(event.usage) : 0;
      return spent > 0 && spent > ctx.turn.get(counted) ? count(spent, ctx) : undefined;
    },
  };
}

function tokensOf({ input, output }: Payloads['postTurn']): number {
  const characters = input.text.length + output.thinking.length + output.text.length;
  return total(output.usage) || Math.ceil(characters / 4);
}

/** Input tokens include cache reads and writes. */
function total({ inputTokens, outputTokens }: Usage): number {
  const sum = inputTokens + outputTokens;
  return Number.isFinite(sum) ? sum : 0;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
