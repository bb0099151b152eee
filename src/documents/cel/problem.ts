/** What is wrong with the text of a condition, and at which characters. */

export interface Span {
  readonly offset: number;
  readonly end: number;
}

export interface ConditionProblem extends Span {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}
