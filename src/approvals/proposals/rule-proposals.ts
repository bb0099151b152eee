/**
 * Proposes a rule to remember instead of a single call (Q02): the narrowest rule that still covers similar calls. The
 * person sees the text before the rule is stored. Each later call is compared with the rule's data.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ProposalSubject, RememberedRule } from '../../kernel/approval.ts';
import type { RuleProposer } from '../remember-answers.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { narrowestRule } from './narrowest-rule.ts';
import { type CommandsRule, type ProposedRule, proposedRuleText } from './proposed-rule.ts';

/** No one reads a longer rule. */
const maxTextLength = 2000;

/**
 * Proposes rules for tools that declare what they touch: the same commands, the same files, the same host.
 * Pass it to `rememberAnswers`.
 */
export function ruleProposals(): RuleProposer {
  return { propose, covers: coversCall };
}

function propose(subject: ProposalSubject): RememberedRule | undefined {
  const rule = cachedRuleFor(subject);
  if (rule === undefined) return undefined;
  const text = proposedRuleText(rule);
  return text.length > maxTextLength ? undefined : Object.freeze({ text, data: plainCopy(rule) });
}

function coversCall({ text, data }: RememberedRule, subject: ProposalSubject): boolean {
  const current = cachedRuleFor(subject);
  if (current === undefined) return false;
  const stored = plainCopy(data);
  // A rule about files or a host is identical for every call it covers.
  if (current.kind !== 'commands') return proposedRuleText(current) === text && isDeepStrictEqual(current, stored);
  const rule = parseCommandsRule(stored);
  // The data must match the text that the person approved.
  return rule !== undefined && proposedRuleText(rule) === text && coversCommands(rule, current);
}

/** One call may be compared with many rules. */
const ruleCache = new WeakMap<ProposalSubject, { readonly rule: ProposedRule | undefined }>();

function cachedRuleFor(subject: ProposalSubject): ProposedRule | undefined {
  const cached = ruleCache.get(subject);
  if (cached !== undefined) return cached.rule;
  const found = narrowestRule(subject);
  const rule = found === undefined ? undefined : plainCopy(found);
  ruleCache.set(subject, { rule });
  return rule;
}

/** A plain JSON copy, so that equal rules compare equal after storage. */
function plainCopy<T>(value: T): T & JsonValue {
  return JSON.parse(JSON.stringify(value)) as T & JsonValue;
}

/** Parses a stored rule about commands; undefined if it is not exactly one. */
function parseCommandsRule(data: JsonValue): CommandsRule | undefined {
  if (!isJsonObject(data)) return undefined;
  const { kind, server, tool, argument, folder, commands, rest, ...others } = data;
  if (kind !== 'commands' || Object.keys(others).length > 0) return undefined;
  if (server !== null && typeof server !== 'string') return undefined;
  if (typeof tool !== 'string' || typeof argument !== 'string' || typeof folder !== 'string') return undefined;
  if (rest === undefined || !isJsonObject(rest)) return undefined;
  const given: readonly JsonValue[] = Array.isArray(commands) ? commands : [];
  const known = given.filter((command) => typeof command === 'string');
  if (known.length === 0 || known.length !== given.length) return undefined;
  return { kind, server, tool, argument, folder, commands: known, rest };
}

/** True if every command of the call is in the rule, and everything else is equal. */
function coversCommands(rule: CommandsRule, current: CommandsRule): boolean {
  const { commands, ...same } = rule;
  const { commands: run, ...others } = current;
  return isDeepStrictEqual(same, others) && run.every((command) => commands.includes(command));
}
