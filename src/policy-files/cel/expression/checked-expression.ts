/** What the parts of a condition are built in: the names in sight, what is known to be there, and where findings go. */

import { type CelType, invalidType } from './cel-type.ts';
import type { Evaluator } from './evaluation.ts';
import { type ASTNode, spanOf } from '../syntax/parse-condition.ts';
import { failure } from './evaluation.ts';
import type { PresentFields } from '../syntax/field-presence.ts';
import type { ConditionProblem, TextSpan } from '../syntax/condition-problem.ts';

/** An expression, checked and ready to run. */
export interface CheckedExpression {
  readonly type: CelType;
  readonly run: Evaluator;
}

/** What a constant text of a condition is: a pattern, or what a fact is asked about. */
export type TextUse = 'pattern' | 'entry' | 'glob' | 'domain';

export interface ConstantText extends TextSpan {
  readonly use: TextUse;
  /** The function it is given to. */
  readonly function: string;
  readonly text: string;
}

/** Everything that is found out about a condition while it is built. */
export class ConditionFindings {
  readonly problems: ConditionProblem[] = [];
  readonly reads = new Set<string>();
  /** True if the arguments are read as a whole, or under a name that only the call tells. */
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
  /** How many loops stand around. */
  readonly loopDepth: number;
  readonly build: (node: ASTNode, scope: ExpressionScope) => CheckedExpression;
}

/** Notes an error; the part that stands in for the wrong one never runs, and would fail if it did. */
export function rejectExpression(scope: ExpressionScope, node: ASTNode, message: string): CheckedExpression {
  scope.findings.note(node, 'error', message);
  return { type: invalidType, run: () => failure(message, spanOf(node)) };
}
