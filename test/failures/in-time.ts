/** Waiting for what comes of something, whatever that is and however long it takes by the clock. */

import type { FakeClock } from 'bridle/testing';

/** Lets time pass until something has come of it. */
export async function inTime<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const done = (): void => {
    state.isOver = true;
  };
  work.then(done, done);
  while (!state.isOver) await clock.advance(100);
  return work;
}

/** Why a turn stopped, or the code of its error; "fine" for what has no result. */
export async function codeOf(work: Promise<{ readonly stopReason: string } | void>): Promise<string> {
  try {
    return (await work)?.stopReason ?? 'fine';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
