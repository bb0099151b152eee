/**
 * An agent that waits for an approval, and meanwhile runs whatever it is told to with the real run_command, to answer
 * itself. Reads command lines as lines of JSON from stdin and tells what came of each; `end` tells what became of the call.
 */

import { createInterface } from 'node:readline';
import { allowAll, ask, createGuard } from '../../dist/index.js';
import { openStore } from '../../dist/store/open-store.js';
import { storeApprover } from '../../dist/store/store-approver.js';
import { builtinTools, createBuiltinTools } from '../../dist/tools/index.js';

const { at, keys, cwd } = JSON.parse(process.argv[2]);
const store = await openStore({ at, keys });
const tools = createBuiltinTools();
const launch = { name: 'launch', tier: 'confirm' };
const guard = createGuard({
  tools: [...builtinTools, launch],
  policy: [ask('launch', { reason: 'Launch it?' }), allowAll()],
  approver: storeApprover(store),
  journal: store.journal,
});
const turn = (await guard.start({ cwd })).turn();
let launched = 0;
const host = {
  run: (call, { signal, grant, paths }) => {
    if (call.tool === 'launch') return `launched ${++launched}`;
    const tool = tools.find(({ name }) => name === call.tool);
    return tool.run(call.args, { signal, grant, paths, call, cwd });
  },
};

const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const waiting = turn.guard({ tool: 'launch', args: {} }, host);
const [record] = await (async () => {
  for (;;) {
    const found = await store.approvals.list({ state: 'pending' });
    if (found.length > 0) return found;
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
})();
tell({ approval: record.id });

for await (const line of createInterface({ input: process.stdin })) {
  const { run } = JSON.parse(line);
  if (run === undefined) break;
  const { text } = await turn.guard({ tool: 'run_command', args: { command_line: run } }, host);
  tell({ text });
}
const { type, text } = await waiting;
tell({ type, text, launched });
await store.close();
process.exit(0);
