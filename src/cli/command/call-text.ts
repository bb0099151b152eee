import type { CallRequest, Decision, Effect, RuleRef } from '../../kernel/call.ts';
import { pairText } from '../../kernel/names.ts';
import { cutText } from '../../kernel/json.ts';
import type { Tone } from '../../terminal/output/paint.ts';
import { safeText, safeJson } from '../../terminal/output/safe-text.ts';

const maxCallLength = 400;

/** `run_command {"command_line":"ls"}`. */
export function callText({ tool, server, args }: CallRequest): string {
  return cutText(`${safeText(pairText(server, tool))} ${safeJson(args ?? {})}`, maxCallLength);
}

/** `"no deleting" (bridle.yaml:14)`, or `the default` without a rule. */
export function ruleLabel(rule: RuleRef | undefined): string {
  if (rule === undefined) return 'the default';
  const { name, at } = rule;
  return `"${safeText(name)}"${at === undefined ? '' : ` (${safeText(at)})`}`;
}

/** `deny by "no deleting" (bridle.yaml:14): reason`. */
export function decisionText({ effect, rule, reason }: Pick<Decision, 'effect' | 'rule' | 'reason'>): string {
  return `${effect} by ${ruleLabel(rule)}${reason === '' ? '' : `: ${safeText(reason)}`}`;
}

export const effectTones: Readonly<Record<Effect, Tone>> = { allow: 'good', ask: 'warn', deny: 'bad' };

/** `1 rule`, `2 rules`. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
