/** The MCP server "files" as a program. It notes its calls in the file that its argument names. */

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileServer } from '../mcp-tools.mjs';

const [log] = process.argv.slice(2);
const { tools } = fileServer();
const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

async function answer(method, params) {
  if (method === 'initialize') {
    const serverInfo = { name: 'files', version: '1.0.0' };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: tools.map(({ name }) => ({ name, description: name, inputSchema })) };
  if (method !== 'tools/call') return {};
  appendFileSync(log, `${params.name}\n`);
  const text = await tools.find(({ name }) => name === params.name).run(params.arguments);
  return { content: [{ type: 'text', text }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) })}\n`);
}
