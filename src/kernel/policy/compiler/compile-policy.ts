/** Compiles rules to a policy. All problems are reported in one error. */

import { anyTool, Catalog } from '../../catalog/catalog.ts';
import { kindOf } from '../../kind-of.ts';
import { pollutedFields, quoteName } from '../../names.ts';
import { systemClock } from '../../clock.ts';
import { deadlinesOf } from '../../deadlines.ts';
import { throwProblems } from '../../errors.ts';
import { lazy } from '../../lazy.ts';
import { defaultLimits } from '../../limits.ts';
import { readRule, ruleFields } from './read-rule.ts';
import { type CompileOptions, policyDefaultOf, compileOptionProblems } from './compile-options.ts';
import { CompiledRule } from '../evaluator/compiled-rule.ts';
import { resolveRule, serverListProblems } from './resolve-rule.ts';
import { Policy } from '../evaluator/policy.ts';
import type { Rule, Rules } from '../rules/rule.ts';
import { policyVersionOf } from '../rules/policy-version.ts';

const defaultTimeoutMs = 5000;

/** Validates rules and compiles them to a policy. */
export function compilePolicy(rules: Rules, options: CompileOptions = {}): Policy {
  throwProblems('POLICY_INVALID', compileOptionProblems(options));
  const declared = (options.servers ?? []).map((server) => (typeof server === 'string' ? { name: server } : server));
  return compileIn({ all: new Catalog(options.tools ?? [], declared), hasNoGuard: true }, rules, options);
}

/** {@link compilePolicy}, with a catalog that the caller owns and may change: policy and guard must know the same tools. */
export function compilePolicyFor(all: Catalog, rules: Rules, options: CompileOptions): Policy {
  return compileIn({ all, hasNoGuard: false }, rules, options);
}

interface Compiling {
  readonly all: Catalog;
  /** True if there is no guard to check for tools that no rule covers. Then the policy warns about them. */
  readonly hasNoGuard: boolean;
}

function compileIn({ all, hasNoGuard }: Compiling, rules: Rules, options: CompileOptions): Policy {
  const problems = [...pollutedFields(ruleFields), ...compileOptionProblems(options)];
  throwProblems('POLICY_INVALID', problems);
  const { tools, approver, timeoutMs = defaultTimeoutMs, clock = systemClock } = options;
  const catalog = tools === undefined ? undefined : all;
  const servers = options.servers?.map((server) => (typeof server === 'string' ? server : server.name));
  const environment = { catalog, servers, answerable: approver !== undefined, lenient: options.lenient === true };
  const limit = { clock, deadlines: deadlinesOf(clock), timeoutMs };
  const compiled: CompiledRule[] = [];
  const notes: (() => readonly string[])[] = [];
  for (const given of flatten(rules, problems, [])) {
    const rule = readRule(given);
    if (!('type' in rule)) {
      problems.push(...rule);
      continue;
    }
    const { resolved, errors, notes: ruleWarnings } = resolveRule(rule, environment);
    problems.push(...errors);
    notes.push(ruleWarnings);
    compiled.push(new CompiledRule(resolved, compiled.length, limit));
  }
  throwProblems('POLICY_INVALID', problems);
  const fallback = policyDefaultOf(options);
  const resolved = compiled.map(({ rule }) => rule);
  const { effect } = fallback;
  const open = hasNoGuard && options.default === undefined && effect === 'allow';
  // Computed each time, because a server may have listed its tools since.
  const warnings = (): readonly string[] => [
    ...notes.flatMap((note) => note()),
    ...resolved.flatMap((rule) => rule.review?.(all.list()) ?? []),
    ...(catalog === undefined ? [] : catalog.serverWarnings()),
    ...(catalog === undefined ? [] : resolved.flatMap((rule) => serverListProblems(rule, catalog))),
  ];
  return new Policy({
    rules: compiled,
    catalog: catalog ?? anyTool,
    fallback,
    version: lazy(() => policyVersionOf(resolved, { fallback: effect, own: options.version })),
    warnings,
    uncovered: () => (open && catalog !== undefined ? catalog.list() : []),
    timeoutMs,
    deadlines: limit.deadlines,
    limits: Object.freeze({ ...defaultLimits, ...options.limits }),
  });
}

function flatten(rules: Rules, problems: string[], inside: readonly unknown[]): Rule[] {
  if (Array.isArray(rules)) {
    const problem = inside.includes(rules)
      ? 'contains itself'
      : inside.length > 32
        ? 'is nested more than 32 deep'
        : undefined;
    if (problem !== undefined) problems.push(`a list of rules ${problem}`);
    // Array.from instead of flatMap, which would skip holes: a missing rule is a mistake.
    else return Array.from(rules as readonly Rules[], (each) => flatten(each, problems, [...inside, rules])).flat();
    return [];
  }
  if (typeof rules === 'object' && rules !== null && (rules as Rule).type === 'rule') return [rules as Rule];
  problems.push(`${describe(rules)} is not a rule`);
  return [];
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the string ${quoteName(value)}`;
  if (typeof value === 'function') return `the function ${value.name || 'without a name'} (was it meant to be called?)`;
  const made: unknown = typeof value === 'object' && value !== null ? value.constructor : undefined;
  if (made === Policy) return 'a compiled policy (createGuard compiles the rules itself)';
  return typeof made === 'function' && made !== Object ? `an object of class ${made.name}` : kindOf(value);
}
