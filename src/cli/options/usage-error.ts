import { BridleError } from '../../kernel/errors.ts';

/** For what somebody has typed: told without a stack, and the exit code says so. */
export function usageError(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
