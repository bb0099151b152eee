/** Runs code that other people's data can make slow, such as their regular expressions, and stops it at a limit. */

import { createContext, Script } from 'node:vm';
import { lazy } from '../../kernel/lazy.ts';
import { errorCodeOf } from '../../facts/paths/resolve/path-refusal.ts';

interface VmContext {
  run?: (() => unknown) | undefined;
}

/** Made when first needed: most schemas need none. */
let vmContext: VmContext | undefined;
const script = lazy(() => new Script('run()'));

/** What `work` gives, or undefined if it did not end in time. It must not wait for anything. */
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
