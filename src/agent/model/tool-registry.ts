/** All tools of an agent and its subagents: how to run each one, how models see it, and its name on the wire. */

import { createHash } from 'node:crypto';
import type { FunctionTool } from './model-interface.ts';
import type { Tier } from '../../kernel/call.ts';
import { flattenName, quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { ListedTool } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { jsonSchemaOf } from '../../tools/json-schema/standard-schema.ts';
import type { RunnableTool } from '../../tools/definition/runnable-tool.ts';

/** A tool, and how models see it. */
interface RegisteredTool {
  readonly tool: RunnableTool;
  readonly shown: FunctionTool;
}

/** The tools as one agent sees them. */
export interface ToolListing {
  readonly functions: readonly FunctionTool[];
  readonly listed: readonly ListedTool[];
  /** The number of characters of all tool descriptions and schemas. */
  readonly characters: number;
  /** The tool and server of a wire name. An unknown name is treated as a local tool, which the guard then refuses. */
  pairOf(wireName: string): { readonly tool: string; readonly server: string | undefined };
  /** The tier of a tool; `confirm` if it is not listed. */
  tierOf(server: string | undefined, tool: string): Tier;
  functionOf(listed: ListedTool): FunctionTool;
}

export class ToolRegistry {
  /** Incremented whenever the tools of a server change. */
  version = 0;
  private readonly local: ReadonlyMap<string, RegisteredTool>;
  private readonly listings = new WeakMap<object, { readonly version: number; readonly listing: ToolListing }>();
  private readonly serverTools = new Map<string, ReadonlyMap<string, RegisteredTool>>();

  constructor(tools: readonly RunnableTool[]) {
    this.local = registered(undefined, tools);
  }

  /** Fails if two tools would have the same wire name. */
  refuseNameClashes(server: string, names: readonly string[]): void {
    const taken = new Set([...this.local.keys()].map((name) => wireName(undefined, name)));
    for (const [other, tools] of this.serverTools) {
      if (other !== server) for (const name of tools.keys()) taken.add(wireName(other, name));
    }
    for (const name of names) {
      const wire = wireName(server, name);
      if (taken.has(wire))
        throw new BridleError('TOOL_INVALID', `two tools would have the name ${quoteName(wire)} for the model`);
      taken.add(wire);
    }
  }

  setServerTools(server: string, tools: readonly RunnableTool[]): void {
    this.serverTools.set(server, registered(server, tools));
    this.version++;
  }

  find(server: string | undefined, name: string): RunnableTool | undefined {
    return this.registeredTool(server, name)?.tool;
  }

  private registeredTool(server: string | undefined, name: string): RegisteredTool | undefined {
    const tools = server === undefined ? this.local : this.serverTools.get(server);
    return tools?.get(name);
  }

  /** The listing for one agent, shared by its sessions. Rebuilt after a server has changed its tools. */
  listingFor(
    hides: (tool: ToolDeclaration) => boolean,
    declared: { readonly tools: readonly ToolDeclaration[] },
  ): ToolListing {
    let cached = this.listings.get(hides);
    if (cached === undefined || cached.version !== this.version) {
      cached = { version: this.version, listing: this.list(declared.tools.filter((tool) => !hides(tool))) };
      this.listings.set(hides, cached);
    }
    return cached.listing;
  }

  /** Builds the listing of these tools. */
  private list(declared: readonly ToolDeclaration[]): ToolListing {
    const entries: ListingEntry[] = [];
    for (const { server, name, tier = 'confirm' } of declared) {
      const shown = this.registeredTool(server, name)?.shown;
      if (shown !== undefined) entries.push({ server, tool: name, shown, tier });
    }
    return new RegistryListing(entries);
  }
}

interface ListingEntry {
  readonly server: string | undefined;
  readonly tool: string;
  readonly shown: FunctionTool;
  readonly tier: Tier;
}

class RegistryListing implements ToolListing {
  readonly functions: readonly FunctionTool[];
  readonly listed: readonly ListedTool[];
  readonly characters: number;
  private readonly byWireName: ReadonlyMap<string, ListingEntry>;

  constructor(entries: readonly ListingEntry[]) {
    this.byWireName = new Map(entries.map((entry) => [entry.shown.name, entry]));
    if (this.byWireName.size < entries.length)
      throw new BridleError('TOOL_INVALID', 'two tools have the same name for the model');
    this.functions = Object.freeze(entries.map(({ shown }) => shown));
    this.listed = Object.freeze(entries.map(toListed));
    this.characters = JSON.stringify(this.functions).length;
  }

  pairOf(wireName: string): { readonly tool: string; readonly server: string | undefined } {
    return this.byWireName.get(wireName) ?? { tool: wireName, server: undefined };
  }

  tierOf(server: string | undefined, tool: string): Tier {
    return this.byWireName.get(wireName(server, tool))?.tier ?? 'confirm';
  }

  functionOf({ server, name, description, inputSchema }: ListedTool): FunctionTool {
    const known = this.byWireName.get(wireName(server, name))?.shown;
    const schema = (inputSchema ?? known?.inputSchema ?? emptySchema) as FunctionTool['inputSchema'];
    const shown: FunctionTool = {
      type: 'function',
      name: known?.name ?? wireName(server, name),
      inputSchema: schema,
    };
    return description === undefined ? shown : { ...shown, description };
  }
}

const emptySchema: JsonObject = Object.freeze({ type: 'object', properties: Object.freeze({}) });

function registered(server: string | undefined, tools: readonly RunnableTool[]): ReadonlyMap<string, RegisteredTool> {
  return new Map(tools.map((tool) => [tool.name, { tool, shown: shownTool(server, tool) }]));
}

function shownTool(server: string | undefined, tool: RunnableTool): FunctionTool {
  const inputSchema = (jsonSchemaOf(tool) ?? emptySchema) as FunctionTool['inputSchema'];
  const shown = { type: 'function', name: wireName(server, tool.name), inputSchema } as const;
  const { description } = tool;
  return Object.freeze(description === undefined ? shown : { ...shown, description });
}

function toListed({ server, tool: name, shown }: ListingEntry): ListedTool {
  const { description, inputSchema } = shown;
  return Object.freeze({ name, server, description, inputSchema });
}

/**
 * Providers accept up to 64 letters, digits, `_` and `-`. A name that had to be changed ends with a hash of the
 * original.
 */
export function wireName(server: string | undefined, tool: string): string {
  const flat = server === undefined ? tool : flattenName(server, tool);
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(flat)) return flat;
  const hash = createHash('sha256')
    .update(JSON.stringify([server ?? null, tool]))
    .digest('hex')
    .slice(0, 8);
  return `${flat.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 55)}_${hash}`;
}
