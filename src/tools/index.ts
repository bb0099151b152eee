/** `bridle/tools`: the built-in tools, and how to define your own. */

export { flattenName } from '../kernel/names.ts';
export { parseFlatName } from './parse-flat-name.ts';
export { builtinTools } from './declare-builtins.ts';
export { createBuiltinTools } from './create-builtin-tools.ts';
export type { BuiltinToolOptions } from './builtin-tool-options.ts';
export type { ImageGenerator } from './builtin/host-tools.ts';
export { jsonSchemaOf, toStandardSchema } from './json-schema/standard-schema.ts';
export { defineTool } from './definition/runnable-tool.ts';
export type { JsonSchema, RunnableTool, ToolContext, ToolDefinition } from './definition/runnable-tool.ts';
export type { WebSearch } from './builtin/host-tools.ts';
