import type { Rules } from '../../kernel/policy/rules/rule.ts';

export interface OpenPolicyOptions {
  /** The folder the agent works in; the folder of the process if not given. */
  readonly cwd?: string | undefined;
  /** The folder of Bridle's own files; `~/.bridle` if not given. */
  readonly home?: string | undefined;
  /** The rules that hold until the file is trusted, if the user has not named it: then it may only tighten them. */
  readonly untrusted?: Rules | undefined;
  /** Files of higher layers, the highest first: of an organisation, of the user. They need no trust. */
  readonly higher?: readonly string[] | undefined;
  /** `trusted`: a change loosens only if its content is trusted. `replace`: whoever can write the file is trusted. */
  readonly reload?: 'trusted' | 'replace' | undefined;
  /** True for a further layer: where no rule matches, it has no say, whatever its default is. */
  readonly abstains?: boolean | undefined;
}
