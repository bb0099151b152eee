/** An MCP server with one tool: `touch` creates a file in the folder given as argument. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const touch = {
  name: 'touch',
  description: 'Creates a file.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

function resultOf(method, params) {
  if (method === 'initialize') {
    const protocolVersion = params.protocolVersion ?? '2025-06-18';
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'lab', version: '1.0.0' } };
  }
  if (method === 'tools/list') return { tools: [touch] };
  if (method !== 'tools/call') return {};
  writeFileSync(join(folder, params.arguments.name), '');
  return { content: [{ type: 'text', text: 'created' }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`);
}
