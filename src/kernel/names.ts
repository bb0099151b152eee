/** What a tool or server may be called, and the flat spelling of a pair that some wires need. */

import { kindOf } from './kind-of.ts';
import { lazy } from './lazy.ts';
import { defaultLimits } from './limits.ts';
import { closestName } from './similar-names.ts';

/** Nothing in it can be unseen or disorderly; nearly every name is such a text. */
const plain = /^[\x20-\x7e]*$/;
const unseen = lazy(() => /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
/** What could draw a text as another one, or as several lines. */
const disorderly = lazy(() => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);

/** Why a text for people cannot stand as it is, or undefined if it can. */
export function textProblem(text: unknown, maxLength = defaultLimits.nameLength): string | undefined {
  if (typeof text !== 'string') return `is ${kindOf(text)}, not a text`;
  if (text.trim() === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (!text.isWellFormed()) return 'holds a lone surrogate';
  return !plain.test(text) && disorderly().test(text) ? 'holds control characters' : undefined;
}

/** Why `name` cannot be a name, or undefined if it can. */
export function nameProblem(name: unknown, maxLength?: number): string | undefined {
  const problem = textProblem(name, maxLength);
  if (problem !== undefined || typeof name !== 'string') return problem;
  if (!plain.test(name) && unseen().test(name)) return 'holds invisible characters';
  if (name.includes('*')) return 'holds a "*"';
  return name.trim() === name ? undefined : 'begins or ends with a space';
}

/** How a name is printed in messages: bounded, with nothing invisible left as it is. */
export function quoteName(name: unknown): string {
  if (typeof name !== 'string') return kindOf(name);
  const cut = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const spelled = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\]/gu;
  return `"${cut.replaceAll(spelled, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)}"`;
}

/** Goes on after a name that is not known, if one is that is close to it. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = closestName(name.slice(0, 80), known);
  return near === undefined ? '' : `; did you mean ${quoteName(near)}?`;
}

/** Fields that somebody has given to every object there is: what is left out on purpose would be taken from there. */
export function pollutedFields(fields: Iterable<string>): string[] {
  const found = [...fields].filter((field) => field in Object.prototype);
  return found.map((field) => `Object.prototype holds ${quoteName(field)}, so nothing can be left out`);
}

/** A pair as people write it: `server/tool`, or the bare name of a local tool. */
export function pairText(server: string | undefined, tool: string): string {
  return server === undefined ? tool : `${server}/${tool}`;
}

/** The one flat name of an MCP tool, for wires that know no pairs. */
export function flattenName(server: string, tool: string): string {
  return `mcp_${server}_${tool}`;
}

/** The pair behind a flat name: the longest registered server that fits. Only for the edge of a host. */
export function parseFlatName(
  flat: string,
  servers: Iterable<string>,
): { readonly server: string; readonly tool: string } | undefined {
  let best: string | undefined;
  for (const server of servers) {
    const prefix = flattenName(server, '');
    const longer = best === undefined || server.length > best.length;
    if (longer && flat.startsWith(prefix) && flat.length > prefix.length) best = server;
  }
  return best === undefined ? undefined : { server: best, tool: flat.slice(flattenName(best, '').length) };
}
