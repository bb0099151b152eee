/** A host whose agent answers its own question: runs the hook, then a command that approves the pending question. */

import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const [wrapper, main] = process.argv.slice(2);
const env = { HOME: process.env.HOME };

function command(...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

const hook = spawn('/bin/bash', ['-c', `'${wrapper}' gate`], { stdio: ['inherit', 'pipe', 'pipe'] });
const ended = new Promise((resolve) => hook.on('close', (code, signal) => resolve({ code, signal })));
const output = Promise.all([text(hook.stdout), text(hook.stderr)]);
let approve = -1;
for (let attempt = 0; attempt < 40 && approve === -1; attempt++) {
  await sleep(100);
  const { stdout } = await command('approvals', 'list', '--json');
  const [, id] = /"id":\s*"([^"]+)"/.exec(stdout) ?? [];
  if (id !== undefined) approve = (await command('approvals', 'approve', id, '--yes')).code;
}
const [stdout, stderr] = await output;
process.stdout.write(JSON.stringify({ approve, hook: { stdout, stderr, ...(await ended) } }));
