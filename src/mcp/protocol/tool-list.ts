/** Fetches and validates a server's tool list: all pages, within limits. An invalid tool is left out. */

import { nameProblem, quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import type { McpLimits } from './mcp-limits.ts';

/** A server's definition of a tool: a frozen, canonical copy of the fields that Bridle uses. */
export interface McpToolDefinition {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  readonly annotations: JsonObject | undefined;
}

export interface ToolList {
  readonly tools: readonly McpToolDefinition[];
  /** Why tools were left out. */
  readonly warnings: readonly string[];
}

/** Follows the pages. A list that is malformed or over the limits is rejected as a whole. */
export async function fetchTools(
  fetchPage: (cursor: string | undefined) => Promise<unknown>,
  limits: McpLimits,
): Promise<ToolList> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = Object(await fetchPage(cursor)) as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(page.tools)) throw listError(`its tool list is ${kindOf(page.tools)}, not a list`);
    if (entries.length + page.tools.length > limits.tools) throw listError(`it lists more than ${limits.tools} tools`);
    for (const entry of page.tools) entries.push(entry);
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined;
    if (cursor === undefined) break;
    if (cursors.has(cursor)) throw listError('the pages of its tool list repeat');
    cursors.add(cursor);
  } while (cursors.size < limits.pages);
  if (cursor !== undefined) throw listError(`its tool list has more than ${limits.pages} pages`);
  return readTools(entries, limits);
}

function readTools(entries: readonly unknown[], limits: McpLimits): ToolList {
  const warnings: string[] = [];
  const byName = new Map<string, McpToolDefinition | undefined>();
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    const read = readTool(entry, limits);
    if (read.problem !== undefined) {
      warnings.push(
        `tool ${read.name === undefined ? `number ${index}` : quoteName(read.name)} is left out: ${read.problem}`,
      );
      // A second entry with that name must not replace the rejected one.
      if (read.name !== undefined) byName.set(read.name, undefined);
      continue;
    }
    bytes += read.bytes;
    if (bytes > limits.listBytes) throw listError(`its tool list is larger than ${limits.listBytes} bytes`);
    const { name } = read.tool;
    if (byName.has(name)) {
      warnings.push(`tool ${quoteName(name)} is left out: it is listed more than once`);
      byName.set(name, undefined);
    } else byName.set(name, read.tool);
  }
  return { tools: [...byName.values()].filter((tool) => tool !== undefined), warnings: capWarnings(warnings) };
}

type ReadTool =
  | { readonly tool: McpToolDefinition; readonly bytes: number; readonly problem?: undefined }
  | { readonly name: string | undefined; readonly problem: string };

function readTool(entry: unknown, limits: McpLimits): ReadTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = Object(entry) as Record<string, unknown>;
  const named = nameProblem(name, limits.nameLength);
  if (named !== undefined || typeof name !== 'string') {
    const short = typeof name === 'string' && name.length <= limits.nameLength ? name : undefined;
    return { name: short, problem: `its name ${named}` };
  }
  const copy = copyJson(
    { annotations, description, inputSchema, outputSchema, title },
    { bytes: limits.toolBytes, depth: limits.depth },
  );
  if (copy.problem !== undefined) return { name, problem: `its definition ${copy.problem}` };
  const data = copy.value as JsonObject;
  const problem = fieldProblem(data);
  if (problem !== undefined) return { name, problem };
  const tool = Object.freeze({ name, ...noFields, ...data }) as unknown as McpToolDefinition;
  return { tool, bytes: JSON.stringify(data).length };
}

const noFields = { title: undefined, description: undefined, outputSchema: undefined, annotations: undefined };

function fieldProblem(data: JsonObject): string | undefined {
  const is = (field: string, fits: (value: JsonValue) => boolean): boolean => {
    const value = data[field];
    return value === undefined || fits(value);
  };
  const schema = data['inputSchema'];
  if (schema === undefined || !isJsonObject(schema)) return `its input schema is ${kindOf(schema)}, not an object`;
  if (schema['type'] !== 'object') return 'its input schema does not have the type "object"';
  const properties = schema['properties'];
  if (properties !== undefined && !isJsonObject(properties))
    return 'the properties of its input schema are not an object';
  if (!is('description', isText)) return 'its description is not a string';
  if (!is('title', isText)) return 'its title is not a string';
  if (!is('outputSchema', isJsonObject)) return 'its output schema is not an object';
  return is('annotations', isJsonObject) ? undefined : 'its annotations are not an object';
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}

const maxWarnings = 20;

function capWarnings(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - maxWarnings;
  return more <= 0 ? warnings : [...warnings.slice(0, maxWarnings), `${more} more tools are left out`];
}

function listError(problem: string): BridleError {
  return new BridleError('MCP_SERVER_FAILED', problem);
}
