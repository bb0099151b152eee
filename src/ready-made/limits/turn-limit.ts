import { reject } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { stateKey } from '../../kernel/scope/scope.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface TurnLimitOptions extends ReadyMadeOptions {
  /** The most turns of a session, including those of triggers and subagents. */
  readonly max: number;
}

/**
 * Refuses turn `max` + 1 of a session and every later one. A turn counts once; a turn refused here does not count.
 */
export function turnLimit(options: TurnLimitOptions): Hook {
  checkHookOptions('turnLimit', options, { shapes: { max: is.wholeNumber(1) }, needed: ['max'] });
  const { max } = options;
  const settings = hookSettings(options, { name: 'turn-limit', gate: true });
  const used = stateKey<number>(`bridle:${settings.name}:turns`, 0);
  const counted = stateKey<boolean>(`bridle:${settings.name}:counted`, false);
  return {
    ...settings,
    async preTurn(_payload, ctx) {
      let refused = false;
      await ctx.session.update(used, (turns) => {
        if (ctx.turn.get(counted)) return turns;
        // Negated, so that NaN refuses too.
        refused = !(turns < max);
        if (refused) return turns;
        ctx.turn.set(counted, true);
        return turns + 1;
      });
      return refused ? reject(`Rate limit exceeded: ${max} of ${max} turns used`) : undefined;
    },
  };
}
