/** What a tool or server may be called, and the flat spelling of a pair that some wires need. */

const invisible = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Why `name` cannot be a name, or undefined if it can. */
export function nameProblem(name: unknown, maxLength: number): string | undefined {
  if (typeof name !== 'string') return `is ${name === null ? 'null' : `a ${typeof name}`}, not a text`;
  if (name === '') return 'is empty';
  if (name.length > maxLength) return `is longer than ${maxLength} characters`;
  if (!name.isWellFormed()) return 'holds a lone surrogate';
  if (invisible.test(name)) return 'holds control or invisible characters';
  if (name.includes('*')) return 'holds a "*"';
  if (name.trim() !== name) return 'begins or ends with a space';
  return undefined;
}

/** How a name is printed in messages: bounded, with nothing invisible left as it is. */
export function quoteName(name: unknown): string {
  if (typeof name !== 'string') return `a ${name === null ? 'null' : typeof name}`;
  const cut = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return `"${cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}"\\]/gu, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)}"`;
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
