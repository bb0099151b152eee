/** Declarations of tools and servers. Calls and rules are checked against them. */

import type { Grant, Tier } from './call.ts';

/** The part of Standard Schema that Bridle uses. */
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

/** Declares a tool. Only `name` is required; the default tier is `confirm`. */
export interface ToolDeclaration {
  readonly name: string;
  /** The MCP server it belongs to; undefined for a local tool. */
  readonly server?: string | undefined;
  readonly displayName?: string | undefined;
  /** The description for the model. Rules ignore it. */
  readonly description?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly schema?: StandardSchema | undefined;
  /** Argument names, if the schema does not list them. */
  readonly args?: readonly string[] | undefined;
  /** Arguments that contain paths: `file_path`, `paths`, `edits[].path`. Every item of a list counts. */
  readonly paths?: readonly string[] | undefined;
  /** Arguments that contain commands. They are shown to a person in full. */
  readonly commands?: readonly string[] | undefined;
  /** Other names of this tool and its arguments. */
  readonly aliases?: ToolAliases | undefined;
  /** What its arguments touch. Facts are derived from this. */
  readonly touches?: ToolTouches | undefined;
  readonly grant?: Grant | undefined;
}

/** Argument names, each written as in `paths`. Facts about anything not declared here are unknown. */
export interface ToolTouches {
  /** Arguments that bash runs, in a clean environment like that of `run_command`. */
  readonly bash?: readonly string[] | undefined;
  /** The argument that names the folder they run in; the call's folder if not set. */
  readonly folder?: string | undefined;
  /** Path arguments that are read. They are only read unless they are also in `writes`. */
  readonly reads?: readonly string[] | undefined;
  /** Path arguments that are written. */
  readonly writes?: readonly string[] | undefined;
  /** Arguments that contain URLs. */
  readonly urls?: readonly string[] | undefined;
}

interface ToolAliases {
  readonly names?: readonly string[] | undefined;
  /** Maps an alias to the canonical argument name. */
  readonly args?: Readonly<Record<string, string>> | undefined;
}

/** Configures an MCP server. */
export interface ServerDeclaration {
  readonly name: string;
  /** Only these tools are visible to the model. Cannot be combined with `disabledTools`. */
  readonly enabledTools?: readonly string[] | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  /** Path arguments by tool, because servers do not declare them. */
  readonly paths?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What arguments touch, by tool. */
  readonly touches?: Readonly<Record<string, ToolTouches>> | undefined;
}
