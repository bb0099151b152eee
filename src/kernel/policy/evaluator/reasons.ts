/** The texts of decisions: what happened to which tool, by which rule, why, and what to do about it. */

import type { ApprovalQuestion } from '../../approval.ts';
import type { RuleRef, ToolCall } from '../../call.ts';
import { pairText } from '../../names.ts';

type CallName = Pick<ToolCall, 'server' | 'tool'>;
const unknownProtection = 'protected_files_unsure';
const outside = 'have a person run it outside the session';

/** `rule "secrets" (bridle.yaml:14)` */
function ruleText({ name, at }: RuleRef): string {
  return `rule "${name}"${at === undefined ? '' : ` (${at})`}`;
}

/** For a rule without a reason. It depends only on the rule and the tool (P11). */
export function genericReason(rule: RuleRef, tool: string): string {
  if (rule.effect === 'allow') return '';
  return rule.effect === 'ask'
    ? `May ${tool} run? ${capital(ruleText(rule))} asks first`
    : `Denied ${tool} by ${ruleText(rule)}`;
}

export interface UnknownCondition {
  readonly rule: RuleRef;
  readonly call: ToolCall;
  /** What is unknown. */
  readonly why: string;
  /** The rule's own reason, if it has one. */
  readonly own: string | undefined;
}

/** The reason of a rule that denies because its condition is unknown. */
export function unknownDenial({ rule, call, why, own }: UnknownCondition, hasNobodyToAsk: boolean): string {
  const ownReason = own === undefined ? '' : ` The reason of the rule: ${sentence(own)}`;
  const head = `Denied ${nameOf(call)} by ${ruleText(rule)}: ${cannotTell(why, 'the rule applies')}`;
  return hasNobodyToAsk
    ? `${head}, and there is nobody to ask.${ownReason} ${howToAllow(rule, call, why)}`
    : `${head}.${ownReason} To be asked instead, set unknown: ask on the rule.`;
}

/** The question of a rule that asks because its condition is unknown. */
export function unknownQuestion({ rule, call, why, own }: UnknownCondition): string {
  const [may, text] = rule.effect === 'ask' ? ['ask about', 'question'] : [rule.effect, 'reason'];
  const head = `${mayRun(call)} ${cannotTell(why, 'the rule applies')}. ${capital(ruleText(rule))} may ${may} it.`;
  return own === undefined ? head : `${head} The ${text} of the rule: ${sentence(own)}`;
}

/** The reason or question for a call that no rule matches. */
export function defaultReason(call: ToolCall, effect: 'ask' | 'deny'): string {
  if (effect === 'ask') return `${mayRun(call)} No rule matches ${subjectOf(call)}.`;
  return `Denied ${nameOf(call)}: no rule matches this call, and the default is deny. ${howToAllow(undefined, call)}`;
}

/** The reason or question for a call that a rule may allow, but not with certainty. */
export function unknownDefault(call: ToolCall, why: string, effect: 'ask' | 'deny' | 'nobody'): string {
  const unknown = `no rule certainly allows it. ${cannotTell(why, 'a rule allows it')}`;
  if (effect === 'ask') return `${mayRun(call)} ${capital(unknown)}.`;
  const nobody = effect === 'nobody' ? ', and there is nobody to ask' : '';
  return `Denied ${nameOf(call)}: ${unknown}${nobody}. ${howToAllow(undefined, call, why)}`;
}

type Question = Pick<ApprovalQuestion, 'text'> & Partial<ApprovalQuestion>;

/** The question that no allow rule could avoid, if there is one; otherwise the first. */
export function hardestQuestion<Asked extends Question>(questions: readonly Asked[]): Asked | undefined {
  return questions.find(({ rule }) => rule?.name === unknownProtection) ?? questions[0];
}

/** Why a call is denied that needed approval. `nobody` explains why no one could be asked. */
export function nobodyToAskReason(
  call: ToolCall,
  { text, rule, hook }: Question,
  nobody = 'there is nobody to ask',
): string {
  const by = rule === undefined ? (hook === undefined ? 'this call' : `hook "${hook}"`) : ruleText(rule);
  const starts = [mayRun(call), `Confirm ${pairText(call.server, call.displayName)}?`];
  const rest = text.slice(starts.find((start) => text.startsWith(start))?.length ?? 0).trimStart();
  const question = rest === '' || rest === `${capital(by)} asks first` ? '' : ` ${sentence(rest)}`;
  const out = hook === undefined ? howToAllow(rule, call, text) : 'To allow it, give the guard an approver.';
  const label = rest.endsWith('?') ? ' The question was:' : '';
  return `Denied ${nameOf(call)}: ${by} requires approval, and ${nobody}.${label}${question} ${out}`;
}

function mayRun(call: CallName): string {
  return `May ${nameOf(call)} run?`;
}

/** Facts phrase what is unknown as "whether …" or "which …"; predicates of users give only a reason. */
function cannotTell(why: string, otherwise: string): string {
  return `Bridle cannot tell ${/^(?:whether|which) /.test(why) ? why : `whether ${otherwise}: ${why}`}`;
}

/** How to get the call allowed. An allow rule does not help against a forbid rule or a rule for the tool itself. */
function howToAllow(rule: RuleRef | undefined, call: ToolCall, why = ''): string {
  const tool = nameOf(call);
  const line = commandLine(call);
  if (rule?.name === unknownProtection) return 'A person can run it outside the session.';
  if (rule !== undefined && (rule.effect === 'forbid' || rule.target === tool)) {
    if (line === undefined || rule.effect === 'ask') return `To allow it, change ${ruleText(rule)}.`;
    return `Write the command so that it names its programs and files, or ${outside}.`;
  }
  if (line === undefined) return `To allow it, add a rule to the policy: - allow: ${tool}`;
  if (!isEntry(line) || why.includes('whether the call runs nothing but '))
    return `To allow it, write it as plain commands that an allow rule names with runsOnly, or ${outside}.`;
  return `To allow it, add a rule to the policy: - { allow: ${tool}, when: 'runsOnly("${line}")' }`;
}

function commandLine({ args }: ToolCall): string | undefined {
  const line = args['command_line'] ?? args['command'];
  return typeof line === 'string' ? line : undefined;
}

/** What the call is about: its command line, or its first file argument. */
function subjectOf(call: ToolCall): string {
  const line = commandLine(call);
  const file = Object.keys(call.args).find((name) => /(?:^|_)(?:path|file|folder|directory)$/i.test(name));
  const text = line ?? call.args[file ?? ''];
  const plain = typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim() : '';
  // Other characters could mislead a reader on a terminal.
  if (!/^[ -~]+$/.test(plain)) return 'this call';
  return `${line === undefined ? 'this call for ' : ''}\`${plain.length > 80 ? `${plain.slice(0, 79)}…` : plain}\``;
}

/** Shell keywords, and commands that change the shell or run other commands. `runsOnly` cannot allow them. */
const unfit =
  /^(?:alias|case|coproc|declare|do|done|elif|else|env|esac|eval|exec|export|fi|for|function|if|in|local|read|readonly|select|set|shopt|source|ssh|then|time|trap|typeset|unset|until|while|xargs)(?: |$)/;

/** True if `runsOnly` accepts the line as an entry, word by word. */
function isEntry(line: string): boolean {
  return line.length <= 60 && /^[a-z][\w.-]*(?: (?:--?[\w-]+=)?[\w./:@,+-]+)*$/i.test(line) && !unfit.test(line);
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
