/** Functions that build rules. */

import type { Approver } from '../../approval.ts';
import type { ToolCall } from '../../call.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { BridleError } from '../../errors.ts';
import { defaultLimits } from '../../limits.ts';
import { pairText, quoteName } from '../../names.ts';
import * as is from '../../shapes.ts';
import { Invalid } from '../../shapes.ts';
import type { AskOptions, DenyOptions, Rule, RuleOptions, Rules, RuleCondition } from './rule.ts';
import { parseTarget, targetText, type TargetLike } from './target.ts';

/** Only the names; the compiler checks the values. */
const optionNames = ['name', 'reason', 'when', 'grant', 'shadow', 'handler', 'approval', 'unknown'] as const;
const ruleOptions = is.options<AskOptions & DenyOptions>(
  Object.fromEntries(optionNames.map((name) => [name, is.any])) as Record<(typeof optionNames)[number], typeof is.any>,
);

function rule(effect: Rule['effect'], like: TargetLike, options: AskOptions & DenyOptions): Rule {
  const target = parseTarget(like);
  const read = ruleOptions(options, defaultLimits);
  if (read instanceof Invalid) {
    const problem = read.textAbout('the options object');
    throw new BridleError('RULE_INVALID', `${effect}(${quoteName(targetText(target))}): ${problem}`);
  }
  const { name, reason, when, grant, shadow, handler, approval, unknown } = read;
  return Object.freeze({ type: 'rule', effect, target, name, reason, when, grant, shadow, handler, approval, unknown });
}

/** Allows calls of `target`. */
export function allow(target: TargetLike, options: RuleOptions = {}): Rule {
  return rule('allow', target, options);
}

/** Denies calls of `target`, unless a more specific rule decides first. */
export function deny(target: TargetLike, options: DenyOptions = {}): Rule {
  return rule('deny', target, options);
}

/** Asks a person to approve calls of `target`. */
export function ask(target: TargetLike, options: AskOptions = {}): Rule {
  return rule('ask', target, options);
}

/** Denies calls of `target`, whichever other rules match. */
export function forbid(target: TargetLike, options: DenyOptions = {}): Rule {
  return rule('forbid', target, options);
}

export function allowAll(options: RuleOptions = {}): Rule {
  return allow('*', { name: 'allow_all', ...options });
}

export function denyAll(options: DenyOptions = {}): Rule {
  return deny('*', { name: 'deny_all', ...options });
}

/**
 * Asks before `run_command` if there is a handler or an approver, and denies it otherwise. Allows all other tools. The
 * options apply to the ask rule. Works for an agent without `run_command`, too.
 */
export function confirmRunCommand(handler?: Approver, options: RuleOptions = {}): Rules {
  const stock = { name: 'confirm_run_command', reason: 'Run this command?' };
  const asking = ask('run_command', { ...stock, ...options, handler });
  const unanswerable =
    'run_command is disabled because there is nobody to confirm it. Pass confirmRunCommand(handler), or give the agent an approver.';
  return [Object.freeze({ ...asking, unanswerable, optional: true }), allowAll()];
}

const confirmText = ({ server, displayName }: ToolCall): string => `Confirm ${pairText(server, displayName)}?`;

/** Allows tools without side effects and asks before all others. `name` is the prefix of both rule names, `reason` the question. */
export function safeDefaults(options: RuleOptions = {}): Rules {
  const { name = 'safe', reason = confirmText, when, ...rest } = options;
  const also = when ?? ((): boolean => true);
  const observe: RuleCondition = (args, call, about) => call.tier === 'observe' && also(args, call, about);
  const confirm: RuleCondition = (args, call, about) => call.tier !== 'observe' && also(args, call, about);
  const covering = (isCovered: Rule['covers'], each: Rule): Rule =>
    Object.freeze({ ...each, fingerprint: String(when ?? ''), covers: when === undefined ? isCovered : undefined });
  return [
    covering(({ tier }) => tier === 'observe', allow('*', { ...rest, name: `${name}_observe`, when: observe })),
    covering(({ tier }) => tier !== 'observe', ask('*', { ...rest, name: `${name}_confirm`, reason, when: confirm })),
  ];
}

interface ArgumentCondition {
  (args: JsonObject, call: ToolCall): boolean | Promise<boolean>;
  readonly argument: string;
}

/**
 * A condition: true if the named argument passes a test. A missing argument is undefined.
 * @example
 * allow('run_command', { when: arg('command_line', (line) => line === 'npm test') });
 */
export function arg(
  name: string,
  test: (value: JsonValue | undefined, call: ToolCall) => boolean | Promise<boolean>,
): ArgumentCondition {
  if (typeof name !== 'string' || name === '' || typeof test !== 'function') {
    throw new BridleError('RULE_INVALID', 'arg takes the name of an argument and a function that tests its value');
  }
  const when = (args: JsonObject, call: ToolCall) => test(Object.hasOwn(args, name) ? args[name] : undefined, call);
  // The text identifies the condition in the version of a policy.
  const toString = (): string => `arg(${JSON.stringify(name)}, ${String(test)})`;
  return Object.freeze(Object.assign(when, { argument: name, toString }));
}

/** A server or its name. */
export type ServerLike = string | { readonly name: string };

/** Allows all tools of a server, or only the listed ones. */
export function allowMcp(server: ServerLike, tools?: readonly string[], options: RuleOptions = {}): Rules {
  return mcp('allow', { server, tools, options });
}

export function denyMcp(server: ServerLike, tools?: readonly string[], options: DenyOptions = {}): Rules {
  return mcp('deny', { server, tools, options });
}

export function askMcp(server: ServerLike, tools?: readonly string[], options: AskOptions = {}): Rules {
  return mcp('ask', { server, tools, options });
}

interface McpRules {
  readonly server: ServerLike;
  readonly tools: readonly string[] | undefined;
  readonly options: AskOptions & DenyOptions;
}

function mcp(effect: 'allow' | 'deny' | 'ask', { server, tools, options }: McpRules): Rules {
  const name = typeof server === 'string' ? server : server?.name;
  const wrong = (problem: string): BridleError => new BridleError('RULE_INVALID', `${effect}Mcp ${problem}`);
  if (typeof name !== 'string' || name === '') throw wrong(`needs a server or its name, not ${quoteName(name)}`);
  const prefix = options?.name ?? `${effect}_${name}`;
  if (tools === undefined) {
    return rule(effect, { server: name }, { ...options, name: options?.name ?? `${prefix}_all` });
  }
  const names = is.nameList(tools, defaultLimits);
  if (names instanceof Invalid) {
    const hint = typeof tools === 'string' ? `; write [${quoteName(tools)}]` : '';
    throw wrong(`of ${quoteName(name)} takes a list of tool names: ${names.textAbout('the list')}${hint}`);
  }
  return names.map((tool) => rule(effect, { server: name, tool }, { ...options, name: `${prefix}_${tool}` }));
}
