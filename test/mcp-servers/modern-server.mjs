/** A server of the 2026-07-28 protocol, over stdio, that refuses every older client. */

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function say({ text }) {
  return { content: [{ type: 'text', text }] };
}

serveStdio(
  () => {
    const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    const input = { inputSchema: z.object({ text: z.string() }) };
    server.registerTool('say', { description: 'Says it', ...input }, say);
    server.registerTool('grow', { description: 'Adds a tool', ...input }, ({ text }) => {
      server.registerTool(text, { description: 'A new one', ...input }, say);
      return say({ text: 'grown' });
    });
    server.registerTool('wait', { description: 'Waits until it is cancelled', ...input }, ({ text }, { mcpReq }) => {
      return new Promise((resolve) => {
        mcpReq.signal.addEventListener('abort', () => {
          server.registerTool(`cancelled_${text}`, { description: 'Tells of it', ...input }, say);
          resolve(say({ text }));
        });
      });
    });
    return server;
  },
  { legacy: 'reject' },
);
