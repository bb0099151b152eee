import { reject } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { pattern, matchesAny } from '../options/patterns.ts';
import { promptTexts } from './message-texts.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface InputGuardrailOptions extends ReadyMadeOptions {
  /** A prompt that matches one of them is refused. Keep them fast: the text can have any length. */
  readonly patterns: readonly RegExp[];
  /** The reason given to the caller. */
  readonly reason?: string | undefined;
}

/** Refuses a turn whose prompt matches a pattern, in its text, the names of its media, or textual media. */
export function inputGuardrail(options: InputGuardrailOptions): Hook {
  const shapes = { patterns: is.nonEmptyList(pattern), reason: is.nonEmptyText };
  checkHookOptions('inputGuardrail', options, { shapes, needed: ['patterns'] });
  const { reason = 'Message blocked by content policy' } = options;
  const isBlocked = matchesAny(options.patterns);
  return {
    ...hookSettings(options, { name: 'input-guardrail', priority: 10, gate: true, failOpen: false }),
    preTurn: ({ prompt }) => (promptTexts(prompt).some(isBlocked) ? reject(reason) : undefined),
  };
}
