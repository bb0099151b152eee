/** What a remembered rule says: its data, one form for each kind of tool. */

import type { JsonObject } from '../../kernel/json.ts';

interface ToolRule {
  readonly server: string | null;
  readonly tool: string;
}

/** Lines of bash that run nothing but these commands, in one folder. */
export interface CommandsRule extends ToolRule {
  readonly kind: 'commands';
  /** The argument that holds the line. */
  readonly argument: string;
  /** Absolute, every link followed. */
  readonly folder: string;
  /** Programs with their subcommands, as `runsOnly` takes them. */
  readonly commands: readonly string[];
  /** All other arguments, as they must be. */
  readonly rest: JsonObject;
}

/** One tool on the same files, whatever its other arguments. */
export interface FilesRule extends ToolRule {
  readonly kind: 'files';
  readonly files: readonly RuleFile[];
  /** The arguments that are left open. */
  readonly open: readonly string[];
}

export interface RuleFile {
  /** Where it stands in the args: `file_path`, `paths[0]`. */
  readonly at: string;
  /** Absolute, every link followed. */
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
