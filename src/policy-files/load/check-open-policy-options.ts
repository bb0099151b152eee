/**
 * Checks the options of `openPolicy` at run time: without a check, plain JavaScript could pass unknown options
 * unnoticed.
 */

import {
  anyCheck,
  type ChecksOf,
  fieldProblems,
  booleanCheck,
  checkThat,
  nameListCheck,
  textCheck,
} from '../../kernel/check-fields.ts';
import { BridleError, throwProblems } from '../../kernel/errors.ts';
import { isRecord, kindOf } from '../../kernel/kind-of.ts';
import type { OpenPolicyOptions } from './open-policy-options.ts';

const checks: ChecksOf<OpenPolicyOptions> = {
  cwd: textCheck,
  home: textCheck,
  // Checked when it is compiled with the rest of the policy.
  untrusted: anyCheck,
  higher: nameListCheck,
  reload: checkThat('"trusted" or "replace"', (value) => value === 'trusted' || value === 'replace'),
  abstains: booleanCheck,
};

/** Throws `OPTION_INVALID` with every problem. */
export function checkOpenPolicyOptions(file: unknown, options: unknown): void {
  if (typeof file !== 'string' || file === '') {
    const given = file === '' ? 'an empty string' : kindOf(file);
    throw new BridleError('OPTION_INVALID', `openPolicy takes the path of a policy file, not ${given}`);
  }
  if (!isRecord(options)) {
    throw new BridleError('OPTION_INVALID', `openPolicy takes an object of options, not ${kindOf(options)}`);
  }
  throwProblems(
    'OPTION_INVALID',
    fieldProblems(options, checks).map((problem) => `openPolicy: option ${problem}`),
  );
}
