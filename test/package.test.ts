/** The package as a user gets it: packed, installed into an empty project, imported and compiled there. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { run, runNode, runTsc } from './rigs/child.ts';
import { filesUnder, root } from './source.ts';

const entryPoints = Object.keys(manifest.exports)
  .filter((entryPoint) => !entryPoint.endsWith('.json'))
  .map((entryPoint) => `bridle${entryPoint.slice(1)}`);

const project = mkdtempSync(join(tmpdir(), 'bridle-package-'));
let packed: string[] = [];

function write(name: string, content: unknown): void {
  writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
}

beforeAll(async () => {
  const pack = await run({
    command: 'npm',
    args: ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    cwd: root,
  });
  expect(pack.code, pack.output).toBe(0);
  const [tarball] = JSON.parse(pack.stdout) as { filename: string; files: { path: string }[] }[];
  packed = tarball?.files.map((file) => file.path) ?? [];
  write('package.json', { private: true, type: 'module' });
  const install = await run({
    command: 'npm',
    args: ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball?.filename}`],
    cwd: project,
  });
  expect(install.code, install.output).toBe(0);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packed package', () => {
  it('contains the compiled source, the manifest and the documents at the root, nothing else', () => {
    const compiled = filesUnder('src')
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, ''))
      .flatMap((path) => [`${path}.js`, `${path}.js.map`, `${path}.d.ts`]);
    const bundled = ['main', 'quick', 'late'].map((name) => `dist/cli/${name}.cjs`);
    const front = [...bundled, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'policy.schema.json'];
    expect(bundled.filter((path) => !packed.includes(path))).toEqual([]);
    expect(compiled.filter((path) => !packed.includes(path))).toEqual([]);
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

  it.each(entryPoints)('exports the same names from %s as the source', async (entryPoint) => {
    const expected = Object.keys((await import(entryPoint)) as object).toSorted();
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entryPoint)})).sort()))`;
    const child = await runNode(['--input-type=module', '--eval', script], project);
    expect(child.code, child.output).toBe(0);
    expect(expected).not.toEqual([]);
    expect(JSON.parse(child.stdout)).toEqual(expected);
  });

  it('contains the command', async () => {
    const child = await run({ command: 'npx', args: ['--no-install', 'bridle', '--version'], cwd: project });
    expect(child.code, child.output).toBe(0);
    expect(child.stdout.trim()).toBe(manifest.version);
  });

  it('decides a call, with an empty cache and with a filled one', async () => {
    write('bridle.yaml', 'version: 1\nrules:\n  - deny: run_command\n    name: no rm\n    when: runs("rm")\n');
    const call = ['--tool', 'run_command', '--args', '{"command_line":"sudo rm x"}'];
    for (let round = 0; round < 3; round++) {
      const child = await run({
        command: 'npx',
        args: ['--no-install', 'bridle', 'check', '--policy', 'bridle.yaml', ...call],
        cwd: project,
        env: { ...process.env, BRIDLE_HOME: join(project, 'state') },
      });
      expect(child.code, child.output).toBe(1);
      expect(JSON.parse(child.stdout)).toMatchObject({ decision: 'deny', rule: 'no rm', at: 'bridle.yaml:3' });
    }
  });

  it('lets its manifest and the schema of policy files be imported', async () => {
    const script = `
      import manifest from 'bridle/package.json' with { type: 'json' };
      import schema from 'bridle/policy.schema.json' with { type: 'json' };
      console.log(manifest.name, schema.title)`;
    const child = await runNode(['--input-type=module', '--eval', script], project);
    expect(child.stdout.trim()).toBe('bridle Bridle policy');
  });

  it('has types that resolve at every entry point, in a strict project', async () => {
    write(
      'all.ts',
      entryPoints.map((entryPoint, index) => `import * as entry${index} from '${entryPoint}';\n`).join('') +
        use(entryPoints),
    );
    const child = await compile('all.ts', { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] });
    expect(child.output).toBe('');
  });

  it('has a root entry point whose types do not need Node', async () => {
    write('entry.ts', `import * as entry0 from 'bridle';\n${use(['bridle'])}`);
    const child = await compile('entry.ts', { types: [], lib: ['es2023', 'dom'] });
    expect(child.output).toBe('');
  });
});

/** One statement per entry point that fails to compile if it is `any` or empty. */
function use(names: readonly string[]): string {
  return names
    .map((_, index) => `export const name${index}: keyof typeof entry${index} & string = first(entry${index});\n`)
    .join('')
    .concat(
      'function first<T extends object>(entryPoint: T): keyof T & string { return Object.keys(entryPoint)[0] as keyof T & string; }\n',
    );
}

async function compile(file: string, options: object): ReturnType<typeof runTsc> {
  write('tsconfig.json', {
    files: [file],
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
