/** Waiting for a person only as long as the turn lasts. */

import type { TurnState } from './turn-state.ts';

export const cancelled: unique symbol = Symbol('cancelled');

/** What `given` settles to, or `cancelled` as soon as the turn is. */
export function untilCancelled<T>(given: PromiseLike<T>, turn: TurnState | undefined): Promise<T | typeof cancelled> {
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
