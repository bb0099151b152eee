/** The tests at the end of a starter policy: what its rules must decide. */

import type { PresetName } from './presets.ts';
import type { Project } from './project/project.ts';
import { yamlText } from './starter-text.ts';

export function testLines(project: Project, preset: PresetName, servers: readonly string[]): string {
  const hasSecrets = project.bareSecrets.length > 0;
  return [
    neverTests,
    hasSecrets ? readTests : `${readTests}\n${searchTests}`,
    talkTests,
    preset === 'strict' ? confinedTests : outsideTests,
    ...(preset === 'strict' ? [] : [changeTests(project), subagentTest]),
    ...presetTests[preset](project),
    ...servers.map((name) => {
      const rule = servers.length === 1 ? 'MCP servers' : `MCP servers: ${name}/*`;
      return `  - { call: ${yamlText(`${name}/some_tool`)}, args: {}, expect: ask, rule: ${yamlText(rule)} }`;
    }),
    '  # Decided by the default:',
    defaultTests[preset],
    `  - { call: search_directory, args: { directory_path: '.', query: x${hasSecrets ? '' : ", include: 'secret/*'"} }, expect: ask }`,
  ].join('\n');
}

const neverTests = `\
  - { call: view_file, args: { file_path: '.env' }, expect: deny, rule: secrets }
  - { call: view_file, args: { file_path: config/.env.production }, expect: deny, rule: secrets }
  - { call: create_file, args: { contents: '', file_path: '.env.local' }, expect: deny, rule: secrets }
  - { call: run_command, args: { command_line: cat .env }, expect: deny, rule: secrets }
  - { call: run_command, args: { command_line: cp certs/server.pem notes.txt }, expect: deny, rule: secrets }
  - { call: run_command, args: { command_line: 'cat ~/.ssh/id_ed25519' }, expect: deny, rule: secrets }
  - { call: run_command, args: { command_line: 'grep KEY < .env' }, expect: deny, rule: secrets }
  - { call: create_file, args: { contents: '', file_path: '.git/hooks/pre-commit' }, expect: deny, rule: protected files }
  - { call: run_command, args: { command_line: tee .git/config }, expect: deny, rule: protected files }
  - { call: edit_file, args: { new_text: b, old_text: a, file_path: packages/a/bridle.yaml }, expect: deny, rule: protected files }
  - { call: create_file, args: { contents: '', file_path: packages/a/.claude/settings.json }, expect: deny, rule: protected files }
  - { call: run_command, args: { command_line: rm -rf / }, expect: deny }
  - { call: run_command, args: { command_line: rm -rf build /opt/other }, expect: deny, rule: delete outside this folder }
  - { call: run_command, args: { command_line: find /var -delete }, expect: deny }
  - { call: run_command, args: { command_line: 'sudo sh -c "rm -r /opt/x"' }, expect: deny, rule: delete outside this folder }
  - { call: run_command, args: { command_line: git push --force }, expect: deny, rule: force push }
  - { call: run_command, args: { command_line: git push origin main -f }, expect: deny, rule: force push }
  - { call: run_command, args: { command_line: git -C sub push --force-with-lease }, expect: deny, rule: force push }`;

const confinedTests = `\
  - { call: view_file, args: { file_path: /etc/hosts }, expect: deny, rule: workspaces }`;

const outsideTests = `\
  - { call: view_file, args: { file_path: /etc/hosts }, expect: ask, rule: 'outside this folder: view_file' }
  - { call: list_directory, args: { directory_path: /etc }, expect: ask, rule: 'outside this folder: list_directory' }
  - { call: find_file, args: { directory_path: /etc, query: x }, expect: ask, rule: 'outside this folder: find_file' }
  - { call: search_directory, args: { directory_path: /etc, query: x }, expect: ask, rule: 'outside this folder: search_directory' }
  - { call: create_file, args: { contents: '', file_path: /opt/x }, expect: ask, rule: 'outside this folder: create_file' }
  - { call: edit_file, args: { new_text: b, old_text: a, file_path: /etc/hosts }, expect: ask, rule: 'outside this folder: edit_file' }`;

const readTests = `\
  - { call: view_file, args: { file_path: README.md }, expect: allow, rule: 'read files: view_file' }
  - { call: view_file, args: { file_path: '.env.example' }, expect: allow, rule: 'read files: view_file' }
  - { call: list_directory, args: { directory_path: '.' }, expect: allow, rule: 'read files: list_directory' }
  - { call: find_file, args: { directory_path: '.', query: x }, expect: allow, rule: 'read files: find_file' }`;

const searchTests = `\
  - { call: search_directory, args: { directory_path: '.', query: x }, expect: allow, rule: search files }
  - { call: search_directory, args: { directory_path: '.', query: x, include: '*.ts' }, expect: allow, rule: search files }
  - { call: search_directory, args: { directory_path: '.', query: x, include: '**/*.{ts,tsx}' }, expect: allow, rule: search files }
  - { call: search_directory, args: { directory_path: '.', query: x, include: '*.{ts,local}' }, expect: ask }`;

const talkTests = `\
  - { call: ask_question, args: { questions: [{ question: 'Which one?' }] }, expect: allow, rule: 'talk to the user: ask_question' }
  - { call: finish, args: {}, expect: allow, rule: 'talk to the user: finish' }
  - { call: update_plan, args: { name: todos, input: {} }, expect: allow, rule: 'talk to the user: update_plan' }`;

const subagentTest = '  - { call: start_subagent, args: { agent: helper, prompt: x }, expect: allow, rule: subagents }';

function changeTests({ manifests }: Project): string {
  const manifest = yamlText(manifests.find((name) => !name.startsWith('*')) ?? '.gitattributes');
  const generated = `
  - { call: create_file, args: { contents: '', file_path: Makefile.sh }, expect: ask, rule: 'files that run things: create_file' }`;
  return `\
  - { call: create_file, args: { contents: '', file_path: '.github/workflows/release.yml' }, expect: ask, rule: 'files that run things: create_file' }
  - { call: edit_file, args: { new_text: b, old_text: a, file_path: package-lock.json }, expect: ask, rule: 'files that run things: edit_file' }\
${manifests.includes('Makefile') ? generated : ''}
  - { call: edit_file, args: { new_text: b, old_text: a, file_path: ${manifest} }, expect: ask, rule: 'files that run things: edit_file' }
  - { call: run_command, args: { command_line: 'echo x > .husky/pre-commit' }, expect: ask, rule: 'files that run things: run_command' }
  - { call: run_command, args: { command_line: tee .github/workflows/ci.yml }, expect: ask, rule: 'files that run things: run_command' }
  - { call: create_file, args: { contents: '', file_path: notes/plan.md }, expect: allow, rule: 'write files: create_file' }
  - { call: edit_file, args: { new_text: b, old_text: a, file_path: README.md }, expect: allow, rule: 'write files: edit_file' }`;
}

/** Tests of command lines that a rule decides, or the default. */
function lineTests(expect: string, rule: string | undefined, lines: readonly string[]): string {
  const decidedBy = rule === undefined ? '' : `, rule: ${rule}`;
  return lines
    .map(
      (line) => `  - { call: run_command, args: { command_line: ${yamlText(line)} }, expect: ${expect}${decidedBy} }`,
    )
    .join('\n');
}

/** `page` and `search` are the rules that decide. */
function webTests(expect: string, page: string, search: string): string {
  return `\
  - { call: read_url_content, args: { url: 'https://example.com/' }, expect: ${expect}, rule: ${page} }
  - { call: search_web, args: { query: x }, expect: ${expect}, rule: ${search} }`;
}

const presetTests: Readonly<Record<PresetName, (project: Project) => readonly string[]>> = {
  strict: () => [
    webTests('deny', "'no web: read_url_content'", "'no web: search_web'"),
    lineTests('deny', 'no network programs', ['curl https://example.com/', 'ls && sudo wget -q example.com']),
  ],
  balanced: (project) => [
    lineTests('allow', 'commands', [
      ...ownLines(project, (line) => [line, `CI=1 ${line} 2>&1 | tail -20`]),
      'ls -la src',
      ...(project.git ? ['git status --short'] : []),
      'cat README.md | head -20',
      'ps aux | grep node',
      'file=README.md; cat $file',
    ]),
    webTests('ask', "'web: read_url_content'", "'web: search_web'"),
  ],
  trusting: (project) => [
    lineTests('ask', 'beyond this folder', [
      'curl https://example.com/',
      'git push',
      'npm view x',
      'sudo ls',
      'kill 1',
    ]),
    lineTests('ask', 'cannot be undone', ['rm -rf build', 'git reset --hard', 'find build -delete', 'tar xf src.tar']),
    lineTests('ask', 'interactive programs', ['less README.md', 'git add -p', 'git commit']),
    lineTests('ask', 'other repositories', ['git -C vendor/lib status']),
    lineTests('allow', 'commands', [
      ...ownLines(project, (line) => [line, `${line} > run.log 2>&1; tail run.log`, `CI=1 ${line}`]),
      ...(project.git ? ['git status --short'] : []),
      'mkdir -p notes',
      'cp README.md notes/copy.md',
      'ls > files.txt',
      'sed -i s/a/b/ README.md',
    ]),
    webTests('allow', 'public pages', 'web search'),
  ],
};

/** Lines with the first command of the project, if it runs in the project folder, and with its first part. */
function ownLines({ commands, folders }: Project, use: (line: string) => readonly string[]): readonly string[] {
  const [first] = commands;
  const own = first === undefined || first.folder !== undefined ? [] : use(first.line);
  return [...own, ...folders.slice(0, 1).map((part) => `cd ${part} && ls`)];
}

/** Every preset asks about these, because the line does not show what they run. */
const opaque = ['./deploy.sh', 'python3 -c "print(1)"'];

const defaultTests: Readonly<Record<PresetName, string>> = {
  strict: `\
  - { call: create_file, args: { contents: '', file_path: notes/plan.md }, expect: ask }
${lineTests('ask', undefined, ['ls', ...opaque])}`,
  balanced: lineTests('ask', undefined, [
    ...opaque,
    'curl https://example.com/',
    'ls; rm -rf build',
    'ls > files.txt',
    'cat /etc/hosts',
    'git push',
  ]),
  trusting: `\
${lineTests('ask', undefined, [...opaque, 'cat /etc/hosts', 'cp README.md /tmp/x'])}
  - { call: read_url_content, args: { url: 'http://169.254.169.254/latest/meta-data/' }, expect: ask }`,
};
