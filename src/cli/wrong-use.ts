import { BridleError } from '../errors.ts';

/** For what somebody has typed: told without a stack, and the exit code says so. */
export function wrong(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
