/** What plain JavaScript may get wrong about `openPolicy`: an option that is not known would be silently ignored. */

import { anything, type ChecksOf, fieldProblems, flag, is, names, text } from '../catalog/check-fields.ts';
import { BridleError, refuseProblems } from '../errors.ts';
import { isRecord, kindOf } from '../kind-of.ts';
import type { PolicyFileOptions } from './policy-file-options.ts';

const checks: ChecksOf<PolicyFileOptions> = {
  cwd: text,
  home: text,
  // Compiled with the rest of the policy, which tells what is wrong with them.
  untrusted: anything,
  higher: names,
  reload: is('"trusted" or "replace"', (value) => value === 'trusted' || value === 'replace'),
  abstains: flag,
};

/** Throws `OPTION_INVALID` with every problem. */
export function checkPolicyOptions(file: unknown, options: unknown): void {
  if (typeof file !== 'string' || file === '') {
    const given = file === '' ? 'an empty text' : kindOf(file);
    throw new BridleError('OPTION_INVALID', `openPolicy takes the name of a policy file, not ${given}`);
  }
  if (!isRecord(options)) {
    throw new BridleError('OPTION_INVALID', `openPolicy takes an object of options, not ${kindOf(options)}`);
  }
  refuseProblems(
    'OPTION_INVALID',
    fieldProblems(options, checks).map((problem) => `openPolicy: option ${problem}`),
  );
}
