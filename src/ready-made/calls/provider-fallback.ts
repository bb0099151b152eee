import { fallback } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { stateKey } from '../../kernel/scope/state-key.ts';
import {
  mustBeFunction,
  checkHookOptions,
  hookSettings,
  mustBeListOf,
  type ReadyMadeOptions,
  mustBeText,
} from '../options/ready-made-options.ts';

export interface ProviderFallbackOptions extends ReadyMadeOptions {
  /** Models to go on with, in this order: strings or models, as the agent takes them. */
  readonly models: readonly unknown[];
  /** Which errors make it switch; all if not given. */
  readonly when?: ((error: unknown) => boolean) | undefined;
}

/** How far down the list this step has come. */
interface Progress {
  readonly [field: string]: number;
  readonly step: number;
  readonly next: number;
}

/**
 * Has the next model of the list take over when a model call fails. Each step of a turn begins the list anew; when it is
 * used up, the hook has no opinion.
 */
export function providerFallback(options: ProviderFallbackOptions): Hook {
  const checks = { models: mustBeListOf(mustBeModel), when: mustBeFunction };
  checkHookOptions('providerFallback', options, { checks, needed: ['models'] });
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

function mustBeModel(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return undefined;
  return mustBeText(value) === undefined ? undefined : 'is no model and no name of one';
}
