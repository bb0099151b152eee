/** Runs code that other people's data can make slow, such as their regular expressions, and stops it at a limit. */

import { createContext, Script } from 'node:vm';
import { lazy } from '../lazy.ts';
import { codeOf } from '../paths/refusal.ts';

interface Room {
  run?: (() => unknown) | undefined;
}

/** Made when first needed: most schemas need none. */
let room: Room | undefined;
const script = lazy(() => new Script('run()'));

/** What `work` gives, or undefined if it did not end in time. It must not wait for anything. */
export function inTime<T>(work: () => T, timeout: number): T | undefined {
  room ??= createContext({}) as Room;
  room.run = work;
  try {
    return script().runInContext(room, { timeout }) as T;
  } catch (error) {
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    room.run = undefined;
  }
}
