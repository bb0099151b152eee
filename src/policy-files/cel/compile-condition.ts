/**
 * Compiles the conditions of policy files: CEL, checked when the policy is loaded, bounded, and three-valued.
 *
 * cel-js only parses the text; the meaning is defined here. An expression can only read the call, compare values, run
 * bounded loops and ask for facts. Patterns are RE2. Unknown is a value of its own, which no operator confuses with
 * false or with a failure.
 */

import type { ToolCall } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { argumentType } from './expression/argument-type.ts';
import { expressionBuilder, buildBoolean } from './build-expression.ts';
import { callBuilder } from './build-calls.ts';
import { anyMap, invalidType } from './expression/cel-type.ts';
import { type ConditionContext, Evaluation, type Evaluator, NoValue } from './expression/evaluation.ts';
import type { ConditionFacts } from './functions/function-row.ts';
import { type ASTNode, parseCondition, type ConditionProblem } from './syntax/parse-condition.ts';
import { treeFromJson } from './syntax/syntax-tree.ts';
import {
  type ConstantText,
  ConditionFindings,
  type CheckedExpression,
  type ExpressionScope,
} from './expression/checked-expression.ts';

/** The environment a condition is checked in. */
export interface ConditionEnvironment {
  /** The known tools that the rule can apply to. */
  readonly tools: readonly ToolDeclaration[];
  /** True if `tools` is complete. */
  readonly complete: boolean;
  readonly facts: ConditionFacts;
  /** The syntax tree of the condition, if it was parsed before. */
  readonly tree?: JsonValue | undefined;
}

export interface CompiledCondition {
  /**
   * Evaluates the condition. Throws FACT_UNKNOWN if the result is unknown, and CONDITION_FAILED if the condition fails
   * for this call or has an error.
   */
  readonly evaluate: (args: JsonObject, call: ToolCall, about: ConditionContext) => boolean;
  readonly problems: readonly ConditionProblem[];
  /** The arguments that the condition reads, by the names it uses. Arguments that facts read are not included. */
  readonly reads: readonly string[];
  /** True if it reads all arguments, or arguments whose names depend on the call. */
  readonly readsAll: boolean;
  /** The names of the facts it uses. */
  readonly usesFacts: readonly string[];
  readonly constantTexts: readonly ConstantText[];
}

export function compileCondition(source: string, environment: ConditionEnvironment): CompiledCondition {
  const findings = new ConditionFindings();
  const parsed =
    environment.tree === undefined
      ? parseCondition(source)
      : { ast: treeFromJson(environment.tree), problem: undefined };
  if (parsed.problem !== undefined) findings.problems.push(parsed.problem);
  const run = parsed.problem === undefined ? buildCondition(parsed.ast, environment, findings) : undefined;
  const error = findings.problems.find(({ severity }) => severity === 'error');
  return {
    evaluate: run === undefined || error !== undefined ? failingEvaluate(error?.message ?? '') : evaluateWith(run),
    problems: findings.problems.toSorted((a, b) => a.offset - b.offset || a.end - b.end),
    reads: [...findings.reads].toSorted(),
    readsAll: findings.readsAll,
    usesFacts: [...findings.facts].toSorted(),
    constantTexts: findings.texts,
  };
}

function buildCondition(ast: ASTNode, environment: ConditionEnvironment, findings: ConditionFindings): Evaluator {
  const type = lazy(() => argumentType(environment.tools, environment.complete));
  const args: CheckedExpression = {
    // Computed on first use, because many conditions use only facts.
    get type() {
      return type();
    },
    run: (run) => run.args,
  };
  const variables = new Map<string, CheckedExpression>([
    ['args', args],
    ['session', { type: anyMap, run: ({ context }) => context.state.session }],
    ['turn', { type: anyMap, run: ({ context }) => context.state.turn }],
  ]);
  const build = expressionBuilder(callBuilder(environment.facts));
  const scope: ExpressionScope = { findings, variables, presentFields: new Set(), loopDepth: 0, build };
  const expression = build(ast, scope);
  const { run } = buildBoolean(ast, { ...scope, build: () => expression });
  if (expression.type.kind === 'dyn' && expression.type !== invalidType) {
    findings.note(ast, 'warning', 'This value may be something other than true or false; then the call is denied.');
  }
  return run;
}

/** A condition with an error fails for every call. */
function failingEvaluate(message: string): CompiledCondition['evaluate'] {
  return () => {
    throw new BridleError('CONDITION_FAILED', `The condition has an error: ${message}`);
  };
}

function evaluateWith(run: Evaluator): CompiledCondition['evaluate'] {
  return (args, call, about) => {
    const value = run(new Evaluation(args, call, about));
    if (typeof value === 'boolean') return value;
    if (!(value instanceof NoValue))
      throw new BridleError('CONDITION_FAILED', 'The condition did not evaluate to true or false.');
    if (value.type === 'unknown') throw new BridleError('FACT_UNKNOWN', value.why);
    const place = value.at === undefined ? '' : ` (at character ${value.at.offset + 1})`;
    throw new BridleError('CONDITION_FAILED', `The condition failed: ${value.why}${place}.`);
  };
}
