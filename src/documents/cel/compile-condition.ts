/**
 * Conditions of policy files: CEL, checked at load, bounded, in three values.
 *
 * Reading the text is left to cel-js; what it means is decided here. So an expression can do nothing but read the call,
 * compare, loop a bounded number of times, and ask for facts; patterns are RE2; and unknown is a value of its own that
 * no operator confuses with false or with a failure.
 */

import type { ToolCall } from '../../call.ts';
import { BridleError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { lazy } from '../../lazy.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { argumentType } from './argument-type.ts';
import { builder } from './build.ts';
import { callBuilder } from './calls.ts';
import { anyMap, wrong } from './cel-type.ts';
import { type About, Evaluation, type Run, Trouble } from './evaluation.ts';
import type { CelFacts } from './facts.ts';
import { condition } from './logic.ts';
import { type ASTNode, parseCondition } from './parse.ts';
import type { ConditionProblem } from './problem.ts';
import { readTree } from './syntax-tree.ts';
import { type ConstantText, Findings, type Part, type Scope } from './scope.ts';

/** What a condition is checked against. */
export interface CelWorld {
  /** The tools the rule can be about, as far as they are known. */
  readonly tools: readonly ToolDeclaration[];
  /** Whether these are all. */
  readonly complete: boolean;
  readonly facts: CelFacts;
  /** The syntax tree of the condition, where it was read before. */
  readonly tree?: JsonValue | undefined;
}

export interface CompiledCondition {
  /**
   * Whether the condition holds. Throws FACT_UNKNOWN if that cannot be told, and CONDITION_FAILED if the condition went
   * wrong for this call, or is wrong itself.
   */
  readonly evaluate: (args: JsonObject, call: ToolCall, about: About) => boolean;
  readonly problems: readonly ConditionProblem[];
  /** The arguments it reads, under the names it uses. Facts read what the tool declares; they are not among these. */
  readonly reads: readonly string[];
  /** True if it reads all arguments, or some whose names only the call tells. */
  readonly readsAll: boolean;
  /** The names of the facts it asks for. */
  readonly usesFacts: readonly string[];
  readonly constantTexts: readonly ConstantText[];
}

export function compileCondition(source: string, world: CelWorld): CompiledCondition {
  const findings = new Findings();
  const parsed = world.tree === undefined ? parseCondition(source) : { ast: readTree(world.tree), problem: undefined };
  if (parsed.problem !== undefined) findings.problems.push(parsed.problem);
  const run = parsed.problem === undefined ? buildWhole(parsed.ast, world, findings) : undefined;
  const error = findings.problems.find(({ severity }) => severity === 'error');
  return {
    evaluate: run === undefined || error !== undefined ? refusal(error?.message ?? '') : evaluator(run),
    problems: findings.problems.toSorted((a, b) => a.offset - b.offset || a.end - b.end),
    reads: [...findings.reads].toSorted(),
    readsAll: findings.readsAll,
    usesFacts: [...findings.facts].toSorted(),
    constantTexts: findings.texts,
  };
}

function buildWhole(ast: ASTNode, world: CelWorld, findings: Findings): Run {
  const type = lazy(() => argumentType(world.tools, world.complete));
  const args: Part = {
    // Many conditions ask for facts only.
    get type() {
      return type();
    },
    run: (run) => run.args,
  };
  const variables = new Map<string, Part>([
    ['args', args],
    ['session', { type: anyMap, run: ({ about }) => about.state.session }],
    ['turn', { type: anyMap, run: ({ about }) => about.state.turn }],
  ]);
  const build = builder(callBuilder(world.facts));
  const scope: Scope = { findings, variables, present: new Set(), loops: 0, build };
  const whole = build(ast, scope);
  const { run } = condition(ast, { ...scope, build: () => whole });
  if (whole.type.kind === 'dyn' && whole.type !== wrong) {
    findings.note(ast, 'warning', 'Nobody says that this is true or false; where it is not, the call is denied.');
  }
  return run;
}

/** A condition with an error holds for nothing and fails for everything, should anybody ask it all the same. */
function refusal(message: string): CompiledCondition['evaluate'] {
  return () => {
    throw new BridleError('CONDITION_FAILED', `The condition has an error: ${message}`);
  };
}

function evaluator(run: Run): CompiledCondition['evaluate'] {
  return (args, call, about) => {
    const value = run(new Evaluation(args, call, about));
    if (typeof value === 'boolean') return value;
    if (!(value instanceof Trouble))
      throw new BridleError('CONDITION_FAILED', 'The condition is neither true nor false.');
    if (value.type === 'unknown') throw new BridleError('FACT_UNKNOWN', value.why);
    const place = value.at === undefined ? '' : ` (at character ${value.at.offset + 1})`;
    throw new BridleError('CONDITION_FAILED', `The condition failed: ${value.why}${place}.`);
  };
}
