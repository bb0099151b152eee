/** Reasons in the engine's own words: what happened to which tool, by which rule, why, and what to do about it. */

import type { RuleRef, ToolCall } from '../call.ts';
import { pairText } from '../catalog/names.ts';

type CallName = Pick<ToolCall, 'server' | 'tool'>;

/** `rule "secrets" (bridle.yaml:14)` */
function ruleText({ name, at }: RuleRef): string {
  return `rule "${name}"${at === undefined ? '' : ` (${at})`}`;
}

/** For a rule that gives no reason. Stable: it depends on the rule and the tool alone (P11). */
export function stockReason(rule: RuleRef, tool: string): string {
  return rule.effect === 'ask'
    ? `May ${tool} run? ${capital(ruleText(rule))} asks first`
    : `Denied ${tool} by ${ruleText(rule)}`;
}

export interface Unsure {
  readonly rule: RuleRef;
  readonly call: ToolCall;
  /** What is unknown. */
  readonly why: string;
  /** What the rule says itself, if anything. */
  readonly own: string | undefined;
}

/** The reason of a rule that denies because it is unknown whether its condition holds. */
export function unsureDenial({ rule, call, why, own }: Unsure, isAlone: boolean): string {
  const said = own === undefined ? '' : ` The reason of the rule: ${sentence(own)}`;
  const head = `Denied ${nameOf(call)} by ${ruleText(rule)}: ${cannotTell(why, 'the rule applies')}`;
  return isAlone
    ? `${head}, and there is nobody to ask.${said} ${wayOut(rule, call)}`
    : `${head}.${said} To be asked instead, set unknown: ask on the rule.`;
}

/** The question of a rule that asks because it is unknown whether its condition holds. */
export function unsureQuestion({ rule, call, why, own }: Unsure): string {
  const may = `${capital(ruleText(rule))} may ${rule.effect === 'ask' ? 'ask about' : rule.effect} it`;
  const head = `${mayRun(call)} ${cannotTell(why, 'the rule applies')}.`;
  return `${head} ${may}${own === undefined ? '.' : `: ${sentence(own)}`}`;
}

/** Of a call that no rule matches. */
export function defaultReason(call: ToolCall, effect: 'ask' | 'deny'): string {
  if (effect === 'ask') return `${mayRun(call)} No rule matches ${lineOf(call) ?? 'this call'}.`;
  return `Denied ${nameOf(call)}: no rule matches this call, and the default is deny. ${wayOut(undefined, call)}`;
}

/** Of a call that no rule certainly allows. */
export function unsureDefault(call: ToolCall, why: string, effect: 'ask' | 'deny' | 'nobody'): string {
  const unknown = `no rule certainly allows it. ${cannotTell(why, 'a rule allows it')}`;
  if (effect === 'ask') return `${mayRun(call)} ${capital(unknown)}.`;
  const nobody = effect === 'nobody' ? ', and there is nobody to ask' : '';
  return `Denied ${nameOf(call)}: ${unknown}${nobody}. ${wayOut(undefined, call)}`;
}

/** Why a call is denied that a person would have had to approve. `nobody` says who is missing. */
export function unasked(
  call: ToolCall,
  {
    text,
    rule,
    hook,
  }: { readonly text: string; readonly rule?: RuleRef | undefined; readonly hook?: string | undefined },
  nobody = 'There is nobody to ask.',
): string {
  const by = rule === undefined ? (hook === undefined ? '' : ` by hook "${hook}"`) : ` by ${ruleText(rule)}`;
  const question = text.startsWith(mayRun(call)) ? text.slice(mayRun(call).length + 1) : text;
  const out = hook === undefined ? wayOut(rule, call) : 'To allow it, give the guard an approver.';
  return `Denied ${nameOf(call)}${by}: ${sentence(question)} ${nobody} ${out}`;
}

function mayRun(call: CallName): string {
  return `May ${nameOf(call)} run?`;
}

/** Facts say what is unknown as "whether …" or "which …"; predicates of users say only why. */
function cannotTell(why: string, otherwise: string): string {
  return `Bridle cannot tell ${/^(?:whether|which) /.test(why) ? why : `whether ${otherwise}: ${why}`}`;
}

/** What a person can change so that the call passes. No allow rule stands before a forbid, or a rule for the tool itself. */
function wayOut(rule: RuleRef | undefined, call: ToolCall): string {
  const tool = nameOf(call);
  const only = onlyThis(call);
  if (rule?.name === 'protected_files_unsure') return 'A person can run it outside of the session.';
  if (rule !== undefined && (rule.effect === 'forbid' || rule.target === tool)) {
    const example = only === undefined ? '' : `: when: (…) && !${only}`;
    return `To allow it, exclude this call in the condition of ${ruleText(rule)}${example}`;
  }
  const entry = only === undefined ? `allow: ${tool}` : `{ allow: ${tool}, when: '${only}' }`;
  return `To allow it, add a rule to the policy: - ${entry}`;
}

/** The command line, cut to what a person reads at a glance. */
function lineOf({ args }: ToolCall): string | undefined {
  const line = args['command_line'] ?? args['command'];
  if (typeof line !== 'string') return undefined;
  const plain = line.replaceAll(/\s+/g, ' ').trim();
  // Anything else could pose as something else on a terminal.
  if (!/^[ -~]+$/.test(plain)) return undefined;
  return `\`${plain.length > 80 ? `${plain.slice(0, 79)}…` : plain}\``;
}

/** A condition that holds for this command line. */
function onlyThis({ args }: ToolCall): string | undefined {
  const line = args['command_line'] ?? args['command'];
  if (typeof line !== 'string') return undefined;
  const isPlain = line.length <= 60 && /^[a-z][\w.-]*(?: [\w./:=@,+-]+)*$/i.test(line);
  return `runsOnly("${isPlain ? line : '…'}")`;
}

function nameOf({ server, tool }: CallName): string {
  return pairText(server, tool);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}
