import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createAgent } from 'bridle/agent';
import { createApproverKey, listApprovers, openApproverKey, openStore } from 'bridle/store';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';

// A real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and write 'anthropic/claude-opus-5' here.
const model = scriptedSupportModel();

const text = { type: 'string' };

const findCustomer = defineTool({
  name: 'find_customer',
  description: 'Finds the mail address of a customer.',
  tier: 'observe',
  schema: { type: 'object', properties: { name: text }, required: ['name'] },
  run: ({ name }) => `${name.toLowerCase()}@example.com`,
});

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  schema: { type: 'object', properties: { to: text, text }, required: ['to', 'text'] },
  run: ({ to }) => `sent to ${to}`,
});

async function open() {
  const folder = process.env.DATA ?? 'data';
  const keys = `${folder}/keys`;
  const store = await openStore({ at: `${folder}/store.db`, keys });
  const person = { folder: keys, name: 'operator' };
  const isKnown = listApprovers(keys).some(({ name }) => name === person.name);
  const approver = store.openApprover(isKnown ? openApproverKey(person) : createApproverKey(person));
  const agent = createAgent({
    model,
    instructions: 'You answer customers.',
    capabilities: 'none',
    tools: [findCustomer, sendMail],
    policy: 'bridle.yaml',
    store,
  });
  await agent.start();
  return { store, approver, agent, login: randomBytes(32).toString('base64url') };
}

/** The same server for every route: Next.js can load this file several times in one process. */
export function openServer() {
  return (globalThis.bridleServer ??= open());
}

/** Returns the server if the request has the login, otherwise undefined. */
export async function serverFor(request) {
  const server = await openServer();
  const given = Buffer.from(request.headers.get('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${server.login}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? server : undefined;
}

export const unauthorized = () => new Response('Unauthorized', { status: 401 });

/** Represents a real model, so that you can try the server offline: in every turn, it writes a mail to Bob. */
function scriptedSupportModel() {
  const answers = [
    { toolCalls: [{ tool: 'find_customer', args: { name: 'Bob' } }] },
    { toolCalls: [{ tool: 'send_mail', args: { to: 'bob@example.com', text: 'Your order is on its way.' } }] },
    'Done. The list of calls shows whether the mail was sent.',
  ];
  const step = ({ prompt }) => answers[prompt.filter(({ role }) => role === 'tool').length];
  return scriptedModel(Array.from({ length: 1000 }, () => step));
}
