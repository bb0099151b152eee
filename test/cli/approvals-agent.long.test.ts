/** An agent that tries to answer itself, by every way its commands give it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import type { Store } from '../../src/store/store.ts';
import { proves } from '../contract/cite.ts';
import { root } from '../source.ts';
import { main } from './policy-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-self-'));
const work = join(folder, 'work');
const at = join(folder, 'store.db');
const keys = join(folder, 'home', 'keys');

let store: Store;
let agent: ChildProcess;
let told: AsyncIterator<string>;
let id: string;

async function next(): Promise<Record<string, unknown>> {
  const { value, done } = await told.next();
  if (done === true) throw new RangeError('The agent has ended.');
  return JSON.parse(value) as Record<string, unknown>;
}

async function run(line: string): Promise<string> {
  agent.stdin?.write(`${JSON.stringify({ run: line })}\n`);
  return String((await next())['text']);
}

async function state(): Promise<string | undefined> {
  return (await store.approvals.find(id))?.state;
}

/** The command as somebody would type it who knows where everything is. */
function approve(): string {
  const env = `BRIDLE_HOME='${join(folder, 'home')}' BRIDLE_STORE='${at}'`;
  return `${env} '${process.execPath}' '${main}' approvals approve ${id} --yes`;
}

/** The same with an environment of its own. */
function approveAfresh(): string {
  return `env -i PATH="$PATH" HOME='${folder}' ${approve()}`;
}

beforeAll(async () => {
  mkdirSync(work);
  store = await openStore({ at, keys });
  createApproverKey({ folder: keys, name: 'ann' });
  const script = join(root, 'test/cli/asking-agent.mjs');
  const env = { ...process.env, BRIDLE_STORE: at, BRIDLE_HOME: join(folder, 'home'), SECRET_TOKEN: 'sesame' };
  const order = JSON.stringify({ at, keys, cwd: work });
  agent = spawn(process.execPath, [script, order], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  if (agent.stdout === null) throw new TypeError('no stdout');
  told = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
  id = String((await next())['approval']);
});

afterAll(async () => {
  if (agent.exitCode === null) {
    const ended = once(agent, 'exit');
    agent.kill('SIGKILL');
    await ended;
  }
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an agent that waits for an approval', () => {
  it(proves('Q06')('finds no way to answer in its environment'), async () => {
    const env = await run('env');
    expect(env).toContain('BRIDLE_AGENT=1');
    expect(env).not.toMatch(/BRIDLE_(HOME|STORE)|sesame|store\.db/);
  });

  it(proves('Q06')('is refused by the command, however it starts it'), { timeout: 60_000 }, async () => {
    const [mark, shell, tree] = ['BRIDLE_AGENT is set', 'belongs to an agent', 'given by the asking process'];
    const ways: Readonly<Record<string, readonly [line: string, why: string]>> = {
      directly: [approve(), mark],
      'without the mark': [`true; env -u BRIDLE_AGENT ${approve()}; exit $?`, shell],
      'with an empty environment': [`true; ${approveAfresh()}; exit $?`, shell],
      'in the place of its shell': [`exec ${approveAfresh()}`, tree],
      'below a shell of its own': [
        `exec env -i PATH="$PATH" bash -c ${quoted(`true; ${approveAfresh()}; exit $?`)}`,
        tree,
      ],
      'in a session of its own': [`exec env -i PATH="$PATH" setsid --wait env ${approve()}`, tree],
    };
    for (const [way, [line, why]] of Object.entries(ways)) {
      const said = await run(`exec 2>&1; ${line}`);
      expect(said, way).toContain('[exit code 3]');
      expect(said, way).toContain(why);
      expect(await state(), way).toBe('pending');
    }
  });

  it(proves('Q06')('is refused where nobody can tell any more who has started it'), { timeout: 60_000 }, async () => {
    const [out, begun] = [join(folder, 'stray'), join(folder, 'begun')];
    // It answers when the command that has started it has ended.
    const inner = `touch '${begun}'; sleep 0.5; ${approveAfresh()} > '${out}' 2>&1; echo "code $?" >> '${out}'`;
    const stray = `setsid -f env -i PATH="$PATH" bash -c ${quoted(inner)} > /dev/null 2>&1`;
    await run(`${stray}; while [ ! -e '${begun}' ]; do sleep 0.05; done`);
    for (let i = 0; i < 800 && !contents(out).includes('code'); i++) await delay(50);
    expect(contents(out)).toContain('the run may have started this process');
    expect(contents(out)).toContain('code 3');
    expect(await state()).toBe('pending');
  });

  it(proves('Q06')('makes no key to answer with'), async () => {
    const make = approve().replace(`approve ${id} --yes`, 'key eve --no-passphrase');
    expect(await run(`${make} 2>&1; echo "code $?"`)).toContain('code 3');
    expect(await run(`env -i PATH="$PATH" HOME='${folder}' ${make} 2>&1; echo "code $?"`)).toContain('code 3');
    expect(existsSync(join(keys, 'approver-eve.key'))).toBe(false);
  });

  it(proves('Q06', 'R05')('approves nothing by writing into the store with the user’s own keys'), async () => {
    const script = join(root, 'test/cli/store-intruder.mjs');
    const said = await run(`env -i '${process.execPath}' '${script}' '${at}' '${keys}' ${id} 2>&1`);
    expect(said).toContain('"answer":"APPROVAL_REFUSED"');
    expect(said).toContain('"move":true');
    // What is written there says approved; who asks sees that nobody has signed it.
    agent.stdin?.write('{}\n');
    const end = await next();
    expect(end).toMatchObject({ type: 'denied', launched: 0 });
    expect(String(end['text'])).toContain('does not count');
    expect(await state()).toBe('void');
  });
});

/** As one word for a shell. */
function quoted(line: string): string {
  return `'${line.replaceAll("'", String.raw`'\''`)}'`;
}

function contents(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
