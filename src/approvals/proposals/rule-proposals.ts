/**
 * Proposes a rule to remember instead of a single call (Q02): the narrowest rule that still covers similar calls. The
 * person sees the text before the rule is stored. Each later call is compared with the rule's data.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ProposalSubject, RememberedRule } from '../../kernel/approval.ts';
import type { RuleProposer } from '../remember-answers.ts';
import { hostOfUrl } from '../../facts/net/host-of-url.ts';
import { parseUrl } from '../../facts/net/parse-url.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { commandsRule, coversCommands, parseCommandsRule } from './commands-rule.ts';
import { filesRule } from './files-rule.ts';
import type { AddressesRule, ProposedRule } from './proposed-rule.ts';
import { proposedRuleText } from './proposed-rule-text.ts';
import { onlyArgument, withoutArguments } from './rule-arguments.ts';

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
  const found = ruleCache.get(subject) ?? { rule: narrowestRule(subject) };
  ruleCache.set(subject, found);
  return found.rule;
}

/** At most one applies: each kind is for tools that do nothing else. */
function narrowestRule(subject: ProposalSubject): ProposedRule | undefined {
  const rule = commandsRule(subject) ?? filesRule(subject) ?? addressesRule(subject);
  return rule === undefined ? undefined : plainCopy(rule);
}

/** A rule about tools that open URLs: the same scheme, host and port, with all other arguments equal. */
function addressesRule({ call, tool }: ProposalSubject): AddressesRule | undefined {
  const argument = addressArgument(tool);
  const origin = argument === undefined ? undefined : originOf(call.args[argument]);
  if (argument === undefined || origin === undefined) return undefined;
  const rest = withoutArguments(call.args, [argument]);
  return { kind: 'addresses', server: call.server ?? null, tool: call.tool, argument, origin, rest };
}

function addressArgument({ touches = {}, commands = [], paths = [] }: ToolDeclaration): string | undefined {
  const { bash = [], folder, reads = [], writes = [], urls = [] } = touches;
  const touchesMore = bash.length + reads.length + writes.length + commands.length + paths.length > 0;
  return touchesMore || folder !== undefined ? undefined : onlyArgument(urls);
}

/** Undefined for a URL that programs parse differently, or that contains credentials. */
function originOf(address: unknown): string | undefined {
  const url = typeof address === 'string' && typeof hostOfUrl(address) === 'string' ? parseUrl(address) : undefined;
  if (url === undefined || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  return url.origin;
}

/** A plain JSON copy, so that equal rules compare equal after storage. */
function plainCopy<T>(value: T): T & JsonValue {
  return JSON.parse(JSON.stringify(value)) as T & JsonValue;
}
