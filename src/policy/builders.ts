/** Writing rules. */

import type { Approver } from '../approval.ts';
import { quoteName } from '../catalog/names.ts';
import { BridleError } from '../errors.ts';
import type { AskOptions, Rule, RuleOptions, Rules } from './rule.ts';
import { readTarget, type TargetLike } from './target.ts';

function rule(effect: Rule['effect'], target: TargetLike, options: AskOptions): Rule {
  if (typeof options !== 'object' || options === null) {
    throw new BridleError('RULE_INVALID', `the options of ${effect}(${JSON.stringify(target)}) must be an object`);
  }
  const unknown = Object.keys(options).find((key) => !allowedOptions.has(key));
  if (unknown !== undefined) {
    throw new BridleError('RULE_INVALID', `${effect}(${JSON.stringify(target)}) has an unknown option "${unknown}"`);
  }
  return Object.freeze({ ...options, type: 'rule', effect, target: readTarget(target) });
}

const allowedOptions = new Set(['name', 'reason', 'when', 'grant', 'shadow', 'handler']);

/** Lets calls of `target` run. */
export function allow(target: TargetLike, options: RuleOptions = {}): Rule {
  return rule('allow', target, options);
}

/** Refuses calls of `target`, unless a more specific rule decides first. */
export function deny(target: TargetLike, options: RuleOptions = {}): Rule {
  return rule('deny', target, options);
}

/** Has a person decide calls of `target`. */
export function ask(target: TargetLike, options: AskOptions = {}): Rule {
  return rule('ask', target, options);
}

/** Refuses calls of `target`, whatever else matches. */
export function forbid(target: TargetLike, options: RuleOptions = {}): Rule {
  return rule('forbid', target, options);
}

export function allowAll(options: RuleOptions = {}): Rule {
  return allow('*', { name: 'allow_all', ...options });
}

export function denyAll(options: RuleOptions = {}): Rule {
  return deny('*', { name: 'deny_all', ...options });
}

/** Asks before `run_command` if somebody can answer, denies it otherwise; allows the rest. */
export function confirmRunCommand(handler?: Approver): Rules {
  const asking = ask('run_command', {
    name: 'confirm_run_command',
    reason: 'Run this command?',
    ...(handler === undefined ? {} : { handler }),
  });
  const how =
    'run_command is off: nobody can confirm it. Pass confirmRunCommand(handler) or give the agent an approver.';
  return [Object.freeze({ ...asking, unanswerable: how }), allowAll()];
}

/** Allows tools without side effects and asks before everything else. */
export function safeDefaults(): Rules {
  return [
    allow('*', { name: 'safe_observe', when: (_args, call) => call.tier === 'observe' }),
    ask('*', {
      name: 'safe_confirm',
      reason: (call) => `Confirm ${call.displayName}?`,
      when: (_args, call) => call.tier !== 'observe',
    }),
  ];
}

/** A server, or just its name. */
export type ServerLike = string | { readonly name: string };

/** Allows all tools of a server, or those of a list. */
export function allowMcp(server: ServerLike, tools?: readonly string[], options: RuleOptions = {}): Rules {
  return mcp('allow', { server, tools, options });
}

export function denyMcp(server: ServerLike, tools?: readonly string[], options: RuleOptions = {}): Rules {
  return mcp('deny', { server, tools, options });
}

export function askMcp(server: ServerLike, tools?: readonly string[], options: AskOptions = {}): Rules {
  return mcp('ask', { server, tools, options });
}

interface McpRules {
  readonly server: ServerLike;
  readonly tools: readonly string[] | undefined;
  readonly options: AskOptions;
}

function mcp(effect: 'allow' | 'deny' | 'ask', { server, tools, options }: McpRules): Rules {
  const name = typeof server === 'string' ? server : server?.name;
  if (typeof name !== 'string' || name === '') {
    throw new BridleError('RULE_INVALID', `${effect}Mcp needs a server or its name, not ${quoteName(name)}`);
  }
  const prefix = options.name ?? `${effect}_${name}`;
  if (tools === undefined) {
    return rule(effect, { server: name }, { ...options, name: options.name ?? `${prefix}_all` });
  }
  if (!Array.isArray(tools)) {
    const hint = typeof tools === 'string' ? `; write ["${String(tools)}"]` : '';
    throw new BridleError('RULE_INVALID', `${effect}Mcp("${name}", …) takes a list of tool names${hint}`);
  }
  return tools.map((tool) => rule(effect, { server: name, tool }, { ...options, name: `${prefix}_${tool}` }));
}
