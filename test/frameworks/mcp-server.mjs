/** The MCP server "files", over stdio: `node mcp-server.mjs [file]`. It notes the tools that were called in the file. */

import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** How to start the server, and the names of the tools that were called. */
export function fileServerProcess() {
  const noted = join(mkdtempSync(join(tmpdir(), 'bridle-mcp-')), 'calls');
  return {
    command: process.execPath,
    args: [fileURLToPath(import.meta.url), noted],
    calls: () => (existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []),
  };
}

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = {
  read: ({ path }) => `contents of ${path}`,
  remove: ({ path }) => `removed ${path}`,
};

function answer(method, params, noted) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a-server', version: '1.0.0' } };
  }
  if (method === 'tools/list') return { tools: Object.keys(tools).map((name) => ({ name, inputSchema })) };
  if (method !== 'tools/call') return {};
  if (noted !== undefined) appendFileSync(noted, `${params.name}\n`);
  return { content: [{ type: 'text', text: tools[params.name](params.arguments) }] };
}

async function serve(noted) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params, noted) })}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2]);
