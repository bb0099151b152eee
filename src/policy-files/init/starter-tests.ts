/** The tests at the end of a starter policy: what its rules must decide. */

import type { Effect } from '../../kernel/call.ts';
import type { BuiltinToolName } from '../../tools/builtin-tools.ts';
import type { PresetName } from './presets.ts';
import type { Project } from './project/project.ts';
import { yamlText } from './starter-text.ts';

/** The rule that decides; `''` for the default, or if the rule depends on the machine. */
type TestRow = readonly [expect: Effect, rule: string, tool: BuiltinToolName, value: string];

/** The args of a test call with this value, as YAML. */
const argsText: Readonly<Partial<Record<BuiltinToolName, (value: string) => string>>> = {
  view_file: (value) => `{ file_path: ${value} }`,
  create_file: (value) => `{ contents: '', file_path: ${value} }`,
  edit_file: (value) => `{ new_text: b, old_text: a, file_path: ${value} }`,
  list_directory: (value) => `{ directory_path: ${value} }`,
  find_file: (value) => `{ directory_path: ${value}, query: x }`,
  search_directory: (value) => `{ directory_path: '.', query: x${value === "''" ? '' : `, include: ${value}`} }`,
  run_command: (value) => `{ command_line: ${value} }`,
  read_url_content: (value) => `{ url: ${value} }`,
  search_web: (value) => `{ query: ${value} }`,
  ask_question: (value) => `{ questions: [{ question: ${value} }] }`,
};

/** Rules with several targets: a decision names the target as well. */
const manyTargets = ['read files', 'talk to the user', 'files that run things', 'write files', 'web', 'no web'];

const neverTests: readonly TestRow[] = [
  ['deny', 'secrets', 'view_file', '.env'],
  ['deny', 'secrets', 'view_file', 'config/.env.production'],
  ['deny', 'secrets', 'create_file', '.env.local'],
  ['deny', 'secrets', 'run_command', 'cat .env'],
  ['deny', 'secrets', 'run_command', 'cp certs/server.pem notes.txt'],
  ['deny', 'secrets', 'run_command', 'cat ~/.ssh/id_ed25519'],
  ['deny', 'secrets', 'run_command', 'grep KEY < .env'],
  ['deny', 'protected files', 'create_file', '.git/hooks/pre-commit'],
  ['deny', 'protected files', 'run_command', 'tee .git/config'],
  ['deny', 'protected files', 'edit_file', 'packages/a/bridle.yaml'],
  ['deny', 'protected files', 'create_file', 'packages/a/.claude/settings.json'],
  ['deny', '', 'run_command', 'rm -rf /'],
  ['deny', 'delete outside this folder', 'run_command', 'rm -rf build /opt/other'],
  ['deny', '', 'run_command', 'find /var -delete'],
  ['deny', 'delete outside this folder', 'run_command', 'sudo sh -c "rm -r /opt/x"'],
  ['deny', 'force push', 'run_command', 'git push --force'],
  ['deny', 'force push', 'run_command', 'git push origin main -f'],
  ['deny', 'force push', 'run_command', 'git -C sub push --force-with-lease'],
];

function readTests({ bareSecrets }: Project): readonly TestRow[] {
  return [
    ['allow', 'read files', 'view_file', 'README.md'],
    ['allow', 'read files', 'view_file', '.env.example'],
    ['allow', 'read files', 'list_directory', '.'],
    ['allow', 'read files', 'find_file', '.'],
    ...(bareSecrets.length > 0
      ? []
      : ([
          ['allow', 'search files', 'search_directory', ''],
          ['allow', 'search files', 'search_directory', '*.ts'],
        ] as const)),
    ['allow', 'talk to the user', 'ask_question', 'Which one?'],
    ['allow', 'talk to the user', 'finish', ''],
  ];
}

function changeTests({ manifests }: Project): readonly TestRow[] {
  const manifest = manifests.find((name) => !name.startsWith('*')) ?? '.gitattributes';
  return [
    ['ask', 'files that run things', 'create_file', '.github/workflows/release.yml'],
    ['ask', 'files that run things', 'edit_file', 'package-lock.json'],
    ...(manifests.includes('Makefile')
      ? ([['ask', 'files that run things', 'create_file', 'Makefile.sh']] as const)
      : []),
    ['ask', 'files that run things', 'edit_file', manifest],
    ['ask', 'files that run things', 'run_command', 'echo x > .husky/pre-commit'],
    ['ask', 'files that run things', 'run_command', 'tee .github/workflows/ci.yml'],
    ['allow', 'write files', 'create_file', 'notes/plan.md'],
    ['allow', 'write files', 'edit_file', 'README.md'],
  ];
}

function lines(expect: Effect, rule: string, commands: readonly string[]): readonly TestRow[] {
  return commands.map((line) => [expect, rule, 'run_command', line]);
}

function web(expect: Effect, [page, search]: readonly [string, string]): readonly TestRow[] {
  return [
    [expect, page, 'read_url_content', 'https://example.com/'],
    [expect, search, 'search_web', 'x'],
  ];
}

/** Every preset asks about these, because the line does not show what they run. */
const opaque = ['./deploy.sh', 'python3 -c "print(1)"'];

interface PresetTests {
  readonly ruled: (project: Project) => readonly TestRow[];
  /** Calls that the default decides. */
  readonly rest: readonly TestRow[];
}

const presetTests: Readonly<Record<PresetName, PresetTests>> = {
  strict: {
    ruled: () => [
      ...web('deny', ['no web', 'no web']),
      ...lines('deny', 'no network programs', ['curl https://example.com/', 'ls && sudo wget -q example.com']),
    ],
    rest: [['ask', '', 'create_file', 'notes/plan.md'], ...lines('ask', '', ['ls', ...opaque])],
  },
  balanced: {
    ruled: (project) => [
      ...changeTests(project),
      ...lines('allow', 'commands', [
        ...ownCommand(project, (line) => [line, `${line} 2>&1 | tail -20`]),
        ...project.folders.slice(0, 1).map((part) => `cd ${part} && ls`),
        'ls -la src',
        ...(project.git ? ['git status --short'] : []),
        'cat README.md | head -20',
      ]),
      ...web('ask', ['web', 'web']),
    ],
    rest: lines('ask', '', [
      ...opaque,
      'curl https://example.com/',
      'ls; rm -rf build',
      'ls > files.txt',
      'cat /etc/hosts',
      'git push',
    ]),
  },
  trusting: {
    ruled: (project) => [
      ...changeTests(project),
      ...lines('ask', 'beyond this folder', [
        'curl https://example.com/',
        'git push',
        'npm view x',
        'sudo ls',
        'kill 1',
      ]),
      ...lines('ask', 'cannot be undone', ['rm -rf build', 'git reset --hard', 'find build -delete', 'tar xf src.tar']),
      ...lines('ask', 'other repositories', ['git -C vendor/lib status']),
      ...lines('allow', 'commands', [
        ...ownCommand(project, (line) => [line, `${line} > run.log 2>&1; tail run.log`, `CI=1 ${line}`]),
        ...project.folders.slice(0, 1).map((part) => `cd ${part} && ls`),
        ...(project.git ? ['git status --short'] : []),
        'mkdir -p notes',
        'cp README.md notes/copy.md',
        'ls > files.txt',
        'sed -i s/a/b/ README.md',
      ]),
      ...web('allow', ['public pages', 'web search']),
    ],
    rest: [
      ...lines('ask', '', [...opaque, 'cat /etc/hosts', 'cp README.md /tmp/x']),
      ['ask', '', 'read_url_content', 'http://169.254.169.254/latest/meta-data/'],
    ],
  },
};

/** Lines with the first command of the project, if it runs in the project folder. */
function ownCommand({ commands }: Project, use: (line: string) => readonly string[]): readonly string[] {
  const [first] = commands;
  return first === undefined || first.folder !== undefined ? [] : use(first.line);
}

export function testLines(project: Project, preset: PresetName, servers: readonly string[]): readonly string[] {
  const { ruled, rest } = presetTests[preset];
  const search: TestRow = ['ask', '', 'search_directory', project.bareSecrets.length === 0 ? 'secret/*' : ''];
  return [
    ...[...neverTests, ...readTests(project), ...ruled(project)].map(testLine),
    ...servers.map((name) => {
      const rule = servers.length === 1 ? 'MCP servers' : `MCP servers: ${name}/*`;
      return `  - { call: ${yamlText(`${name}/some_tool`)}, args: {}, expect: ask, rule: ${yamlText(rule)} }`;
    }),
    '  # Decided by the default:',
    ...[...rest, search].map(testLine),
  ];
}

function testLine([expect, rule, tool, value]: TestRow): string {
  const args = argsText[tool]?.(yamlText(value)) ?? '{}';
  const name = manyTargets.includes(rule) ? `${rule}: ${tool}` : rule;
  return `  - { call: ${tool}, args: ${args}, expect: ${expect}${name === '' ? '' : `, rule: ${yamlText(name)}`} }`;
}
