import type { Rules } from '../../kernel/policy/rules/rule.ts';

export interface OpenPolicyOptions {
  /** The folder the agent works in. Default: the current folder of the process. */
  readonly cwd?: string | undefined;
  /** The folder of Bridle's own files. Default: `~/.bridle`. */
  readonly home?: string | undefined;
  /**
   * The rules that apply until the file is trusted, for a file that the user did not name. Until then, the file can
   * only make decisions stricter.
   */
  readonly untrusted?: Rules | undefined;
  /** Files of higher layers, the highest first: of an organisation or the user. They need no trust. */
  readonly higher?: readonly string[] | undefined;
  /**
   * `trusted` (default): a change can loosen the policy only if its contents are trusted. `replace`: every change takes
   * effect, so everyone who can write the file is trusted.
   */
  readonly reload?: 'trusted' | 'replace' | undefined;
  /** True for an additional layer: if no rule matches, it abstains instead of using its default. */
  readonly abstains?: boolean | undefined;
}
