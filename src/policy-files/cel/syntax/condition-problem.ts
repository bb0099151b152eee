/** What is wrong with the text of a condition, and at which characters. */

export interface TextSpan {
  readonly offset: number;
  readonly end: number;
}

export interface ConditionProblem extends TextSpan {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}
