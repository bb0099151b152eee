/** The door of this folder: from a server's configuration to a connection. */

import type { ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { McpServerConfig } from './server/server-config.ts';
import { ServerConnection } from './server-connection.ts';

/** Connects, lists and pins; rejects with `MCP_SERVER_FAILED`, leaving nothing behind. */
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
