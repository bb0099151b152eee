/** One step of a durable question, in a process of its own: `node durable.mjs <framework> <place> pause|approve|resume`. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { neutralTools } from './rig.mjs';

const [folder, place, step] = process.argv.slice(2);
const stateFile = join(place, 'state.json');
const keys = join(place, '.bridle', 'keys');
const { driver } = await import(pathToFileURL(join(folder, 'driver.mjs')).href);
const [{ ask }, { openStore, createApproverKey }, adapter] = await Promise.all(
  ['bridle', 'bridle/store', `bridle/${driver.entry}`].map((specifier) => driver.load(specifier)),
);

if (step === 'approve') {
  createApproverKey({ folder: keys, name: 'ann' });
  const store = await openStore({ at: join(place, 'store.db'), keys });
  const [question] = await store.approvals.list({ state: 'pending' });
  await store.close();
  const cli = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url));
  const args = ['approvals', 'approve', question.id, '--yes', '--store', join(place, 'store.db')];
  execFileSync(process.execPath, [cli, ...args], { cwd: place, env: { ...process.env, HOME: place }, stdio: 'ignore' });
} else {
  const store = await openStore({ at: join(place, 'store.db'), keys });
  const record = { ran: [] };
  const guard = adapter.createGuard({
    policy: [ask('send', { approval: 'signed' })],
    default: 'allow',
    store,
    cwd: place,
  });
  const call = { id: 'c1', tool: 'send', args: { to: 'bob' } };
  const script = step === 'pause' ? [{ toolCalls: [call] }] : [{ text: 'done' }];
  const tools = neutralTools(driver.z, record).filter(({ name }) => name === 'send');
  const agent = await driver.open({ guard, adapter, tools, script, record, session: 'thread-1', place });
  const known = step === 'pause' ? undefined : JSON.parse(readFileSync(stateFile, 'utf8'));
  const result =
    known === undefined
      ? await agent.run('Write to Bob')
      : await agent.resume(known.paused, { c1: { type: 'approve' } });
  writeFileSync(stateFile, JSON.stringify({ paused: result.paused, text: result.text, ran: record.ran }));
  await agent.close?.();
  await guard.end();
  await store.close();
}
process.exit(0);
