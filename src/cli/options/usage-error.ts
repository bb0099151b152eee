import { BridleError } from '../../kernel/errors.ts';

/** An error in the command line: printed without a stack, exit code 2. */
export function usageError(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
