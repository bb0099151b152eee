/** Runs the `tests:` of a policy against the whole policy, and counts which rules they cover (D06). */

import { resolve } from 'node:path';
import type { Decision, Effect, RuleRef } from '../../kernel/call.ts';
import { didYouMean, quoteName } from '../../kernel/names.ts';
import { callOfTest } from '../sample-calls/candidate-calls.ts';
import { CoverageCounter, type RuleCoverage } from './rule-coverage.ts';
import type { PolicyFileTest, FilePosition } from '../policy-file.ts';
import type { CheckRequest, LoadedPolicy, PolicyExplanation, PolicyLayer } from '../loaded-policy.ts';
import { PolicyRules, targetCovers } from '../policy-rules.ts';
import { argumentNames } from '../../kernel/catalog/argument-names.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';

/** The result of one test. */
export interface TestedCase {
  readonly name?: string | undefined;
  readonly file: string;
  readonly at: FilePosition;
  readonly call: CheckRequest;
  readonly passed: boolean;
  /** True if a lower layer is stricter than the test expects, which is allowed. */
  readonly tightened?: boolean | undefined;
  /** Why the test failed. */
  readonly problem?: string | undefined;
  readonly expected: { readonly effect: Effect; readonly rule?: string | undefined };
  readonly got: { readonly effect: Effect; readonly rule?: RuleRef | undefined; readonly reason: string };
}

export interface TestReport {
  readonly cases: readonly TestedCase[];
  readonly coverage: readonly RuleCoverage[];
  readonly summary: {
    readonly cases: number;
    readonly passed: number;
    readonly failed: number;
    readonly rules: number;
    /**
     * Rules, counted by target: those that decided a test, those that were only evaluated, and those that no test
     * reached.
     */
    readonly decided: number;
    readonly reached: number;
    readonly never: number;
  };
}

/** Runs the tests of every file of a policy, starting with its own file. */
export async function testPolicy(policy: LoadedPolicy, options: { readonly cwd?: string } = {}): Promise<TestReport> {
  const policyRules = new PolicyRules(policy);
  const coverage = new CoverageCounter(policyRules);
  const cases: TestedCase[] = [];
  const cwd = options.cwd ?? policy.cwd;
  for (const layer of policy.layers.toReversed()) {
    for (const test of layer.policyFile.tests) {
      const call = callOfTest(test, test.cwd === undefined ? options.cwd : resolve(cwd, test.cwd));
      const explanation = await policy.explain(call);
      coverage.add(explanation);
      cases.push(testedCase({ test, call, layer, policyRules, policy }, explanation));
    }
  }
  const rules = coverage.report();
  const passed = cases.filter((each) => each.passed).length;
  const count = (status: RuleCoverage['status']): number => rules.filter((rule) => rule.status === status).length;
  return {
    cases,
    coverage: rules,
    summary: {
      cases: cases.length,
      passed,
      failed: cases.length - passed,
      rules: rules.length,
      decided: count('decided'),
      reached: count('reached'),
      never: count('never'),
    },
  };
}

interface TestRun {
  readonly test: PolicyFileTest;
  readonly call: CheckRequest;
  readonly layer: PolicyLayer;
  readonly policyRules: PolicyRules;
  readonly policy: LoadedPolicy;
}

function testedCase(run: TestRun, { decision }: PolicyExplanation): TestedCase {
  const { test, call, layer } = run;
  const { effect, rule, reason } = decision;
  const tightened = isTightened(run, decision);
  const problem = tightened ? undefined : problemOf(run, decision);
  return {
    ...(test.name === undefined ? {} : { name: test.name }),
    file: layer.policyFile.file,
    at: test.at,
    call,
    passed: problem === undefined,
    ...(tightened ? { tightened } : {}),
    ...(problem === undefined ? {} : { problem }),
    expected: { effect: test.expect, ...(test.rule === undefined ? {} : { rule: test.rule }) },
    got: { effect, ...(rule === undefined ? {} : { rule }), reason },
  };
}

/** A lower layer may always be stricter than the file of the test. */
function isTightened({ test, layer, policyRules, policy: { layers } }: TestRun, { effect, rule }: Decision): boolean {
  const decider = policyRules.entryOf(rule)?.layer;
  const isLower = decider !== undefined && layers.indexOf(decider) > layers.indexOf(layer);
  return isLower && strictness[effect] > strictness[test.expect];
}

const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

function problemOf({ test, call, policyRules, policy }: TestRun, decision: Decision): string | undefined {
  const { effect, rule, reason, problem } = decision;
  const { expect, rule: expectedRule } = test;
  // A call that is denied only because of a misspelled name must not pass as proof that a rule works.
  const misread = problem ?? misnamedProblem(call, policy, policyRules);
  if (misread !== undefined) return `the call cannot be read: ${misread}`;
  if (effect !== expect) return `expected ${expect}, got ${effect}${reason === '' ? '' : `: ${reason}`}`;
  if (
    expectedRule === undefined ||
    rule?.name === expectedRule ||
    policyRules.entryOf(rule)?.rule.name === expectedRule
  )
    return undefined;
  const names = policyRules.entries
    .flatMap((entry) => [entry.rule.name, entry.ref?.name])
    .filter((name) => name !== undefined);
  if (!names.includes(expectedRule)) return `no rule is named "${expectedRule}"${didYouMean(expectedRule, names)}`;
  return `expected the rule "${expectedRule}", but ${rule === undefined ? 'the default' : `"${rule.name}"`} decided`;
}

/**
 * Describes a tool, server or argument of a call that does not exist and is probably misspelled. The default would
 * decide such a call, and a test of it would pass without testing anything.
 */
function misnamedProblem(
  { tool: name, server, args }: CheckRequest,
  { catalog, tools, servers }: LoadedPolicy,
  policyRules: PolicyRules,
): string | undefined {
  const { tool } = catalog.find(server, name);
  const own = tools.filter((each) => each.server === server);
  const isDeclared = own.some((each) => each.name === tool?.name);
  const isInRules = policyRules.entries.some(
    ({ target }) => target.type === 'tool' && targetCovers(target, server, name),
  );
  if (!isDeclared && !isInRules) {
    const names = own.flatMap((each) => [each.name, ...(each.aliases?.names ?? [])]);
    const serverNames = servers.map((each) => each.name);
    const isServerKnown = server === undefined || serverNames.includes(server);
    const hint = isServerKnown ? didYouMean(name, names) : didYouMean(server, serverNames);
    if (hint !== '')
      return `no ${isServerKnown ? 'tool' : 'server'} is named ${quoteName(isServerKnown ? name : server)}${hint}`;
  }
  const known = tool === undefined ? undefined : argumentNames(tool);
  if (known === undefined || args === undefined || !isJsonObject(args as JsonValue)) return undefined;
  const unknown = Object.keys(args as object).find((each) => !known.has(each));
  return unknown === undefined
    ? undefined
    : `${quoteName(name)} has no argument ${quoteName(unknown)}${didYouMean(unknown, known) || '.'}`;
}
