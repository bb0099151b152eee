import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createApproverKey, listApprovers, openApproverKey, openStore } from 'bridle/store';
import { createApp, createServerAgent } from './app.mjs';
import { scriptedSupportModel } from './scripted-model.mjs';

// A real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and write 'anthropic/claude-opus-5' here.
const model = scriptedSupportModel();

const folder = process.env.DATA ?? 'data';
const keys = `${folder}/keys`;
const store = await openStore({ at: `${folder}/store.db`, keys });
// The key signs the answers of one person. It must be opened before the first session of the agent.
const person = { folder: keys, name: 'operator' };
const isKnown = listApprovers(keys).some(({ name }) => name === person.name);
const approver = store.openApprover(isKnown ? openApproverKey(person) : createApproverKey(person));

const agent = createServerAgent({ model, store });
await agent.start();

const login = randomBytes(32).toString('base64url');
const app = createApp({ agent, store, approver, login });
const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) },
  ({ port }) => {
    console.log(`Open http://127.0.0.1:${port}/#${login}`);
  },
);

async function stop() {
  server.close();
  await agent.stop();
  await store.close();
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
