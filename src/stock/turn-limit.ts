import { reject } from '../hooks/actions.ts';
import type { Hook } from '../hooks/hook.ts';
import { key } from '../scope/key.ts';
import { checkOptions, hookOptions, type StockOptions, wholeAboveZero } from './stock-options.ts';

export interface TurnLimitOptions extends StockOptions {
  /** How many turns a session may have, those of triggers and subagents included. */
  readonly max: number;
}

/**
 * Refuses turn `max` + 1 of a session and every later one; a turn counts once, and not at all where it was refused here.
 */
export function turnLimit(options: TurnLimitOptions): Hook {
  checkOptions('turnLimit', options, { checks: { max: wholeAboveZero }, needed: ['max'] });
  const { max } = options;
  const own = hookOptions(options, { name: 'turn-limit', gate: true });
  const used = key<number>(`bridle:${own.name}:turns`, 0);
  const counted = key<boolean>(`bridle:${own.name}:counted`, false);
  return {
    ...own,
    async preTurn(_payload, ctx) {
      let refused = false;
      await ctx.session.update(used, (turns) => {
        if (ctx.turn.get(counted)) return turns;
        // Asked this way round, a count that is no number refuses too.
        refused = !(turns < max);
        if (refused) return turns;
        ctx.turn.set(counted, true);
        return turns + 1;
      });
      return refused ? reject(`Rate limit exceeded: ${max} of ${max} turns used`) : undefined;
    },
  };
}
