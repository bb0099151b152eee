/** What the parts of a condition are built in: the names in sight, what is known to be there, and where findings go. */

import { type CelType, wrong } from './cel-type.ts';
import type { Run } from './evaluation.ts';
import { type ASTNode, spanOf } from './parse.ts';
import { failed } from './evaluation.ts';
import type { Present } from './presence.ts';
import type { ConditionProblem, Span } from './problem.ts';

/** An expression, checked and ready to run. */
export interface Part {
  readonly type: CelType;
  readonly run: Run;
}

/** What a constant text of a condition is: a pattern, or what a fact is asked about. */
export type TextUse = 'pattern' | 'entry' | 'glob' | 'domain';

export interface ConstantText extends Span {
  readonly use: TextUse;
  /** The function it is given to. */
  readonly function: string;
  readonly text: string;
}

/** Everything that is found out about a condition while it is built. */
export class Findings {
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

export interface Scope {
  readonly findings: Findings;
  readonly variables: ReadonlyMap<string, Part>;
  readonly present: Present;
  /** How many loops stand around. */
  readonly loops: number;
  readonly build: (node: ASTNode, scope: Scope) => Part;
}

/** Notes an error; the part that stands in for the wrong one never runs, and would fail if it did. */
export function refuse(scope: Scope, node: ASTNode, message: string): Part {
  scope.findings.note(node, 'error', message);
  return { type: wrong, run: () => failed(message, spanOf(node)) };
}
