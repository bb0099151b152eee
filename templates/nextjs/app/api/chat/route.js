import { serverFor, unauthorized } from '../../../lib/server.js';

export async function POST(request) {
  const server = await serverFor(request);
  if (server === undefined) return unauthorized();
  const { prompt } = await request.json();
  // One session per request. A server with users opens one per user: agent.open({ id }).
  const session = await server.agent.open();
  try {
    const { text, toolCalls } = await session.chat(String(prompt), { signal: request.signal });
    return Response.json({ text, calls: toolCalls.map(({ tool, outcome }) => ({ tool, outcome })) });
  } finally {
    await session.stop();
  }
}
