import { serverFor, unauthorized } from '../../../lib/server.js';

export async function GET(request) {
  const server = await serverFor(request);
  if (server === undefined) return unauthorized();
  const pending = await server.store.approvals.list({ state: 'pending' });
  return Response.json(
    pending.map(({ id, shown, questions }) => ({ id, call: shown.text, question: questions[0]?.text ?? '' })),
  );
}
