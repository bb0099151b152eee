/** The agent of the walk `approval`, in a process of its own: it asks, says what it visited so far, and goes on. */

import { join } from 'node:path';
import { load } from './load.mjs';
import { startRecording, stopRecording } from './record.mjs';

const [, , build, folder] = process.argv;
const [{ ask }, { createAgent }, { scriptedModel }, { openStore }] = await load(build, [
  '',
  'agent',
  'testing',
  'store',
]);

const store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
const agent = createAgent({
  model: scriptedModel([{ toolCalls: [{ tool: 'run_command', args: { command_line: 'true' } }] }, 'done']),
  policy: ask('run_command'),
  default: 'deny',
  store,
  workspaces: [folder],
  telemetry: false,
});
await agent.start();
process.on('message', () => {
  process.send(stopRecording());
  startRecording();
});
startRecording();
await agent.chat('Run it.');
process.send(stopRecording());
process.disconnect();
await agent.stop();
await store.close();
