/** The MCP server "files" over stdio. It notes the calls in the file that is named. */

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileServer } from '../mcp-tools.mjs';

const [notes] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const { tools } = fileServer();

async function answer(method, params) {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'files', version: '1.0.0' };
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    case 'tools/list':
      return { tools: tools.map(({ name }) => ({ name, description: name, inputSchema })) };
    case 'tools/call': {
      appendFileSync(notes, `${params.name}\n`);
      const text = await tools.find(({ name }) => name === params.name).run(params.arguments);
      return { content: [{ type: 'text', text }] };
    }
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) })}\n`);
}
