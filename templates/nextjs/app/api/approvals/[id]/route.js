import { serverFor, unauthorized } from '../../../../lib/server.js';

export async function POST(request, { params }) {
  const server = await serverFor(request);
  if (server === undefined) return unauthorized();
  const { id } = await params;
  const { approve } = await request.json();
  // Only a clear yes approves.
  const answer = { type: approve === true ? 'approve' : 'deny' };
  try {
    const { won } = await server.approver.answer(id, answer);
    return Response.json({ counted: won });
  } catch (error) {
    if (error.code !== 'APPROVAL_REFUSED') throw error;
    return Response.json({ counted: false, problem: error.message }, { status: 409 });
  }
}
