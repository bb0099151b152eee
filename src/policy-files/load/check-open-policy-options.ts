/**
 * Checks the options of `openPolicy` at run time: without a check, plain JavaScript could pass unknown options
 * unnoticed.
 */

import { BridleError } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import * as is from '../../kernel/shapes.ts';
import { readOptions } from '../../kernel/shapes.ts';
import type { OpenPolicyOptions } from './open-policy-options.ts';

const shape = is.options<OpenPolicyOptions>({
  cwd: is.text,
  home: is.text,
  // Checked when it is compiled with the rest of the policy.
  untrusted: is.any,
  higher: is.nameList,
  reload: is.oneOf('trusted', 'replace'),
  abstains: is.flag,
});

/** Throws `OPTION_INVALID` with every problem. */
export function checkOpenPolicyOptions(file: unknown, options: unknown): void {
  if (typeof file !== 'string' || file === '') {
    const given = file === '' ? 'an empty string' : kindOf(file);
    throw new BridleError('OPTION_INVALID', `openPolicy takes the path of a policy file, not ${given}`);
  }
  readOptions('openPolicy', options, shape);
}
