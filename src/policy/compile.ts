/** From rules to a policy: everything is checked at once, and every problem is told in one error. */

import type { Approver } from '../approval.ts';
import type { Decision, Effect } from '../call.ts';
import { anyTool, Catalog } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { CompiledRule } from './compiled-rule.ts';
import { ruleProblems } from './check-rule.ts';
import { fitRule } from './fit-rule.ts';
import { Policy } from './policy.ts';
import type { Rule, Rules } from './rule.ts';
import { bucketOf } from './rule-index.ts';
import { versionOf } from './version.ts';

export interface CompileOptions {
  /** The tools rules may name; without them names are not checked. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** The servers rules may name: what they declare, or just their names. */
  readonly servers?: readonly (ServerDeclaration | string)[] | undefined;
  /** Whoever answers asks that have no handler. */
  readonly approver?: Approver | undefined;
  /** What happens to a call no rule matches: `allow` if not given. */
  readonly default?: Effect | undefined;
  /** Short for `default: 'deny'`. */
  readonly strict?: boolean | undefined;
  /** How long a predicate may take. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const defaultTimeoutMs = 5000;

/** Validates rules and makes them a policy. */
export function compile(rules: Rules, options: CompileOptions = {}): Policy {
  const problems: string[] = [];
  const warnings: string[] = [];
  const servers = (options.servers ?? []).map((server) => (typeof server === 'string' ? { name: server } : server));
  const catalog = options.tools === undefined ? undefined : new Catalog(options.tools, servers);
  const surroundings = {
    catalog,
    servers: options.servers === undefined ? undefined : servers.map((server) => server.name),
    answerable: options.approver !== undefined,
  };
  const fallback = fallbackDecision(options, problems);
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const limit = { deadlines: deadlinesOf(options.clock ?? systemClock), timeoutMs };
  const compiled: CompiledRule[] = [];
  for (const rule of flatten(rules, problems)) {
    const wrong = ruleProblems(rule);
    problems.push(...wrong);
    if (wrong.length > 0) continue;
    const { fitted, when, errors, notes } = fitRule(rule, surroundings);
    problems.push(...errors);
    warnings.push(...notes);
    compiled.push(new CompiledRule(fitted, { bucket: bucketOf(fitted.effect, fitted.target), when }, limit));
  }
  if (problems.length > 0) throw new BridleError('POLICY_INVALID', problems.join('; '), { problems });
  for (const { rule } of compiled) warnings.push(...(rule.review?.(catalog?.list() ?? []) ?? []));
  const version = versionOf(
    compiled.map(({ rule }) => rule),
    fallback.effect,
  );
  return new Policy({ rules: compiled, catalog: catalog ?? anyTool, fallback, version, warnings, timeoutMs });
}

function flatten(rules: Rules, problems: string[], depth = 0): Rule[] {
  if (!Array.isArray(rules)) {
    if (typeof rules === 'object' && rules !== null && (rules as Rule).type === 'rule') return [rules as Rule];
    problems.push(`${describe(rules)} is not a rule`);
    return [];
  }
  if (depth > 32) {
    problems.push('the list of rules is nested more than 32 deep');
    return [];
  }
  return rules.flatMap((each: Rules) => flatten(each, problems, depth + 1));
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'function') return `the function ${value.name || 'without a name'} (was it meant to be called?)`;
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}

function fallbackDecision(options: CompileOptions, problems: string[]): Decision {
  const { strict, default: given } = options;
  const effect = given ?? (strict === true ? 'deny' : 'allow');
  if (strict === true && given !== undefined && given !== 'deny')
    problems.push(`strict and default: '${given}' contradict each other`);
  if (effect !== 'allow' && effect !== 'deny' && effect !== 'ask')
    problems.push(`default is ${describe(given)}; it is allow, deny or ask`);
  if (effect === 'ask' && options.approver === undefined)
    problems.push(`default: 'ask' needs an approver: nobody could answer`);
  const reasons = {
    allow: '',
    deny: 'No rule matches this call, and the default is deny',
    ask: 'No rule matches this call',
  };
  return Object.freeze({ effect, rule: undefined, reason: reasons[effect], grant: undefined, paths: [], fixed: true });
}
