/** The package as a user gets it: packed, installed into an empty project, imported and compiled there. */

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { blocksIn, type DocBlock, flagsOf, transcriptOf } from './doc-programs.ts';
import { run, runNode, runTsc } from './rigs/child.ts';
import { hasNodeSqlite, installedIn, makeProject, packBridle, shell } from './rigs/packed-bridle.ts';
import { installCommand } from '../src/files/own-packages.ts';
import { filesUnder, read, root } from './source.ts';
import { testTemplates } from './templates/packed-templates.ts';

const entryPoints = Object.keys(manifest.exports)
  .filter((entryPoint) => !entryPoint.endsWith('.json'))
  .map((entryPoint) => `bridle${entryPoint.slice(1)}`);

/** What an install without the optional peers may weigh. */
const maxPackages = 12;
const maxMegabytes = 16;

/** As a reader has it: the repository (here only what it packs) in `bridle`, an empty folder `project` next to it. */
const place = mkdtempSync(join(tmpdir(), 'bridle-package-'));
const project = join(place, 'project');
const repository = join(place, 'bridle');
let packed: readonly string[] = [];
let pasted: { readonly shown: string; readonly printed: string; readonly warnings: readonly string[] } | undefined;
let installed: readonly string[] = [];
let megabytes = 0;

function write(name: string, content: unknown): void {
  writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
}

beforeAll(async () => {
  mkdirSync(project);
  mkdirSync(repository);
  packed = (await packBridle(repository)).paths;
  pasted = await pasteReadme();
  installed = installedIn(project);
  megabytes = bytesOnDisk(join(project, 'node_modules')) / 2 ** 20;
  if (!hasNodeSqlite) {
    const added = await shell(installCommand('libsql'), project);
    expect(added.code, added.output).toBe(0);
  }
  makeProject(project);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Does in the empty folder what the README says: its install command, its first code block, its command for that. */
async function pasteReadme(): Promise<NonNullable<typeof pasted>> {
  const blocks = blocksIn('README.md', read('README.md'));
  const [, install] = /^(npm install \S+)\s+# in your project$/m.exec(read('README.md')) ?? [];
  const code = blocks.find(({ language }) => /^[jt]s$/.test(language));
  const shown = blocks.find((block) => block.flags.includes('installed'));
  const [file] = flagsOf(code ?? missing, 'file');
  const [command] = transcriptOf(shown ?? missing);
  if (install === undefined || file === undefined || command === undefined) throw new Error('README: nothing to paste');
  const { code: exitCode, output: printed } = await shell(install, project);
  expect(exitCode, printed).toBe(0);
  write(file, code?.text);
  const { output } = await shell(command.typed, project);
  return { shown: command.printed, printed: output.trim(), warnings: warningsIn(printed) };
}

const missing: DocBlock = { path: 'README.md', line: 0, language: '', flags: [], text: '' };

/** What npm warns about, except for the settings of this machine. */
function warningsIn(output: string): readonly string[] {
  return output.split('\n').filter((line) => /\bwarn/i.test(line) && !/^npm warn Unknown \w+ config/.test(line));
}

describe('the packed package', () => {
  it('runs the first code block of the README in an empty folder', () => {
    expect(pasted?.printed).toBe(pasted?.shown);
    expect(pasted?.shown).toContain('Reading only');
  });

  it('contains the compiled source, the manifest and the documents at the root, nothing else', () => {
    const compiled = filesUnder('src')
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, ''))
      .flatMap((path) => [`${path}.js`, `${path}.d.ts`]);
    const bundled = ['main', 'quick', 'hook', 'hook-code', 'late'].map((name) => `dist/cli/${name}.cjs`);
    const templates = filesUnder('templates');
    const front = [
      ...bundled,
      ...templates,
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
      'policy.schema.json',
    ];
    expect(bundled.filter((path) => !packed.includes(path))).toEqual([]);
    expect([...compiled, ...templates].filter((path) => !packed.includes(path))).toEqual([]);
    expect(
      packed.filter((path) => !compiled.includes(path) && !front.includes(path)),
      'left over from an earlier build? delete dist/ and build/, then build again',
    ).toEqual([]);
  });

  it('pins its dependencies, and runs nothing when installed', () => {
    const installed = JSON.parse(readFileSync(join(project, 'node_modules/bridle/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const versions = Object.values(installed.dependencies);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(installed).not.toHaveProperty(['scripts', script]);
    }
  });

  it('is a light install without a warning: few packages, none of the optional ones', () => {
    expect(pasted?.warnings).toEqual([]);
    expect(installed.length).toBeLessThanOrEqual(maxPackages);
    expect(installed.filter((name) => Object.hasOwn(manifest.peerDependencies, name))).toEqual([]);
    expect(megabytes).toBeLessThan(maxMegabytes);
  });

  it('imports only its dependencies and optional peers in its types', () => {
    const own = new Set(['bridle', ...[manifest.dependencies, manifest.peerDependencies].flatMap(Object.keys)]);
    const declared = packed.filter((path) => path.endsWith('.d.ts')).flatMap((path) => packagesIn(read(path)));
    expect(new Set(declared.filter((name) => !own.has(name)))).toEqual(new Set());
  });

  it('says what to install for a store on Postgres, a worker on it, and MCP servers', async () => {
    const child = await runScript(`
      import { openStore } from 'bridle/store';
      import { startWorker } from 'bridle/fleet';
      import { createAgent } from 'bridle/agent';
      import { allowAll } from 'bridle';
      import { scriptedModel } from 'bridle/testing';

      const at = 'postgres://localhost/none';
      const options = { model: scriptedModel([]), policy: allowAll() };
      const mcpServers = [{ name: 'files', command: process.execPath, args: ['--version'] }];
      const attempts = [
        () => openStore({ at, keys: './keys' }),
        () => startWorker({ store: { at, keys: './keys' }, agents: [{ name: 'main', ...options }] }),
        () => createAgent({ ...options, mcpServers }).start(),
      ];
      for (const attempt of attempts) await attempt().catch(({ code, message }) => console.log(code, message));`);
    expect(child.code, child.output).toBe(0);
    const postgres = /^PACKAGE_MISSING A store on Postgres needs pg\. Install with: npm install pg@[\d.]+ /;
    expect(child.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(postgres),
      expect.stringMatching(postgres),
      expect.stringMatching(/^PACKAGE_MISSING .* npm install @modelcontextprotocol\/client@[\d.]+ /),
    ]);
    write('agent.mjs', "export default { model: 'anthropic/any', policy: [] };\n");
    const command = await bridle(['worker', '--store', 'postgres://localhost/none', '--agent', './agent.mjs']);
    expect(command.code, command.output).toBe(2);
    expect(command.output).toMatch(/npm install pg@[\d.]+ /);
  });

  it('chats and keeps a store without the optional packages', async () => {
    const child = await runScript(`
      import { allowAll } from 'bridle';
      import { createAgent } from 'bridle/agent';
      import { openStore } from 'bridle/store';
      import { scriptedModel } from 'bridle/testing';

      const store = await openStore({ at: './store.db', keys: './keys' });
      const agent = createAgent({
        model: scriptedModel([{ toolCalls: [{ tool: 'list_directory', args: { directory_path: '.' } }] }, 'Seen.']),
        policy: allowAll(),
        store,
      });
      await agent.start();
      console.log(await agent.chat('Look around').then(({ text }) => text), (await store.journal.verify()).ok);
      await agent.stop();
      await store.close();`);
    expect(child.output.trim()).toBe('Seen. true');
    write(
      'chat.mjs',
      `import { scriptedModel } from 'bridle/testing';
      const calls = [{ tool: 'view_file', args: { file_path: 'package.json' } }];
      export default { model: scriptedModel([{ toolCalls: calls }, 'Read.']) };`,
    );
    const chat = await bridle(['chat', '--agent', './chat.mjs', '-p', 'read package.json']);
    expect(chat.code, chat.output).toBe(0);
    expect(chat.output).toMatch(/✓ view_file package\.json[^]*Read\./);
    const tour = await bridle(['tour']);
    expect(tour.code, tour.output).toBe(0);
    expect(tour.output).toContain('the chain is intact');
  });

  it.each(entryPoints)('exports the same names from %s as the source', async (entryPoint) => {
    const expected = Object.keys((await import(entryPoint)) as object).toSorted();
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entryPoint)})).sort()))`;
    const child = await runScript(script);
    expect(child.code, child.output).toBe(0);
    expect(expected).not.toEqual([]);
    expect(JSON.parse(child.stdout)).toEqual(expected);
  });

  it('contains the command', async () => {
    const child = await bridle(['--version']);
    expect(child.code, child.output).toBe(0);
    expect(child.stdout.trim()).toBe(manifest.version);
  });

  it('decides a call, with an empty cache and with a filled one', async () => {
    write('bridle.yaml', 'version: 1\nrules:\n  - deny: run_command\n    name: no rm\n    when: runs("rm")\n');
    const call = ['--tool', 'run_command', '--args', '{"command_line":"sudo rm x"}'];
    for (let round = 0; round < 3; round++) {
      const child = await bridle(['check', '--policy', 'bridle.yaml', ...call]);
      expect(child.code, child.output).toBe(1);
      expect(JSON.parse(child.stdout)).toMatchObject({ decision: 'deny', rule: 'no rm', at: 'bridle.yaml:3' });
    }
  });

  it('lets its manifest and the schema of policy files be imported', async () => {
    const script = `
      import manifest from 'bridle/package.json' with { type: 'json' };
      import schema from 'bridle/policy.schema.json' with { type: 'json' };
      console.log(manifest.name, schema.title)`;
    const child = await runScript(script);
    expect(child.stdout.trim()).toBe('bridle Bridle policy');
  });

  it('has types that resolve at every entry point, in a strict project', async () => {
    write(
      'all.ts',
      entryPoints.map((entryPoint, index) => `import * as entry${index} from '${entryPoint}';\n`).join('') +
        use(entryPoints),
    );
    // Only the types of Node: those of optional packages must not be needed.
    const child = await compile(['all.ts', join(root, 'node_modules/@types/node/index.d.ts')], { types: [] });
    expect(child.output).toBe('');
  });

  it('has a root entry point whose types do not need Node', async () => {
    write('entry.ts', `import * as entry0 from 'bridle';\n${use(['bridle'])}`);
    const child = await compile(['entry.ts'], { types: [], lib: ['es2023', 'dom'] });
    expect(child.output).toBe('');
  });
});

describe('the packed package', () => {
  testTemplates(() => project);
});

function runScript(script: string): ReturnType<typeof run> {
  return runNode(['--input-type=module', '--eval', script], project);
}

function bridle(args: readonly string[]): ReturnType<typeof run> {
  const env = { ...process.env, BRIDLE_HOME: join(project, 'state') };
  return run({ command: 'npx', args: ['--no-install', 'bridle', ...args], cwd: project, env });
}

/** The packages that a declaration file imports. */
function packagesIn(text: string): readonly string[] {
  const named = Array.from(text.matchAll(/(?:from |import\()["']((?:@[\w.-]+\/)?[\w-]+)/g), ([, name = '']) => name);
  return named.filter((name) => name !== 'node' && !name.startsWith('.'));
}

/** As `du` counts it. */
function bytesOnDisk(path: string): number {
  const info = lstatSync(path);
  const inside = info.isDirectory() ? readdirSync(path).map((name) => bytesOnDisk(join(path, name))) : [];
  return inside.reduce((sum, bytes) => sum + bytes, info.blocks * 512);
}

/** One statement per entry point that fails to compile if it is `any` or empty. */
function use(names: readonly string[]): string {
  return names
    .map((_, index) => `export const name${index}: keyof typeof entry${index} & string = first(entry${index});\n`)
    .join('')
    .concat(
      'function first<T extends object>(entryPoint: T): keyof T & string { return Object.keys(entryPoint)[0] as keyof T & string; }\n',
    );
}

async function compile(files: readonly string[], options: object): ReturnType<typeof runTsc> {
  write('tsconfig.json', {
    files,
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      ...options,
    },
  });
  return runTsc(['-p', '.', '--pretty', 'false'], project);
}
