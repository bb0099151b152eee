/** Compiles rules to a policy. All problems are reported in one error. */

import type { Effect } from '../../call.ts';
import { anyTool, Catalog } from '../../catalog/catalog.ts';
import { kindOf } from '../../kind-of.ts';
import { listTools, pollutedFields, quoteName } from '../../names.ts';
import { systemClock } from '../../clock.ts';
import { deadlinesOf } from '../../deadlines.ts';
import { throwProblems } from '../../errors.ts';
import { lazy } from '../../lazy.ts';
import { defaultLimits } from '../../limits.ts';
import { readRule, ruleFields } from './read-rule.ts';
import { type CompileOptions, policyDefaultOf, readCompileOptions } from './compile-options.ts';
import { CompiledRule } from '../evaluator/compiled-rule.ts';
import { resolveRule, ruleErrors, ruleWarnings } from './resolve-rule.ts';
import { Policy } from '../evaluator/policy.ts';
import type { Rule, Rules } from '../rules/rule.ts';
import { targetText } from '../rules/target.ts';

const defaultTimeoutMs = 5000;

/** Validates rules and compiles them to a policy. */
export function compilePolicy(rules: Rules, options: CompileOptions = {}): Policy {
  const read = readCompileOptions(options);
  const servers = (read.servers ?? []).map((server) => (typeof server === 'string' ? { name: server } : server));
  return compile(new Catalog(read.tools ?? [], servers), rules, {
    ...read,
    warnsOfUncovered: true,
  });
}

/** {@link compilePolicy}, with a catalog that the caller owns and may change: policy and guard must know the same tools. */
export function compilePolicyFor(all: Catalog, rules: Rules, options: CompileOptions): Policy {
  return compile(all, rules, { ...readCompileOptions(options), warnsOfUncovered: false });
}

interface CheckedOptions extends CompileOptions {
  /** True if there is no guard to refuse tools that no rule covers. */
  readonly warnsOfUncovered: boolean;
}

function compile(all: Catalog, rules: Rules, options: CheckedOptions): Policy {
  throwProblems('POLICY_INVALID', pollutedFields(ruleFields));
  const { tools, approver, timeoutMs = defaultTimeoutMs, clock = systemClock, lenient = false } = options;
  const catalog = tools === undefined ? undefined : all;
  const servers = options.servers?.map((server) => (typeof server === 'string' ? server : server.name));
  const environment = { catalog, servers, answerable: approver !== undefined, lenient };
  const limit = { clock, deadlines: deadlinesOf(clock), timeoutMs };
  const problems: string[] = [];
  const compiled: CompiledRule[] = [];
  for (const given of flatten(rules, problems, [])) {
    const rule = readRule(given);
    if ('type' in rule) {
      problems.push(...ruleErrors(rule, environment));
      compiled.push(new CompiledRule(resolveRule(rule, environment), compiled.length, limit));
    } else problems.push(...rule);
  }
  throwProblems('POLICY_INVALID', problems);
  const fallback = policyDefaultOf(options);
  const isOpen = options.warnsOfUncovered && options.default === undefined && fallback.effect === 'allow';
  const resolved = compiled.map(({ rule }) => rule);
  return new Policy({
    rules: compiled,
    catalog: catalog ?? anyTool,
    fallback,
    version: lazy(() => versionOf(resolved, fallback.effect, options.version)),
    warnings: (policy) => [
      ...(catalog === undefined ? [] : resolved.flatMap((rule) => ruleWarnings(rule, catalog))),
      ...resolved.flatMap((rule) => rule.review?.(all.list()) ?? []),
      ...(catalog === undefined ? [] : catalog.serverWarnings()),
      ...(isOpen && catalog !== undefined ? uncoveredWarnings(policy, catalog) : []),
    ],
    timeoutMs,
    deadlines: limit.deadlines,
    limits: Object.freeze({ ...defaultLimits, ...options.limits }),
  });
}

function uncoveredWarnings(policy: Policy, catalog: Catalog): readonly string[] {
  const open = catalog.list().filter((tool) => tool.tier !== 'observe' && policy.isUncovered(tool));
  return open.length === 0 ? [] : [`no rule covers ${listTools(open, 20)}: the default allows them`];
}

/**
 * A short fingerprint of rules that identifies a policy. It is not a security measure: an attacker who can change rules
 * need not forge it. Functions are compared by their source text, so closures with equal source look equal. That is why
 * `compilePolicy` takes a `version` for what the source does not show.
 */
function versionOf(rules: readonly Rule[], fallback: Effect, own: string | undefined): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const mix = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ (unit + low), 0x85ebca6b);
    }
  };
  mix(JSON.stringify([fallback, own]));
  for (const { effect, target, name, grant, shadow, fingerprint, unknown, approval, ...rule } of rules) {
    const code = [rule.when, rule.reason, rule.check, rule.handler].map((part) => String(part ?? ''));
    if (approval !== undefined) code.push(approval);
    mix(JSON.stringify([effect, targetText(target), name, grant, shadow, fingerprint, unknown, ...code]));
  }
  return [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
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
