/** The data of a remembered rule, one form per kind of tool. */

import type { JsonObject } from '../../kernel/json.ts';

interface ToolRule {
  readonly server: string | null;
  readonly tool: string;
}

/** Command lines that run only these commands, in one folder. */
export interface CommandsRule extends ToolRule {
  readonly kind: 'commands';
  /** The argument with the command line. */
  readonly argument: string;
  /** Absolute, with symbolic links resolved. */
  readonly folder: string;
  /** Programs with their subcommands, as `runsOnly` takes them. */
  readonly commands: readonly string[];
  /** All other arguments, which must be equal. */
  readonly rest: JsonObject;
}

/** One tool on the same files, with any other arguments. */
export interface FilesRule extends ToolRule {
  readonly kind: 'files';
  readonly files: readonly RuleFile[];
  /** The arguments that can have any value. */
  readonly open: readonly string[];
}

export interface RuleFile {
  /** The place in the args: `file_path`, `paths[0]`. */
  readonly at: string;
  /** Absolute, with symbolic links resolved. */
  readonly path: string;
}

/** One tool on addresses of the same scheme, host and port. */
export interface AddressesRule extends ToolRule {
  readonly kind: 'addresses';
  readonly argument: string;
  readonly origin: string;
  readonly rest: JsonObject;
}

export type ProposedRule = CommandsRule | FilesRule | AddressesRule;
