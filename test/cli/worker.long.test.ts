/** `bridle worker` as a process: started, told to stop, and told nonsense. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { queueRun } from 'bridle/fleet';
import { expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { until } from '../rigs/fleet-rig.ts';
import { root } from '../source.ts';
import { describePostgres, describeStores, type StoreRig } from '../rigs/store-rig.ts';
import { bridle, type CommandSurroundings, startBridle } from './store-command-rig.ts';

const hangMs = 60_000;

/** Writes a module that exports this, with `scriptedModel` at hand. */
function writeAgent(rig: StoreRig, exported: string): void {
  const kit = pathToFileURL(join(root, 'dist/testing/index.js')).href;
  writeFileSync(
    join(rig.folder, 'agent.mjs'),
    `import { scriptedModel } from '${kit}';\nexport default ${exported};\n`,
  );
}

const simple = `({ model: scriptedModel(['all done'], { repeat: true }), capabilities: 'none' })`;

interface Started {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

function startWorker(rig: StoreRig, args: readonly string[] = [], around: CommandSurroundings = {}): Started {
  const child = startBridle(rig, ['worker', '--agent', './agent.mjs', ...args], around);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

describeStores('bridle worker', (rig) => {
  it(
    proves('R07')('goes on with what is queued until it is told to stop, and tells it in JSON'),
    async () => {
      writeAgent(rig, simple);
      const { code, stdout } = await bridle(rig, ['runs', 'start', '--queue', '--prompt', 'go', '--id', 'r1']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'r1: queued for "main"\n' });
      const worker = startWorker(rig, ['--json', '--lease', '2s', '--concurrency', '3']);
      await until(() => worker.stdout().includes('"segment_ended"'));
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
      const lines = worker.stdout().trimEnd().split('\n');
      const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
      expect(events[0]).toMatchObject({ type: 'worker_started', agents: ['main'], concurrency: 3, leaseMs: 2000 });
      expect(events.filter(({ run }) => run === 'r1')).toMatchObject([
        { type: 'segment_started' },
        { type: 'segment_ended', state: 'done' },
      ]);
      expect(events.at(-1)).toMatchObject({ type: 'worker_stopped' });
      expect(worker.stderr()).toBe('');
      expect((await bridle(rig, ['runs', 'show', 'r1'])).stdout).toContain('all done');
    },
    hangMs,
  );

  it(
    'tells it in plain lines, with nothing a terminal obeys',
    async () => {
      writeAgent(
        rig,
        `({ store }) => ({ model: scriptedModel([{ error: new Error('no \\u001B[2J') }]), capabilities: 'none', retries: 0, store })`,
      );
      await queueRun(await rig.open(), { id: 'r1', prompt: 'go' });
      const worker = startWorker(rig);
      await until(() => worker.stderr().includes('r1 failed'));
      worker.child.kill('SIGINT');
      expect(await worker.ended).toBe(0);
      expect(worker.stdout()).toBe('');
      expect(worker.stderr()).toMatch(/ r1 claimed\n/);
      expect(worker.stderr()).toMatch(/ r1 failed after \d+ ms: .*no .*\[2J/);
      expect(worker.stderr()).not.toContain('\u001B');
      expect(worker.stderr()).toMatch(/ stopped\n$/);
    },
    hangMs,
  );

  it(
    'ends at once with a second signal',
    async () => {
      const tool = `{ name: 'act', run: () => new Promise(() => console.error('begun')) }`;
      const model = `scriptedModel([{ toolCalls: [{ tool: 'act' }] }])`;
      writeAgent(rig, `({ model: ${model}, tools: [${tool}], capabilities: 'none', default: 'allow' })`);
      await queueRun(await rig.open(), { id: 'r1', prompt: 'go' });
      const worker = startWorker(rig);
      await until(() => worker.stderr().includes('begun'));
      worker.child.kill('SIGTERM');
      await until(() => worker.stderr().includes('stopping'));
      worker.child.kill('SIGINT');
      expect(await worker.ended).toBe(130);
    },
    hangMs,
  );
});

describePostgres('bridle worker, told nonsense,', (rig) => {
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await bridle(rig, ['worker', ...args]);
    expect(code).toBe(2);
    return stderr;
  };

  it(
    'says what is wrong with it',
    async () => {
      const cases: readonly (readonly [exported: string, said: string])[] = [
        ['17', 'exports a number as its default'],
        ['undefined', 'has no default export'],
        ['() => { throw new Error("not today") }', 'cannot be loaded: ./agent.mjs:2: not today'],
        ['() => 17', 'not a number'],
        [`({ modle: 'x' })`, '"model"'],
      ];
      for (const [exported, said] of cases) {
        writeAgent(rig, exported);
        expect(await refused('--agent', './agent.mjs')).toContain(said);
      }
      writeAgent(rig, simple);
      const agent = ['--agent', './agent.mjs'];
      const told = await Promise.all([
        refused(),
        refused('--agent', './missing.mjs'),
        refused(...agent, '--lease', 'soon'),
        refused(...agent, '--lease', '1ms'),
        refused(...agent, '--concurrency', 'many'),
        refused(...agent, './agent.mjs'),
      ]);
      expect(told).toEqual(
        [
          '--agent is missing',
          './missing.mjs does not exist',
          'such as 30s',
          'leaseMs must be a whole number from 500',
          '--concurrency must be a whole number',
          'two agents have the name "main"',
        ].map((text) => expect.stringContaining(text) as string),
      );
    },
    hangMs,
  );

  it('says what to install where DBOS is missing', async () => {
    writeAgent(rig, simple);
    const hooks = `export async function resolve(name, context, next) {
      if (!name.startsWith('@dbos-inc/')) return next(name, context);
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
    }`;
    writeFileSync(join(rig.folder, 'hooks.mjs'), hooks);
    writeFileSync(
      join(rig.folder, 'register.mjs'),
      `import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n`,
    );
    const env = { NODE_OPTIONS: `--import ${pathToFileURL(join(rig.folder, 'register.mjs')).href}` };
    const { code, stderr } = await bridle(rig, ['worker', '--agent', './agent.mjs'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('npm install @dbos-inc/dbos-sdk');
  });
});
