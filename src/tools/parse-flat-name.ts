/** Reads the flat name of an MCP tool, for hosts whose protocol has no (server, tool) pairs. */

import { flattenName } from '../kernel/names.ts';

/** The pair behind a flat name: the longest registered server name that matches. */
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
