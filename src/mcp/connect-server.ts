/** The entry point of this folder: connects to a configured MCP server. */

import type { ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { McpServerConfig } from './protocol/server-config.ts';
import { ServerConnection } from './server-connection.ts';

/** Connects, lists the tools and checks their pins. Rejects with `MCP_SERVER_FAILED` after closing everything. */
export async function connectServer(config: McpServerConfig, options: ConnectOptions): Promise<McpConnection> {
  const connection = new ServerConnection(config, options);
  try {
    await connection.connect(options.signal);
  } catch (error) {
    await connection.close();
    options.signal?.throwIfAborted();
    throw error;
  }
  return connection;
}
