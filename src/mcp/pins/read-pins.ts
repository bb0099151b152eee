/** Parses a pin file. If any part is invalid, the whole file is rejected. */

import { messageOf } from '../../kernel/errors.ts';
import type { ServerFingerprint, ToolFingerprint } from './fingerprint.ts';

export interface PinnedTool extends ToolFingerprint {
  readonly name: string;
  /** The fingerprint of the server on which the tool was accepted. */
  readonly server: string;
}

export interface PinnedServer {
  readonly name: string;
  readonly print: ServerFingerprint;
  readonly tools: readonly PinnedTool[];
}

/** Servers by name. */
export type PinsByServer = ReadonlyMap<string, PinnedServer>;

export type ReadPinsResult =
  | { readonly pins: PinsByServer; readonly problem?: undefined }
  | { readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

export function readPins(text: string): ReadPinsResult {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { problem: `is damaged: ${messageOf(error)}` };
  }
  if (!isFields(data)) return { problem: 'is damaged: it is not a JSON object' };
  const { version, servers } = data;
  if (typeof version === 'number' && version > 1)
    return { problem: `has format version ${version}, which needs a newer Bridle` };
  if (version !== 1 || !Array.isArray(servers)) return { problem: 'is damaged: its version or servers are missing' };
  const pins = new Map<string, PinnedServer>();
  for (const [index, server] of servers.entries()) {
    if (!isServer(server) || pins.has(server.name)) return { problem: `is damaged: servers[${index}] is invalid` };
    pins.set(server.name, server);
  }
  return { pins };
}

function isServer(server: unknown): server is PinnedServer {
  if (!isFields(server) || typeof server['name'] !== 'string') return false;
  const { print, tools } = server;
  if (!isFields(print) || !hasTexts(print, ['hash', 'reach']) || !isTextRecord(print['parts'])) return false;
  if (!Array.isArray(tools) || !tools.every(isTool)) return false;
  return new Set(tools.map(({ name }) => name)).size === tools.length;
}

function isTool(tool: unknown): tool is PinnedTool {
  if (!isFields(tool) || !hasTexts(tool, ['name', 'server', 'hash', 'description'])) return false;
  const { args } = tool;
  return isTextRecord(tool['parts']) && Array.isArray(args) && args.every((arg) => typeof arg === 'string');
}

function isTextRecord(value: unknown): boolean {
  return isFields(value) && Object.values(value).every((each) => typeof each === 'string');
}

function hasTexts(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
