/** Waits for a person until the turn is cancelled or the time limit passes. */

import { type Deadlines, type timedOut, withTimeout } from '../../deadlines.ts';
import type { TurnState } from './turn-state.ts';

export const cancelled: unique symbol = Symbol('cancelled');

interface AskFrame {
  readonly turn: TurnState | undefined;
  readonly state: { readonly parts: { readonly askTimeoutMs: number; readonly deadlines: Deadlines } };
}

/** The value of `given`, `cancelled` if the turn is cancelled first, or `timedOut`. */
export function waitForPerson<T>(
  given: PromiseLike<T>,
  { turn, state: { parts } }: AskFrame,
): Promise<T | typeof cancelled | typeof timedOut> {
  return withTimeout(untilCancelled(given, turn), parts.askTimeoutMs, parts);
}

function untilCancelled<T>(given: PromiseLike<T>, turn: TurnState | undefined): Promise<T | typeof cancelled> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(cancelled);
    turn?.onCancel.add(stop);
    if (turn?.cancelled === true) stop();
    const done = (): unknown => turn?.onCancel.delete(stop);
    given.then(
      (value) => (done(), resolve(value)),
      (error: unknown) => (done(), reject(error)),
    );
  });
}
