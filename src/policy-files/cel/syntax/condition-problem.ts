/** A problem in a condition, with the affected characters. */

export interface TextSpan {
  readonly offset: number;
  readonly end: number;
}

export interface ConditionProblem extends TextSpan {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}
