/** Fingerprints of servers and tools for pins: hashes to compare, and enough text to describe a change. */

import { createHash } from 'node:crypto';
import { canonicalText, copyJson, cutText, isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { McpServerConfig } from '../protocol/server-config.ts';
import type { McpToolDefinition } from '../protocol/tool-list.ts';

/** How a server is reached. Arguments and environment may contain secrets, so only their hashes are stored. */
export interface ServerFingerprint {
  readonly hash: string;
  /** The command, or the URL without its query. */
  readonly reach: string;
  readonly parts: Readonly<Record<string, string>>;
}

export interface ToolFingerprint {
  readonly hash: string;
  readonly parts: Readonly<Record<string, string>>;
  /** The start of the description. */
  readonly description: string;
  readonly args: readonly string[];
}

const maxShownChars = 2000;
const maxQuotedChars = 300;
const maxArgs = 200;

/** Names of environment variables count, but not their values: a new token does not make a new server. */
export function fingerprintServer(config: McpServerConfig): ServerFingerprint {
  if (config.url !== undefined) {
    const { origin, pathname } = new URL(config.url);
    return withHash(cutText(origin + pathname, maxShownChars), { url: config.url });
  }
  const { command, args = [], cwd, env = {} } = config;
  return withHash(cutText(command, maxShownChars), { command, args, cwd, environment: Object.keys(env).toSorted() });
}

export function fingerprintTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: McpToolDefinition): ToolFingerprint {
  const parts = hashEach({
    title,
    description,
    'input schema': inputSchema,
    'output schema': outputSchema,
    annotations,
  });
  return {
    hash: hashOf({ name, parts }),
    parts,
    description: (description ?? '').slice(0, maxShownChars).toWellFormed(),
    args: argumentsOf(inputSchema).slice(0, maxArgs),
  };
}

/** Describes what changed about a server. */
export function serverChanges(before: ServerFingerprint, after: ServerFingerprint): readonly string[] {
  const changed = changedParts(before.parts, after.parts).map((part) => `its ${part} changed`);
  const moved = before.reach === after.reach ? [] : [`it was ${quote(before.reach)} and is ${quote(after.reach)}`];
  return before.hash === after.hash ? [] : [...moved, ...changed];
}

/** Describes what changed about a tool. */
export function toolChanges(before: ToolFingerprint, after: ToolFingerprint): readonly string[] {
  if (before.hash === after.hash) return [];
  return changedParts(before.parts, after.parts).map((part) => {
    if (part === 'description') return describeTextChange(before.description, after.description);
    if (part === 'input schema') return describeArgsChange(before.args, after.args);
    return `its ${part} changed`;
  });
}

export function argumentsOf(inputSchema: JsonObject): readonly string[] {
  const { properties } = inputSchema;
  return properties !== undefined && isJsonObject(properties) ? Object.keys(properties) : [];
}

function withHash(reach: string, parts: Readonly<Record<string, unknown>>): ServerFingerprint {
  const hashes = hashEach(parts);
  return { hash: hashOf(hashes), reach, parts: hashes };
}

function hashEach(parts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, hashOf(value)]));
}

/** Hashes canonical JSON, so the order of keys does not matter. */
function hashOf(value: unknown): string {
  const copy = copyJson(value ?? null, { bytes: Number.MAX_SAFE_INTEGER, depth: 128 });
  const text = copy.problem === undefined ? canonicalText(copy.value) : JSON.stringify(value);
  return createHash('sha256').update(text).digest('hex');
}

function changedParts(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...parts].filter((part) => before[part] !== after[part]);
}

/** Quotes both texts from shortly before their first difference. */
function describeTextChange(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  if (at === before.length && at === after.length) return `its description changed after ${maxShownChars} characters`;
  const from = Math.max(0, at - 40);
  return `its description was ${quote(before.slice(from))} and is ${quote(after.slice(from))}`;
}

function describeArgsChange(before: readonly string[], after: readonly string[]): string {
  const added = after.filter((arg) => !before.includes(arg)).map((arg) => `+${arg}`);
  const removed = before.filter((arg) => !after.includes(arg)).map((arg) => `-${arg}`);
  const differences = [...added, ...removed].join(', ');
  return differences === '' ? 'its input schema changed' : `its input schema changed: ${quote(differences)}`;
}

/** Escapes text from the server before a person sees it. */
function quote(text: string): string {
  return JSON.stringify(cutText(text.toWellFormed(), maxQuotedChars)).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`,
  );
}
