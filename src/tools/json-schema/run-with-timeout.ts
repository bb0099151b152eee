/** Runs synchronous code that untrusted input can make slow, such as regular expressions, with a timeout. */

import { createContext, Script } from 'node:vm';
import { lazy } from '../../kernel/lazy.ts';
import { errorCodeOf } from '../../facts/paths/resolve/path-refusal.ts';

interface VmContext {
  run?: (() => unknown) | undefined;
}

/** Created on first use: most schemas need none. */
let vmContext: VmContext | undefined;
const script = lazy(() => new Script('run()'));

/** The result of `work`, or undefined after the timeout. `work` must be synchronous. */
export function runWithTimeout<T>(work: () => T, timeout: number): T | undefined {
  vmContext ??= createContext({}) as VmContext;
  vmContext.run = work;
  try {
    return script().runInContext(vmContext, { timeout }) as T;
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    vmContext.run = undefined;
  }
}
