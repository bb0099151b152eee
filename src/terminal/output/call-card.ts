/**
 * What a person reads before answering an approval: one rendering for the dialog and for `bridle approvals`. The contents
 * are untrusted text: no line of an argument can pass for another argument, or for a line of Bridle.
 */

import type { ShownCall } from '../../kernel/approval.ts';
import type { Paint } from './paint.ts';
import { safeText } from './safe-text.ts';

/** A question with the rule or hook that asks it. */
export interface CardQuestion {
  readonly text: string;
  readonly rule?: string | undefined;
  readonly hook?: string | undefined;
}

/** The final call, with long arguments cut. */
export function callLines({ text }: ShownCall, paint: Paint): readonly string[] {
  return text.split('\n').map((line) => paint('strong', safeText(line)));
}

/** True if an argument was cut in {@link callLines}. */
export function isCut({ args }: ShownCall): boolean {
  return args.some(({ missing }) => missing > 0);
}

/** Every argument in full. */
export function fullArgLines({ args }: ShownCall, paint: Paint): readonly string[] {
  return args.map(({ name, full }) => paint('strong', `  ${safeText(`${name}: ${full}`)}`));
}

/** `Run this? — asked by rule commands (bridle.yaml:3)`. */
export function questionText({ text, rule, hook }: CardQuestion): string {
  const other = hook === undefined ? "the policy's default" : `hook ${safeText(hook)}`;
  return `${safeText(text)} — asked by ${rule === undefined ? other : `rule ${safeText(rule)}`}`;
}
