/** What is declared about a tool and about a server, so that calls and rules can be checked against it. */

import type { Grant, Tier } from './call.ts';

/** The part of Standard Schema that is used here. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly jsonSchema?: JsonSchemas | undefined;
  };
}

interface JsonSchemas {
  readonly input: (options: { target: string }) => unknown;
  readonly output?: ((options: { target: string }) => unknown) | undefined;
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a tool says about itself. Only `name` is needed; a tool without a tier is `confirm`. */
export interface ToolDeclaration {
  readonly name: string;
  /** The MCP server it belongs to; none for a local tool. */
  readonly server?: string | undefined;
  readonly displayName?: string | undefined;
  /** What the model reads. No rule looks at it. */
  readonly description?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly schema?: StandardSchema | undefined;
  /** Argument names, where the schema does not tell them. */
  readonly args?: readonly string[] | undefined;
  /** Arguments that hold paths: `file_path`, `paths`, `edits[].path`. A list is covered whole. */
  readonly paths?: readonly string[] | undefined;
  /** Arguments that hold commands: shown to a person without a cut. */
  readonly commands?: readonly string[] | undefined;
  /** Other names this tool and its arguments go by. */
  readonly aliases?: ToolAliases | undefined;
  /** What its arguments touch, for facts. */
  readonly touches?: ToolTouches | undefined;
  readonly grant?: Grant | undefined;
}

/** Names of arguments, each as in `paths`. What is not told here cannot be known of a call. */
export interface ToolTouches {
  /** Arguments that are run by bash, started as bare as `run_command` starts it. */
  readonly bash?: readonly string[] | undefined;
  /** The argument that names the folder they are run in; the folder of the call if not given. */
  readonly folder?: string | undefined;
  /** Path arguments that are read; only read, unless they are among `writes` too. */
  readonly reads?: readonly string[] | undefined;
  /** Path arguments that are written. */
  readonly writes?: readonly string[] | undefined;
  /** Arguments that hold URLs. */
  readonly urls?: readonly string[] | undefined;
}

interface ToolAliases {
  readonly names?: readonly string[] | undefined;
  /** Alias to canonical argument name. */
  readonly args?: Readonly<Record<string, string>> | undefined;
}

/** What is configured about an MCP server. */
export interface ServerDeclaration {
  readonly name: string;
  /** Only these tools exist for the model. Not together with `disabledTools`. */
  readonly enabledTools?: readonly string[] | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  /** Path arguments by tool, since servers do not declare them. */
  readonly paths?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What arguments touch, by tool. */
  readonly touches?: Readonly<Record<string, ToolTouches>> | undefined;
}
