import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { programTables } from '../../facts/shell/programs/find-program.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import { lintPolicy } from '../lint/lint-policy.ts';
import { loadPolicy } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { testPolicy } from '../test/test-policy.ts';
import { viewFolder } from './project/folder-view.ts';
import { inspectProject } from './project/inspect-project.ts';
import { isPresetName, presetNames, type PresetName } from './presets.ts';
import type { Project } from './project/project.ts';
import { starterFile, starterText } from './starter-file.ts';

let top: string;

beforeAll(() => {
  top = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'bridle-presets-')));
});

afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

const scripts = { test: 'vitest run', build: 'tsc -b', lint: 'oxlint', evil: 'rm -rf /' };

const projects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  node: {
    'package.json': JSON.stringify({ scripts }),
    'package-lock.json': '',
    '.git/HEAD': '',
    '.env': 'KEY=1',
    '.gitignore': '.env\nnode_modules\n',
    'src/index.ts': '',
    'README.md': '',
    'node_modules/bridle/policy.schema.json': '{}',
  },
  'node with servers and bare secrets': {
    'package.json': JSON.stringify({ scripts }),
    'pnpm-lock.yaml': '',
    '.git/HEAD': '',
    '.env': '',
    '.mcp.json': '{"mcpServers":{"github":{},"a.b@c":{},"true":{},"123":{}}}',
    '.claude/settings.json': '{}',
  },
  python: { 'pyproject.toml': '[tool.pytest]\n[tool.ruff]\n', 'uv.lock': '', '.git/HEAD': '' },
  rust: { 'Cargo.toml': '' },
  go: { 'go.mod': '', '.git/HEAD': '' },
  java: { 'pom.xml': '', 'build.gradle': '' },
  'dotnet, make': { 'a.csproj': '', Makefile: 'test:\nlint:\n' },
  'many workspaces': {
    'package.json': JSON.stringify({ scripts, workspaces: ['packages/*'] }),
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `packages/part-with-a-long-name-${index}/package.json`,
        JSON.stringify({ name: `@organisation/part-with-a-long-name-${index}`, scripts }),
      ]),
    ),
  },
  empty: {},
  formatted: {
    'package.json': JSON.stringify({
      scripts: { format: 'prettier --write .' },
      devDependencies: { prettier: '3', eslint: '9', vitest: '4' },
    }),
    'src/a.ts': '',
    '.git/HEAD': '',
  },
};

function made(name: string, preset: PresetName): { readonly folder: string; readonly policy: LoadedPolicy } {
  const folder = join(top, `${name} ${preset}`.replaceAll(/\W+/g, '-'));
  for (const [file, text] of Object.entries(projects[name] ?? {})) {
    fs.mkdirSync(join(folder, dirname(file)), { recursive: true });
    fs.writeFileSync(join(folder, file), text);
  }
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, 'bridle.yaml');
  fs.writeFileSync(file, starterFile(folder, preset).text);
  const policy = loadPolicy(file, { cwd: folder, tools: declareBuiltins(), home: join(top, 'home') });
  return { folder, policy };
}

/** The presets differ in rules, the projects in what is filled in. */
const all = Object.keys(projects).flatMap((name, index) =>
  presetNames.filter((preset) => index < 2 || preset === 'balanced').map((preset) => [name, preset] as const),
);

describe('a starter policy', () => {
  it.each(all)(
    proves('D10', 'D06')('loads without a finding, passes its tests, and tests every rule: %s, %s'),
    async (name, preset) => {
      const { policy } = made(name, preset);
      expect(policy.findings).toEqual([]);
      const report = await testPolicy(policy);
      expect(report.cases.filter(({ passed }) => !passed).map(({ call, problem }) => [call.args, problem])).toEqual([]);
      expect(report.coverage.filter(({ status }) => status !== 'decided')).toEqual([]);
    },
  );

  const looked = all.filter(([name]) => ['node', 'node with servers and bare secrets', 'empty'].includes(name));

  it.each(all)(
    'allows the commands of a project as they stand, joined, and with nothing behind them: %s, %s',
    async (name, preset) => {
      const { folder, policy } = made(name, preset);
      const own = inspectProject(viewFolder(folder)).commands.map(({ line }) => line);
      const effect = preset === 'strict' ? 'ask' : 'allow';
      const daily = own.flatMap((line) => [line, `${line} 2>&1 | tail -20`, `CI=1 ${line}`]);
      expect(await decisions(policy, daily)).toEqual(each(daily, effect));
      const more = own.flatMap((line) => [
        `${line} /x`,
        `${line} --x=../x`,
        `${line} > ../x`,
        `X=1 ${line}`,
        `PATH=. ${line}`,
        `CI=$(id) ${line}`,
        `./${line}`,
      ]);
      expect(Object.entries(await decisions(policy, more)).filter(([, given]) => given === 'allow')).toEqual([]);
      const mixed = own.flatMap((line) => [`${line} > x`, `mkdir -p out && ${line} | tee out/x`]);
      expect(await decisions(policy, mixed)).toEqual(each(mixed, preset === 'trusting' ? 'allow' : 'ask'));
    },
  );

  it.each(looked)(proves('D10')('has no lint findings: %s, %s'), async (name, preset) => {
    const { policy } = made(name, preset);
    expect((await lintPolicy(policy)).map(({ message, witness }) => [message, witness?.call])).toEqual([]);
  });

  it(proves('D10', 'X12')('documents itself, and says that it trusts the code of the project'), () => {
    const { folder } = made('node', 'balanced');
    const text = fs.readFileSync(join(folder, 'bridle.yaml'), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./node_modules/bridle/policy.schema.json');
    expect(text).toContain('This policy trusts that code.');
    expect(text).toContain('#   npm test: "vitest run"\n');
    expect(text).not.toContain('evil');
    expect(starterFile(made('empty', 'strict').folder, 'strict').text).not.toContain('$schema');
    expect(text.split('\n').filter((line) => line.length > 200)).toEqual([]);
  });

  it('has three presets', () => {
    expect(presetNames.every(isPresetName)).toBe(true);
    expect(isPresetName('constructor')).toBe(false);
  });
});

async function decisions(policy: LoadedPolicy, lines: readonly string[]): Promise<Record<string, string>> {
  const told = lines.map(async (line) => {
    const { effect } = await policy.decide({ tool: 'run_command', args: { command_line: line } });
    return [line, effect] as const;
  });
  return Object.fromEntries(await Promise.all(told));
}

function each(lines: readonly string[], effect: string): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line, effect]));
}

describe('files that run things', () => {
  const shadowed = ['Makefile.sh', 'GNUmakefile.c', 'RCS/Makefile,v', 's.Makefile', 'build/rules.mk'];
  const locked = `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb uv.lock poetry.lock
    Pipfile.lock Cargo.lock go.sum Gemfile.lock composer.lock requirements-dev.txt .yarnrc packages/a/package-lock.json`;

  it.each(['balanced', 'trusting'] as const)(
    proves('D10', 'X12')('are asked about in %s, for every tool that writes them'),
    async (preset) => {
      const { policy, folder } = made('dotnet, make', preset);
      const files = [...shadowed, ...locked.split(/\s+/)];
      const given = [];
      for (const file of files) {
        given.push(
          await policy.decide({ tool: 'create_file', args: { file_path: join(folder, file), contents: 'x' } }),
        );
        given.push(await policy.decide({ tool: 'run_command', args: { command_line: `echo x > ${file}` } }));
      }
      expect(given.filter(({ effect }) => effect !== 'ask')).toEqual([]);
    },
  );

  it.each(['balanced', 'trusting'] as const)(
    proves('D11', 'X12')('and the policy are not formatted without asking in %s'),
    async (preset) => {
      const { policy } = made('formatted', preset);
      const asked = [
        'npx prettier --write package.json',
        'npm run format -- package.json',
        "npx prettier --write 'p*.json'",
        "npx prettier --write 'bridle.y*ml'",
        "npm run format -- 'bridle.y*'",
        "npx eslint --fix '{..,x}/*.js'",
        'npx vitest run --changed=--output=../x',
        'npx vitest run --dir=../x',
        'go list -m example.com/x@latest',
        'go list ./...',
        'cargo tree',
        'npm ls --registry=http://localhost:1/x',
        'pip list -u',
      ];
      expect(await decisions(policy, asked)).toEqual(each(asked, 'ask'));
      const denied = ['npx prettier --write bridle.yaml', 'npm run format -- bridle.yaml'];
      expect(Object.values(await decisions(policy, denied))).not.toContain('allow');
      const daily = [
        'npx prettier --write .',
        "npx prettier --write 'src/**/*.ts'",
        'npm run format -- src/a.ts',
        'npx eslint --fix src',
        'npx vitest run --changed',
      ];
      expect(await decisions(policy, daily)).toEqual(each(daily, 'allow'));
    },
  );
});

describe('every preset', () => {
  const denied = [
    'cat .env',
    'npm test; cat .env',
    'npm test && (cat < .env)',
    "sh -c 'cat .env'",
    'bash <<< "cat .env"',
    'env cat ./src/../.env',
    'cat ~/.ssh/id_rsa ~/.aws/credentials',
    'cp .env x && cat x',
    'mv .env x',
    'echo > .env',
    'git diff --no-index .env /dev/null',
    'rm -rf /',
    'rm -rf ~',
    'rm -rf ..',
    'rm -rf .',
    'rm -rf /opt/x ./build',
    "sudo bash -c 'rm -rf /opt/x'",
    'find / -delete',
    'git push --force',
    'git push -f origin main',
    'git push origin +main',
    "env X=1 sh -c 'git -c a=b push --force-with-lease'",
    'echo x > .git/hooks/pre-commit',
    'cp x .git/hooks/',
    'rm -rf .git',
    'echo x > bridle.yaml',
    'sed -i s/ask/allow/ bridle.yaml',
    'mkdir -p .claude && echo {} > .claude/settings.json',
  ];

  it.each(presetNames)(proves('D10')('%s denies what is forbidden, in any spelling'), async (preset) => {
    expect(await decisions(made('node', preset).policy, denied)).toEqual(each(denied, 'deny'));
  });

  /** Each may touch a secret or delete something outside; some become certain if Bridle looks more closely. */
  const unsure = [
    'cat "$x"',
    'cat .e*',
    'cat $(ls -a)',
    'grep -r KEY .',
    'rg -uu KEY',
    'find . -type f -exec cat {} +',
    'cd .. && rm -rf x',
    'rm -rf "$x"',
    'rm -rf /tmp/x',
    'eval "$x"',
    '$x push --force',
  ];

  it.each(presetNames)(proves('P19')('%s allows nothing if it is unknown whether it is forbidden'), async (preset) => {
    const { policy } = made('node', preset);
    expect(Object.entries(await decisions(policy, unsure)).filter(([, effect]) => effect === 'allow')).toEqual([]);
    const asked = ['cat "$x"', 'rm -rf "$x"', 'eval "$x"', '$x push --force', 'rm -rf /tmp/x'];
    expect(await decisions(policy, asked)).toEqual(each(asked, 'ask'));
  });

  const open = [
    './x.sh',
    'python3 x.py',
    'node -e "1"',
    'npm install left-pad',
    'npx tsc -p .',
    'docker build .',
    'make deploy',
    'eslint .',
    'npm run evil',
    'npm test -- --reporter=./evil.js',
    'X=1 npm test',
    'PATH=. npm test',
    './npm test',
    './ls',
    'env src/cat README.md',
    '"$PWD/ls"',
    'PATH=. ls',
    'LD_PRELOAD=./x.so ls',
    'sort --files0-from=list',
    'npm --prefix .. test',
    'npm test > ../out.txt',
    'npm test; ./x.sh',
    'cat /etc/hosts',
    'ls ..',
    'git -c core.hooksPath=x commit -m x',
    'cowsay hello',
  ];

  it.each(presetNames)(proves('D10')('%s asks if the line hides what it does or reaches outside'), async (preset) => {
    expect(await decisions(made('node', preset).policy, open)).toEqual(each(open, 'ask'));
  });

  const daily = [
    'ls',
    'ls -la src',
    'npm test',
    'npm run build && npm run lint',
    'npm test 2>&1 | tail -20',
    'git status --short && git diff',
    'git log --oneline -5',
    'cat README.md | head -20',
    'grep -rn foo src',
    "find . -name '*.ts'",
    'cat .env.example',
  ];

  it.each([
    ['strict', 'ask'],
    ['balanced', 'allow'],
    ['trusting', 'allow'],
  ] as const)(proves('D10')('%s: the daily work is to %s'), async (preset, effect) => {
    expect(await decisions(made('node', preset).policy, daily)).toEqual(each(daily, effect));
  });

  /** They show connections, open files, or the result of a sum. */
  const lookers = new Set(['ss', 'netstat', 'lsof', 'bc']);
  const far = ['network', 'containers', 'databases', 'editors', 'languages', 'shells'] as const;

  it.each(far)(proves('D10')('trusting lets no program of the table %s touch the named files'), async (theme) => {
    const { policy } = made('node', 'trusting');
    const names = Object.keys(programTables[theme]).flatMap((key) => key.split(', '));
    const lines = names.filter((name) => !lookers.has(name)).map((name) => `${name} x`);
    const allowed = Object.entries(await decisions(policy, lines)).filter(([, effect]) => effect === 'allow');
    expect(lines.length).toBeGreaterThan(5);
    expect(allowed).toEqual([]);
  });

  it.each(presetNames)(
    '%s: unknown tools and servers ask, paths outside are asked about, or denied by strict',
    async (preset) => {
      const { policy } = made('node', preset);
      const calls = [
        { tool: 'deploy', args: {} },
        { tool: 'view_file', server: 'other', args: { file_path: 'a' } },
        { tool: 'view_file', args: { file_path: '../x' } },
        { tool: 'create_file', args: { file_path: '/tmp/x', contents: '' } },
      ];
      const effects = await Promise.all(calls.map(async (call) => (await policy.decide(call)).effect));
      const outside = preset === 'strict' ? 'deny' : 'ask';
      expect(effects).toEqual(['ask', 'ask', outside, outside]);
    },
  );
});

describe('what was found', () => {
  const odd = fc.oneof(
    fc.constantFrom(
      'a\nallow: "*"',
      "'",
      '"',
      '# x',
      '\\',
      '- allow: "*"',
      '")) || true || (("',
      '\u2028',
      '{{',
      '${x}',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );

  it(proves('D10')('cannot inject anything into the policy, whatever its name is'), () => {
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 5 }), fc.constantFrom(...presetNames), (names, preset) => {
        const project: Project = {
          languages: names,
          managers: names,
          commands: names.map((line) => ({ line: `npm run ${line}`, runs: line })),
          starts: [],
          folders: [],
          manifests: [],
          git: true,
          mcp: [],
          hosts: names,
          bareSecrets: [],
          hasSchema: false,
          notes: names,
        };
        const plain = starterText({ ...project, commands: [] }, preset).policyFile;
        const shape = ({ rules }: typeof plain): unknown =>
          rules.map(({ effect, targets, name }) => [effect, targets.map(({ text }) => text), name]);
        // Read back and compared inside: a difference is thrown. A text no policy can hold is refused, not bent.
        try {
          expect(shape(starterText(project, preset).policyFile)).toEqual(shape(plain));
        } catch (error) {
          expect(error).toMatchObject({ code: 'POLICY_FILE' });
          expect(names.join('')).toMatch(/[^\x20-\x7e]/);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
