/** `bridle/tools`: the built-in tools, and how to make your own. */

export { builtinTools } from './builtin-tools.ts';
export { createBuiltinTools } from './create-builtin-tools.ts';
export type { BuiltinToolOptions } from './builtin-tool-options.ts';
export type { ImageGenerator } from './generate-image.ts';
export { jsonSchemaOf, toStandardSchema } from './json-schema.ts';
export { defineTool } from './runnable-tool.ts';
export type { JsonSchema, RunnableTool, ToolContext, ToolDefinition } from './runnable-tool.ts';
export type { WebSearch } from './search-web.ts';
