/** Names of tools and servers: validation, printing, and the flat form of a (server, tool) pair. */

import { kindOf } from './kind-of.ts';
import { lazy } from './lazy.ts';
import { defaultLimits } from './limits.ts';
import { closestName } from './similar-names.ts';

/** Printable ASCII, which needs no further check. Nearly every name is. */
const plain = /^[\x20-\x7e]*$/;
const invisibleCharacters = lazy(() => /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
/** Characters that make a text look like another one or like several lines. */
const controlCharacters = lazy(() => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);

/** Why a text cannot be shown to people as it is, or undefined if it can. */
export function textProblem(text: unknown, maxLength = defaultLimits.nameLength): string | undefined {
  if (typeof text !== 'string') return `is ${kindOf(text)}, not a string`;
  if (text.trim() === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (!text.isWellFormed()) return 'contains a lone surrogate';
  return !plain.test(text) && controlCharacters().test(text) ? 'contains control characters' : undefined;
}

/** Why `name` cannot be a name, or undefined if it can. */
export function nameProblem(name: unknown, maxLength?: number): string | undefined {
  const problem = textProblem(name, maxLength);
  if (problem !== undefined || typeof name !== 'string') return problem;
  if (!plain.test(name) && invisibleCharacters().test(name)) return 'contains invisible characters';
  if (name.includes('*')) return 'contains a "*"';
  return name.trim() === name ? undefined : 'begins or ends with a space';
}

/** A name quoted for messages: shortened, with invisible characters escaped. */
export function quoteName(name: unknown): string {
  if (typeof name !== 'string') return kindOf(name);
  const cut = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const spelled = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\]/gu;
  return `"${cut.replaceAll(spelled, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)}"`;
}

/** A suggestion to append to a message about an unknown name; empty if no known name is similar. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = closestName(name.slice(0, 80), known);
  return near === undefined ? '' : `; did you mean ${quoteName(near)}?`;
}

/** Problems of a polluted Object.prototype: a field that was left out on purpose would be inherited from there. */
export function pollutedFields(fields: Iterable<string>): string[] {
  const found = [...fields].filter((field) => field in Object.prototype);
  return found.map(
    (field) => `Object.prototype has a property ${quoteName(field)}, which every object inherits; remove it`,
  );
}

/** A pair as people write it: `server/tool`, or only the name for a local tool. */
export function pairText(server: string | undefined, tool: string): string {
  return server === undefined ? tool : `${server}/${tool}`;
}

/** Tools for a message: at most `most` names, and the number of the others. */
export function listTools(
  tools: readonly { readonly server?: string | undefined; readonly name: string }[],
  most: number,
): string {
  const names = tools.slice(0, most).map(({ server, name }) => quoteName(pairText(server, name)));
  return names.join(', ') + (tools.length > most ? ` and ${tools.length - most} more` : '');
}

/** The flat name of an MCP tool, for protocols without (server, tool) pairs. */
export function flattenName(server: string, tool: string): string {
  return `mcp_${server}_${tool}`;
}
