/** The specification of a built-in tool: the single source of its declaration and of the runnable tool. */

import type { Grant, Tier } from '../../kernel/call.ts';
import type { ToolDeclaration, ToolTouches } from '../../kernel/tool.ts';
import type { JsonSchema } from './runnable-tool.ts';

export interface BuiltinToolSpec {
  readonly name: string;
  readonly description: string;
  readonly tier: Tier;
  /** Its `properties` are the arguments, in order. */
  readonly schema: JsonSchema & { readonly properties: JsonSchema };
  readonly paths?: readonly string[];
  readonly commands?: readonly string[];
  readonly touches?: ToolTouches;
  readonly aliases: NonNullable<ToolDeclaration['aliases']>;
  readonly grant: Grant;
}

/** The declaration that rules and calls are checked against. */
export function declarationFromSpec(tool: BuiltinToolSpec): Omit<ToolDeclaration, 'schema' | 'server'> {
  const { name, tier, schema, paths, commands, touches, aliases, grant } = tool;
  return { name, tier, args: Object.keys(schema.properties), paths, commands, touches, aliases, grant };
}

/** An object schema without further properties. */
export function argsSchema(properties: JsonSchema, required: readonly string[]): BuiltinToolSpec['schema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const filePathAliases = { path: 'file_path', AbsolutePath: 'file_path', TargetFile: 'file_path' };
export const folderPathAliases = { DirectoryPath: 'directory_path', path: 'directory_path' };

export const seconds = 1000;
export const kib = 1024;
