import { readFile } from 'node:fs/promises';
import { createAgent } from 'bridle/agent';
import { defineTool } from 'bridle/tools';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';

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

export function createServerAgent({ model, store }) {
  return createAgent({
    model,
    instructions: 'You answer customers.',
    capabilities: 'none',
    tools: [findCustomer, sendMail],
    policy: 'bridle.yaml',
    store,
  });
}

/** `approver` answers with the key of a person; `login` is what that person's browser must send. */
export function createApp({ agent, store, approver, login }) {
  const app = new Hono();
  app.get('/', async (context) => context.html(await readFile('page.html', 'utf8')));
  app.use('/chat', bearerAuth({ token: login }));
  app.use('/approvals/*', bearerAuth({ token: login }));

  app.post('/chat', async (context) => {
    const { prompt } = await context.req.json();
    // One session per request. A server with users opens one per user: agent.open({ id }).
    const session = await agent.open();
    try {
      const { text, toolCalls } = await session.chat(String(prompt), { signal: context.req.raw.signal });
      return context.json({ text, calls: toolCalls.map(({ tool, outcome }) => ({ tool, outcome })) });
    } finally {
      await session.stop();
    }
  });

  app.get('/approvals', async (context) => {
    const pending = await store.approvals.list({ state: 'pending' });
    return context.json(
      pending.map(({ id, shown, questions }) => ({ id, call: shown.text, question: questions[0]?.text ?? '' })),
    );
  });

  app.post('/approvals/:id', async (context) => {
    const { approve } = await context.req.json();
    // Only a clear yes approves.
    const answer = { type: approve === true ? 'approve' : 'deny' };
    try {
      const { won } = await approver.answer(context.req.param('id'), answer);
      return context.json({ counted: won });
    } catch (error) {
      if (error.code !== 'APPROVAL_REFUSED') throw error;
      return context.json({ counted: false, problem: error.message }, 409);
    }
  });
  return app;
}
