import { reject } from '../../kernel/hooks/points/actions.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Payloads, Usage } from '../../kernel/hooks/points/payloads.ts';
import { stateKey } from '../../kernel/scope/state-key.ts';
import {
  checkHookOptions,
  mustBeNonNegative,
  hookSettings,
  type ReadyMadeOptions,
  mustBePositiveInteger,
} from '../options/ready-made-options.ts';

export interface TokenBudgetOptions extends Omit<ReadyMadeOptions, 'name'> {
  /** How many tokens, in and out, a session may spend before its next turn is refused. */
  readonly max: number;
  /** Fewer left than this is told by an event; a tenth of `max`, at most 10,000, if not given. */
  readonly warnBelow?: number | undefined;
}

/** The tokens a session has spent so far, in the session scope. */
export const tokensUsed = stateKey<number>('bridle:token-budget:used', 0);

/** Those of this turn that are part of it already. */
const counted = stateKey<number>('bridle:token-budget:counted', 0);

/**
 * Adds up the tokens of all turns of a session, subagents and failed turns included, refuses the next turn once `max`
 * is reached, and sends the event `token_budget_low` after each turn that leaves less than `warnBelow`. Where a turn
 * reports no usage, four characters count as a token.
 */
export function tokenBudget(options: TokenBudgetOptions): Hook {
  const checks = { max: mustBePositiveInteger, warnBelow: mustBeNonNegative };
  checkHookOptions('tokenBudget', options, { checks, needed: ['max'], shared: ['priority', 'timeoutMs'] });
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
      // Asked this way round, a count that is no number refuses too.
      return used < max ? undefined : reject(`Token budget exhausted: ${grouped(used)}/${grouped(max)}`);
    },
    postTurn: (payload, ctx) => count(tokensOf(payload), ctx),
    // A turn that fails or is refused half-way has spent tokens and never reaches postTurn.
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

/** Input counts what was read from and written to a cache too. */
function total({ inputTokens, outputTokens }: Usage): number {
  const sum = inputTokens + outputTokens;
  return Number.isFinite(sum) ? sum : 0;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
