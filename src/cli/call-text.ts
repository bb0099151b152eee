import type { CallRequest, Decision, Effect, RuleRef } from '../call.ts';
import { pairText } from '../catalog/names.ts';
import { cutText } from '../json.ts';
import type { Tone } from './paint.ts';
import { inset, safeJson } from './visible-text.ts';

const mostCharacters = 400;

/** `run_command {"command_line":"ls"}`. */
export function callText({ tool, server, args }: CallRequest): string {
  return cutText(`${inset(pairText(server, tool))} ${safeJson(args ?? {})}`, mostCharacters);
}

/** `"no deleting" (bridle.yaml:14)`, or the default. */
export function ruleText(rule: RuleRef | undefined): string {
  if (rule === undefined) return 'the default';
  const { name, at } = rule;
  return `"${inset(name)}"${at === undefined ? '' : ` (${inset(at)})`}`;
}

/** `deny by "no deleting" (bridle.yaml:14): reason`. */
export function answerText({ effect, rule, reason }: Pick<Decision, 'effect' | 'rule' | 'reason'>): string {
  return `${effect} by ${ruleText(rule)}${reason === '' ? '' : `: ${inset(reason)}`}`;
}

export const tones: Readonly<Record<Effect, Tone>> = { allow: 'good', ask: 'warn', deny: 'bad' };
