/**
 * Rules to remember instead of one call (Q02): the narrowest that still covers others like it. A person sees the text
 * before it is stored; what counts is the data it was made from, looked at anew for every call.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Proposals, ProposalSubject, RememberedRule } from '../../approval.ts';
import type { JsonValue } from '../../json.ts';
import { addressesRule } from './addresses-rule.ts';
import { commandsRule, coversCommands } from './commands-rule.ts';
import { filesRule } from './files-rule.ts';
import { readCommandsRule } from './read-commands-rule.ts';
import type { Rule } from './remembered-rules.ts';
import { ruleText } from './rule-text.ts';

/** A rule that is longer is nothing a person reads. */
const longestText = 2000;

/**
 * Proposes rules for tools that declare what they touch: the same commands, the same files, the same host.
 *
 * @example
 * ```ts
 * import { ask, createGuard } from 'bridle';
 * import { rememberProposals } from 'bridle/documents';
 * import { builtinTools } from 'bridle/tools';
 *
 * const guard = createGuard({
 *   tools: builtinTools,
 *   policy: ask('run_command'),
 *   approver: ({ proposal }) => ({ type: 'approve', remember: 'session', rule: proposal !== undefined }),
 *   proposals: rememberProposals(),
 * });
 * ```
 */
export function rememberProposals(): Proposals {
  return { propose, covers };
}

function propose(subject: ProposalSubject): RememberedRule | undefined {
  const rule = ruleFor(subject);
  if (rule === undefined) return undefined;
  const text = ruleText(rule);
  return text.length > longestText ? undefined : Object.freeze({ text, data: plainCopy(rule) });
}

function covers({ text, data }: RememberedRule, subject: ProposalSubject): boolean {
  const own = ruleFor(subject);
  if (own === undefined) return false;
  const kept = plainCopy(data);
  // A rule about files or a host is the same for every call it covers.
  if (own.kind !== 'commands') return ruleText(own) === text && isDeepStrictEqual(own, kept);
  const rule = readCommandsRule(kept);
  // What the person was shown must be what is compared.
  return rule !== undefined && ruleText(rule) === text && coversCommands(rule, own);
}

/** One question may be compared with many rules. */
const known = new WeakMap<ProposalSubject, { readonly rule: Rule | undefined }>();

function ruleFor(subject: ProposalSubject): Rule | undefined {
  const found = known.get(subject) ?? { rule: narrowestRule(subject) };
  known.set(subject, found);
  return found.rule;
}

/** At most one: each is for tools that do nothing else. */
function narrowestRule(subject: ProposalSubject): Rule | undefined {
  const rule = commandsRule(subject) ?? filesRule(subject) ?? addressesRule(subject);
  return rule === undefined ? undefined : plainCopy(rule);
}

/** Objects as JSON makes them, so that equal ones are alike wherever they were kept. */
function plainCopy<T>(value: T): T & JsonValue {
  return JSON.parse(JSON.stringify(value)) as T & JsonValue;
}
