/**
 * The packed package with and without a driver of SQLite. Node 22.13 and newer include one; for older versions, users
 * install libsql. Without a driver, nothing is installed or allowed, and every message has the command that repairs it.
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { optionalPackages } from '../src/files/own-packages.ts';
import { proves } from './contract/cite.ts';
import { type Ended, run, runNode } from './rigs/child.ts';
import { type HookResult, HookRig, letsRun, plainPolicy } from './rigs/hook-rig.ts';
import { hasNodeSqlite, makeProject, packBridle, shell } from './rigs/packed-bridle.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-driver-')));
const [bare, full] = [join(place, 'bare'), join(place, 'full')];
const command = `npm install libsql@${optionalPackages.libsql}`;
const rigs: HookRig[] = [];

beforeAll(async () => {
  const { file } = await packBridle(place);
  for (const project of [bare, full]) {
    makeProject(project);
    expect((await shell(`npm install '${file}'`, project)).code).toBe(0);
  }
  const added = await shell(command, full);
  expect(added.code, added.output).toBe(0);
}, 180_000);

afterAll(() => {
  for (const each of rigs) each.remove();
  rmSync(place, { recursive: true, force: true });
});

function rig(): HookRig {
  const made = new HookRig().policy(plainPolicy);
  rigs.push(made);
  return made;
}

/** The command of a project, for a user with a home folder of their own. */
function bridle(project: string, at: HookRig, args: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'], HOME: join(at.folder, 'home'), NO_COLOR: '1' };
  const main = join(project, 'node_modules/bridle/dist/cli/main.cjs');
  return run({ command: process.execPath, args: [main, ...args], cwd: at.project, env });
}

/** Everything in the user's home folder. */
function filesOf(at: HookRig): readonly string[] {
  return readdirSync(join(at.folder, 'home'), { recursive: true, encoding: 'utf8' }).toSorted((a, b) =>
    a < b ? -1 : 1,
  );
}

async function install(project: string, at: HookRig): Promise<string> {
  const { code, output } = await bridle(project, at, ['install', 'claude', '--yes']);
  expect(code, output).toBe(0);
  return join(at.home, 'hosts/claude/hook');
}

/** Runs the installed hook as Claude Code does. */
async function hook(wrapper: string, at: HookRig, line: string): Promise<HookResult> {
  const payload = join(at.folder, 'payload.json');
  writeFileSync(payload, JSON.stringify(at.payload('claude', line)));
  const script = `'${wrapper}' < '${payload}' 2> '${payload}.err'`;
  const { code, stdout } = await run({ command: 'sh', args: ['-c', script], cwd: at.project, env: at.env('claude') });
  return { code, stdout, stderr: readFileSync(`${payload}.err`, 'utf8'), signal: null };
}

/** Puts packages that report if they are loaded where Node finds packages, but where an agent may be able to write. */
function plant(at: HookRig): string {
  const marker = join(at.folder, 'loaded');
  const home = join(at.folder, 'home');
  const folders = [join(at.project, 'node_modules'), join(home, 'node_modules'), join(home, '.node_modules')];
  for (const folder of [...folders, join(at.folder, 'node_modules'), join(place, 'node_modules')]) {
    for (const [name, main] of [
      ['libsql', 'index.js'],
      [`@libsql/${process.platform}-${process.arch}-gnu`, 'index.node'],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true });
      const manifest = { name, main, version: optionalPackages.libsql };
      writeFileSync(join(folder, name, 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(folder, name, main), `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '');`);
    }
  }
  return marker;
}

describe.skipIf(hasNodeSqlite)('without a driver', () => {
  it('no store is opened or created, and the error has the command', async () => {
    const at = rig();
    const marker = plant(at);
    const script = `
      import { openStore } from 'bridle/store';
      await openStore({ at: './new/store.db', keys: './new/keys' }).catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await runNode(['--input-type=module', '--eval', script], bare);
    expect(stdout).toMatch(/^PACKAGE_MISSING A store in a file needs SQLite, which Node v[\d.]+ does not include\. /);
    expect(stdout).toContain(command);
    expect(existsSync(join(bare, 'new'))).toBe(false);
    expect(existsSync(marker)).toBe(false);
  });

  it(proves('C07')('bridle install changes nothing and names the command'), async () => {
    const at = rig();
    const before = filesOf(at);
    for (const flags of [['--yes'], ['--dry-run'], ['--observe', '--yes']]) {
      const { code, output } = await bridle(bare, at, ['install', 'claude', ...flags]);
      expect(code, output).toBe(2);
      expect(output).toContain(command);
    }
    expect(filesOf(at)).toEqual(before);
  });

  it('bridle init and doctor name the command', async () => {
    const at = rig();
    rmSync(join(at.project, 'bridle.yaml'));
    const init = await bridle(bare, at, ['init']);
    expect(init.code, init.output).toBe(0);
    expect(init.output).toMatch(new RegExp(`^bridle: Before npx bridle install: .*${command}`));
    const doctor = await bridle(bare, at, ['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.output).toContain(command);
  });

  it('commands that read a store end with the command that repairs it', async () => {
    const at = rig();
    await at.withStore(() => Promise.resolve());
    for (const args of [
      ['journal', 'verify'],
      ['approvals', 'list'],
      ['runs', 'list'],
      ['init', '--force', '--from-journal'],
    ]) {
      const { code, output } = await bridle(bare, at, args);
      expect(code, output).toBe(2);
      expect(output).toContain(command);
    }
  });

  it(proves('C02')('a hook of the package blocks the call and says why'), async () => {
    const at = rig();
    const payload = join(at.folder, 'payload.json');
    writeFileSync(payload, JSON.stringify(at.payload('claude', 'echo hello')));
    const main = join(bare, 'node_modules/bridle/dist/cli/main.cjs');
    const script = `'${process.execPath}' '${main}' hook --host claude --home '${at.home}' < '${payload}'`;
    const { code, stdout } = await run({ command: 'sh', args: ['-c', script], cwd: at.project, env: at.env('claude') });
    expect(letsRun({ code, stdout, stderr: '', signal: null })).toBe(false);
    expect(stdout).toContain(command);
  });

  it(
    proves('C02')('a hook that has lost its driver blocks every call, says why, and loads no package from elsewhere'),
    async () => {
      const at = rig();
      const wrapper = await install(full, at);
      const [handler = ''] = readdirSync(join(at.home, 'handlers'));
      rmSync(join(at.home, 'handlers', handler, 'libsql.node'));
      const marker = plant(at);
      const elsewhere = createRequire(join(at.home, 'handlers', handler, 'hook.cjs')).resolve('libsql');
      expect(elsewhere).toBe(join(at.folder, 'home/node_modules/libsql/index.js'));
      for (const line of ['echo hello', 'rm -rf x', 'git push']) {
        const result = await hook(wrapper, at, line);
        expect(letsRun(result)).toBe(false);
        expect(`${result.stdout}${result.stderr}`).toContain(
          `${command} (or use Node 22.13 or newer). Then run \\"npx bridle install claude\\" again.`,
        );
      }
      expect(existsSync(marker)).toBe(false);
      const doctor = await bridle(full, at, ['doctor']);
      expect(doctor.output).toMatch(new RegExp(`the hook has no SQLite, .* every call is blocked: ${command}`));
      // The repair that is named.
      expect((await bridle(full, at, ['install', 'claude', '--yes'])).code).toBe(0);
      expect(letsRun(await hook(wrapper, at, 'echo hello'))).toBe(true);
    },
  );
});

describe(hasNodeSqlite ? 'with the SQLite of this Node' : 'with libsql', () => {
  const project = hasNodeSqlite ? bare : full;

  it(proves('C02', 'C07')('an installed hook allows, asks and denies'), async () => {
    const at = rig();
    const wrapper = await install(project, at);
    plant(at);
    expect(letsRun(await hook(wrapper, at, 'echo hello'))).toBe(true);
    expect(letsRun(await hook(wrapper, at, 'rm -rf x'))).toBe(false);
    expect((await hook(wrapper, at, 'git push')).stdout).toContain('"ask"');
    expect(await at.story()).toContain('decided denied');
  });

  it('a store is opened', async () => {
    const script = `
      import { openStore } from 'bridle/store';
      const store = await openStore({ at: './new/store.db', keys: './new/keys' });
      console.log((await store.journal.verify()).ok);
      await store.close();`;
    const { output } = await runNode(['--input-type=module', '--eval', script], project);
    expect(output.replace(/^.*ExperimentalWarning[^]*?\n(?=true|false)/, '').trim()).toBe('true');
  });
});
