/**
 * Pins record the definition of each tool on first use, in the user's pin file. The first definition is trusted. A tool
 * whose definition changes later, or whose server is reached differently, is put on hold until a person accepts it. Tools
 * that were never reviewed are on hold, and so are all tools if the file can't be written.
 */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { quoteName } from '../../kernel/names.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import {
  fingerprintServer,
  fingerprintTool,
  serverChanges,
  toolChanges,
  type ServerFingerprint,
  type ToolFingerprint,
} from './fingerprint.ts';
import { loadPins, updatePins } from './pin-file.ts';
import type { PinsByServer, PinnedServer, PinnedTool } from './read-pins.ts';
import type { McpServerConfig } from '../protocol/server-config.ts';
import type { McpToolDefinition } from '../protocol/tool-list.ts';

/** A tool that can't be called until a person accepts it. */
export interface HeldTool {
  readonly server: string;
  readonly tool: string;
  /** What changed, for a person to read. */
  readonly changes: readonly string[];
  /** Identifies the definition, so that only this one can be accepted. */
  readonly hash: string;
}

export interface Pins {
  /** Reviews a server's tools: pins new ones and returns those on hold. Never rejects. */
  review(config: McpServerConfig, tools: readonly McpToolDefinition[]): Promise<readonly HeldTool[]>;
  isHeld(server: string, tool: string): boolean;
  /** Why a tool is on hold; undefined if it is not. */
  whyHeld(server: string, tool: string): string | undefined;
  /** All reviewed tools that are on hold. */
  held(): readonly HeldTool[];
  /** Pins a tool, or a server with all its tools, as last seen. With a hash, only if the definition still has that hash. */
  accept(server: string, tool?: string, hash?: string): Promise<void>;
}

/** The default pin file. */
export function defaultPinFile(): string {
  return join(homedir(), '.bridle', 'pins.json');
}

/** Opens the pins in `file`; without a file, they are kept in memory. Throws if the file is damaged. */
export function openPins(file?: string): Pins {
  return new FilePins(file === undefined ? undefined : resolve(file));
}

interface SeenTool {
  readonly print: ToolFingerprint;
  changes: readonly string[];
}

interface SeenServer {
  readonly print: ServerFingerprint;
  readonly tools: ReadonlyMap<string, SeenTool>;
}

class FilePins implements Pins {
  private pinned: PinsByServer = new Map();
  private readonly seen = new Map<string, SeenServer>();

  constructor(private readonly file: string | undefined) {
    if (file !== undefined) loadPins(file);
  }

  async review(config: McpServerConfig, tools: readonly McpToolDefinition[]): Promise<readonly HeldTool[]> {
    const server = config.name;
    const print = fingerprintServer(config);
    const reviewed: SeenServer = {
      print,
      tools: new Map(
        tools.map((tool) => [tool.name, { print: fingerprintTool(tool), changes: [] as readonly string[] }]),
      ),
    };
    try {
      await this.update((pins) => pinNewTools(pins, server, reviewed));
    } catch (error) {
      for (const tool of reviewed.tools.values()) tool.changes = [`it cannot be compared: ${messageOf(error)}`];
    }
    this.seen.set(server, reviewed);
    return this.held().filter((held) => held.server === server);
  }

  isHeld(server: string, tool: string): boolean {
    return this.seen.get(server)?.tools.get(tool)?.changes.length !== 0;
  }

  whyHeld(server: string, tool: string): string | undefined {
    const seen = this.seen.get(server)?.tools.get(tool);
    if (seen === undefined) return `${quoteName(tool)} of server ${quoteName(server)} has not been reviewed`;
    if (seen.changes.length === 0) return undefined;
    return `${quoteName(tool)} of server ${quoteName(server)} is on hold until it is accepted: ${seen.changes.join('; ')}`;
  }

  held(): readonly HeldTool[] {
    return [...this.seen].flatMap(([server, { tools }]) =>
      [...tools]
        .filter(([, { changes }]) => changes.length > 0)
        .map(([tool, { changes, print }]) => ({ server, tool, changes, hash: print.hash })),
    );
  }

  async accept(server: string, tool?: string, hash?: string): Promise<void> {
    const seen = this.seen.get(server);
    if (seen === undefined)
      throw unknownToolError(`server ${quoteName(server)} has not been reviewed; connect to it first`);
    const chosen = [...seen.tools].filter(([name]) => tool === undefined || name === tool);
    if (tool !== undefined && chosen.length === 0)
      throw unknownToolError(`server ${quoteName(server)} lists no tool ${quoteName(tool)}`);
    if (hash !== undefined && chosen.some(([, { print }]) => print.hash !== hash)) {
      throw unknownToolError(`${quoteName(tool)} of server ${quoteName(server)} has changed again`);
    }
    await this.update((pins) => {
      const before = pins.get(server);
      const print = tool === undefined ? seen.print : (before?.print ?? seen.print);
      return withTools(pins, {
        name: server,
        print,
        tools: chosen.map(([name, { print }]) => pinOf(name, print, seen)),
      });
    });
    for (const [, each] of chosen) each.changes = [];
  }

  private async update(change: (pins: PinsByServer) => PinsByServer | undefined): Promise<void> {
    if (this.file === undefined) this.pinned = change(this.pinned) ?? this.pinned;
    else await updatePins(this.file, change);
  }
}

/** Records in `reviewed` what differs from the pins; returns the pins with new tools added, if there are any. */
function pinNewTools(pins: PinsByServer, server: string, reviewed: SeenServer): PinsByServer | undefined {
  const pinned = pins.get(server);
  const known = new Map(pinned?.tools.map((tool) => [tool.name, tool]));
  const moved = pinned === undefined ? [] : serverChanges(pinned.print, reviewed.print);
  const fresh: PinnedTool[] = [];
  for (const [name, tool] of reviewed.tools) {
    tool.changes = changesOf(tool.print, known.get(name), { moved, server: reviewed.print.hash });
    if (!known.has(name) && moved.length === 0) fresh.push(pinOf(name, tool.print, reviewed));
  }
  if (pinned !== undefined && fresh.length === 0) return undefined;
  return withTools(pins, { name: server, print: pinned?.print ?? reviewed.print, tools: fresh });
}

function changesOf(
  print: ToolFingerprint,
  pinned: PinnedTool | undefined,
  now: { readonly moved: readonly string[]; readonly server: string },
): readonly string[] {
  const moved = now.moved.map((change) => `the server changed: ${change}`);
  if (pinned === undefined) return moved.length === 0 ? [] : [...moved, 'the tool is new'];
  const own = toolChanges(pinned, print);
  if (pinned.server === now.server) return own;
  return [...(moved.length === 0 ? ['it was pinned on a different server'] : moved), ...own];
}

function pinOf(name: string, print: ToolFingerprint, { print: server }: SeenServer): PinnedTool {
  return { name, server: server.hash, ...print };
}

/** The pins with one server's tools added or replaced. Tools that the server no longer lists keep their pins. */
function withTools(pins: PinsByServer, { name, print, tools }: PinnedServer): PinsByServer {
  const merged = new Map(pins.get(name)?.tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) merged.set(tool.name, tool);
  return new Map(pins).set(name, { name, print, tools: [...merged.values()] });
}

function unknownToolError(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
