import { fallback } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { stateKey } from '../../kernel/scope/scope.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface ProviderFallbackOptions extends ReadyMadeOptions {
  /** Fallback models, in order: names or models, as the agent accepts them. */
  readonly models: readonly unknown[];
  /** Which errors trigger the fallback. Default: all. */
  readonly when?: ((error: unknown) => boolean) | undefined;
}

/** The position in the list for the current step. */
interface Progress {
  readonly [field: string]: number;
  readonly step: number;
  readonly next: number;
}

/**
 * Switches to the next model of the list when a model call fails. Each step of a turn starts at the top of the list. At
 * its end, the hook does not answer.
 */
export function providerFallback(options: ProviderFallbackOptions): Hook {
  const shapes = { models: is.nonEmptyList(model), when: is.func };
  checkHookOptions('providerFallback', options, { shapes, needed: ['models'] });
  const { when } = options;
  const shouldSwitch = (error: unknown): boolean => when === undefined || when(error);
  const models = [...options.models];
  const settings = hookSettings(options, { name: 'provider-fallback' });
  const progress = stateKey<Progress>(`bridle:${settings.name}`, { step: -1, next: 0 });
  return {
    ...settings,
    onLlmError({ error }, ctx) {
      if (ctx.signal.aborted || !shouldSwitch(error)) return undefined;
      const { step, next: following } = ctx.turn.get(progress);
      const next = step === ctx.stepNumber ? following : 0;
      const model = models[next];
      if (model === undefined) return undefined;
      ctx.turn.set(progress, { step: ctx.stepNumber, next: next + 1 });
      return fallback(model);
    },
  };
}

const model = is.that(
  'a model or the name of one',
  (value) => (typeof value === 'object' && value !== null) || (typeof value === 'string' && value.trim() !== ''),
);
