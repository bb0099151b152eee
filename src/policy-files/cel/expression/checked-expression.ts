/** The scope in which expressions are checked: variables, fields known to exist, and the findings so far. */

import { type CelType, invalidType } from './cel-type.ts';
import { type Evaluator, failure } from './evaluation.ts';
import { type ASTNode, spanOf, type ConditionProblem, type TextSpan } from '../syntax/parse-condition.ts';
import type { PresentFields } from '../syntax/field-presence.ts';
import { closestName } from '../../../kernel/similar-names.ts';

/** An expression that was checked and can be evaluated. */
export interface CheckedExpression {
  readonly type: CelType;
  readonly run: Evaluator;
}

/** How a condition uses a string literal: as a pattern, or as an argument of a fact. */
export type TextUse = 'pattern' | 'entry' | 'glob' | 'domain';

export interface ConstantText extends TextSpan {
  readonly use: TextUse;
  /** The function that receives it. */
  readonly function: string;
  readonly text: string;
}

/** Everything learned about a condition while it is checked. */
export class ConditionFindings {
  readonly problems: ConditionProblem[] = [];
  readonly reads = new Set<string>();
  /** True if the condition reads all arguments, or one whose name depends on the call. */
  readsAll = false;
  readonly facts = new Set<string>();
  readonly texts: ConstantText[] = [];

  note(node: ASTNode, severity: ConditionProblem['severity'], message: string): void {
    const { offset, end } = spanOf(node);
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    if (this.problems.some((known) => known.offset === offset && known.message === text)) return;
    this.problems.push({ offset, end, message: text, severity });
  }
}

export interface ExpressionScope {
  readonly findings: ConditionFindings;
  readonly variables: ReadonlyMap<string, CheckedExpression>;
  readonly presentFields: PresentFields;
  /** The number of enclosing loops. */
  readonly loopDepth: number;
  readonly build: (node: ASTNode, scope: ExpressionScope) => CheckedExpression;
}

/** Records an error. Returns a placeholder that fails if it is ever evaluated. */
export function rejectExpression(scope: ExpressionScope, node: ASTNode, message: string): CheckedExpression {
  scope.findings.note(node, 'error', message);
  return { type: invalidType, run: () => failure(message, spanOf(node)) };
}

const maxLength = 64;

export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  return closestName(
    name,
    [...known].filter((each) => each.length <= maxLength),
  );
}
