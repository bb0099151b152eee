import type { Scope } from '../../scope/scope.ts';

/** The part of a turn that its activities need. */
export interface TurnState {
  readonly number: number;
  step: number;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  readonly cancelled: boolean;
  /** Called once when the turn is cancelled. */
  readonly onCancel: Set<() => void>;
}
