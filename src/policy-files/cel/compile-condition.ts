/**
 * Conditions of policy files: CEL, checked at load, bounded, in three values.
 *
 * Reading the text is left to cel-js; what it means is decided here. So an expression can do nothing but read the call,
 * compare, loop a bounded number of times, and ask for facts; patterns are RE2; and unknown is a value of its own that
 * no operator confuses with false or with a failure.
 */

import type { ToolCall } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { argumentType } from './expression/argument-type.ts';
import { expressionBuilder } from './build-expression.ts';
import { callBuilder } from './build-calls.ts';
import { anyMap, invalidType } from './expression/cel-type.ts';
import { type ConditionContext, Evaluation, type Evaluator, NoValue } from './expression/evaluation.ts';
import type { ConditionFacts } from './functions/condition-facts.ts';
import { buildBoolean } from './build-logic.ts';
import { type ASTNode, parseCondition } from './syntax/parse-condition.ts';
import type { ConditionProblem } from './syntax/condition-problem.ts';
import { treeFromJson } from './syntax/syntax-tree.ts';
import {
  type ConstantText,
  ConditionFindings,
  type CheckedExpression,
  type ExpressionScope,
} from './expression/checked-expression.ts';

/** What a condition is checked against. */
export interface ConditionEnvironment {
  /** The tools the rule can be about, as far as they are known. */
  readonly tools: readonly ToolDeclaration[];
  /** Whether these are all. */
  readonly complete: boolean;
  readonly facts: ConditionFacts;
  /** The syntax tree of the condition, where it was read before. */
  readonly tree?: JsonValue | undefined;
}

export interface CompiledCondition {
  /**
   * Whether the condition holds. Throws FACT_UNKNOWN if that cannot be told, and CONDITION_FAILED if the condition went
   * wrong for this call, or is wrong itself.
   */
  readonly evaluate: (args: JsonObject, call: ToolCall, about: ConditionContext) => boolean;
  readonly problems: readonly ConditionProblem[];
  /** The arguments it reads, under the names it uses. Facts read what the tool declares; they are not among these. */
  readonly reads: readonly string[];
  /** True if it reads all arguments, or some whose names only the call tells. */
  readonly readsAll: boolean;
  /** The names of the facts it asks for. */
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
    // Many conditions ask for facts only.
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
    findings.note(ast, 'warning', 'Nobody says that this is true or false; where it is not, the call is denied.');
  }
  return run;
}

/** A condition with an error holds for nothing and fails for everything, should anybody ask it all the same. */
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
      throw new BridleError('CONDITION_FAILED', 'The condition is neither true nor false.');
    if (value.type === 'unknown') throw new BridleError('FACT_UNKNOWN', value.why);
    const place = value.at === undefined ? '' : ` (at character ${value.at.offset + 1})`;
    throw new BridleError('CONDITION_FAILED', `The condition failed: ${value.why}${place}.`);
  };
}
