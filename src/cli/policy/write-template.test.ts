import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../../test/source.ts';
import {
  isTemplateName,
  localSource,
  templates,
  type TemplateName,
  writeTemplate,
  type WrittenTemplate,
} from './write-template.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-template-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function generate(name: TemplateName = 'agent', force = false): WrittenTemplate {
  return writeTemplate(name, { folder, force, version: '1.2.3' });
}

function manifest(): { scripts: Record<string, string>; dependencies: Record<string, string> } & Record<
  string,
  unknown
> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifest>;
}

describe('a template', () => {
  it.each(Object.keys(templates).filter(isTemplateName))('%s is a complete project', (name) => {
    const { files, keptScripts } = generate(name);
    expect(keptScripts).toEqual([]);
    for (const file of ['package.json', 'README.md', 'bridle.yaml', '.gitignore']) expect(files).toContain(file);
    for (const file of files) expect(existsSync(join(folder, file))).toBe(true);
    expect(manifest()).toMatchObject({ private: true, dependencies: { bridle: '1.2.3' } });
    expect(Object.keys(manifest().scripts)).toEqual(expect.arrayContaining(['start', 'test']));
    expect(readFileSync(join(folder, 'README.md'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(12);
  });

  it('adds to the package.json that is there, and replaces only the test of npm init', () => {
    const own = {
      name: 'mine',
      type: 'commonjs',
      scripts: { test: 'echo "Error: no test specified" && exit 1', start: 'node own.js' },
      dependencies: { bridle: 'file:../bridle.tgz', zod: '4.6.7' },
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    writeFileSync(join(folder, '.gitignore'), 'mine\n');
    const { files, keptScripts } = generate();
    expect(keptScripts).toEqual(['start']);
    expect(files).not.toContain('.gitignore');
    expect(manifest()).toEqual({ ...own, scripts: { test: 'bridle test && node --test', start: 'node own.js' } });
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('mine\n');
  });

  it('names every file that is in the way, and writes nothing then', () => {
    writeFileSync(join(folder, 'bridle.yaml'), 'mine');
    writeFileSync(join(folder, 'main.mjs'), 'mine');
    expect(() => generate()).toThrow(
      'bridle.yaml, main.mjs already exist; use an empty folder, or replace with --force',
    );
    expect(readdirSync(folder).toSorted()).toEqual(['bridle.yaml', 'main.mjs']);
    generate('agent', true);
    expect(readFileSync(join(folder, 'main.mjs'), 'utf8')).not.toBe('mine');
  });

  it('writes through no link, forced or not', () => {
    const outside = mkdtempSync(join(tmpdir(), 'bridle-outside-'));
    mkdirSync(join(folder, 'app'));
    symlinkSync(outside, join(folder, 'app/api'));
    symlinkSync(join(outside, 'x'), join(folder, 'README.md'));
    for (const force of [false, true])
      expect(() => generate('nextjs', force)).toThrow(/README\.md.*app\/api\/chat\/route\.js.*: not a regular file/s);
    expect(readdirSync(outside)).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it.each(['{', '[]'])('needs a package.json that is an object: %s', (text) => {
    writeFileSync(join(folder, 'package.json'), text);
    expect(() => generate()).toThrow(/package\.json (?:cannot be read|is not a JSON object)/);
    expect(readdirSync(folder)).toEqual(['package.json']);
  });
});

/** The folder of a package that npm has installed from there. */
function installed(resolved: string): string {
  mkdirSync(join(folder, 'node_modules/bridle'), { recursive: true });
  const lock = { packages: { 'node_modules/bridle': { resolved } } };
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(lock));
  return join(folder, 'node_modules/bridle');
}

describe('the source of the package', () => {
  it('is the clone, or the packed file that was installed', () => {
    expect(localSource(join(folder, 'clone'))).toBe(join(folder, 'clone'));
    expect(localSource(installed('file:bridle-1.2.3.tgz'))).toBe(join(folder, 'bridle-1.2.3.tgz'));
  });

  it('is nowhere on this machine if the package was installed by name', () => {
    expect(localSource(installed('https://registry.example/bridle-1.2.3.tgz'))).toBeUndefined();
    rmSync(join(folder, 'node_modules/.package-lock.json'));
    expect(localSource(join(folder, 'node_modules/bridle'))).toBeUndefined();
  });

  it('does not matter to a project that depends on Bridle already', () => {
    expect(generate().isBridleAdded).toBe(true);
    expect(generate('agent', true).isBridleAdded).toBe(false);
  });
});

function templateFile(path: string): string {
  return readFileSync(join(root, 'templates', path), 'utf8');
}

describe('the templates hono and nextjs', () => {
  it('have the same policy, tools and scripted answers, each in files of its own framework', () => {
    expect(templateFile('nextjs/bridle.yaml')).toBe(templateFile('hono/bridle.yaml'));
    const [app, model, server] = [
      templateFile('hono/app.mjs'),
      templateFile('hono/scripted-model.mjs'),
      templateFile('nextjs/lib/server.js'),
    ];
    const tools = /const text = .*?run: \(\{ to \}\) => `sent to \$\{to\}`,\n\}\);\n/s.exec(app)?.[0];
    const answers = /const answers = \[.*?\];\n/s.exec(model)?.[0];
    for (const part of [tools, answers]) {
      expect(part).toBeTypeOf('string');
      expect(server).toContain(part);
    }
  });
});
