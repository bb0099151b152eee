import { reject } from '../hooks/actions.ts';
import type { Hook } from '../hooks/hook.ts';
import { isPattern, matchesAny } from './pattern.ts';
import { promptTexts } from './text-media.ts';
import { checkOptions, hookOptions, listOf, type StockOptions, words } from './stock-options.ts';

export interface InputGuardrailOptions extends StockOptions {
  /** A prompt that matches one of them is refused. They see text of any length, so they should be quick. */
  readonly patterns: readonly RegExp[];
  /** What the caller is told. */
  readonly reason?: string | undefined;
}

/** Refuses a turn whose prompt matches a pattern: its text, the names of its media, or media that are text. */
export function inputGuardrail(options: InputGuardrailOptions): Hook {
  const checks = { patterns: listOf(isPattern), reason: words };
  checkOptions('inputGuardrail', options, { checks, needed: ['patterns'] });
  const { reason = 'Message blocked by content policy' } = options;
  const isBlocked = matchesAny(options.patterns);
  return {
    ...hookOptions(options, { name: 'input-guardrail', priority: 10, gate: true, failOpen: false }),
    preTurn: ({ prompt }) => (promptTexts(prompt).some(isBlocked) ? reject(reason) : undefined),
  };
}
