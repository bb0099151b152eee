/** Every file that switches a hook on or off is protected from the agent that the hook decides for. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { allowAll, compilePolicy } from 'bridle';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../../test/contract/cite.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { ownFileRules } from '../../policy-files/own-file-rules.ts';
import { levels, type Places } from '../settings/host-settings.ts';
import { allHostSettings } from './all-settings.ts';

const repository = realpathSync.native(mkdtempSync(join(tmpdir(), 'bridle-protected-')));
const project = join(repository, 'packages/app');
mkdirSync(project, { recursive: true });
mkdirSync(join(repository, '.git'));
afterAll(() => rmSync(repository, { recursive: true, force: true }));

const home = homeFolder();
const policy = compilePolicy([ownFileRules({ files: [], cwd: project }), allowAll()], { tools: builtinTools });

async function decide(tool: string, args: Record<string, string>): Promise<string> {
  return (await policy.decide({ tool, args })).effect;
}

const inFolder = (folder: string): Places => ({ home, project: folder, env: {}, root: '/' });
const files = [project, repository].flatMap((folder) =>
  allHostSettings.flatMap((settings) => [
    ...levels.flatMap((level) => settings.file(level, inFolder(folder))?.path ?? []),
    // Only sessions of Gemini CLI protect `.env` in every folder.
    ...settings.switches(inFolder(folder)).flatMap(({ path }) => (path.endsWith('.env') ? [] : [path])),
  ]),
);
/** What commands and environments of hosts depend on, found by running the hosts. */
const measured = [
  '.claude/shell-snapshots/snapshot-bash-1.sh',
  '.codex/shell_snapshots/1.sh',
  '.gemini/.env',
  '.gemini/trustedFolders.json',
  '.copilot/config.json',
  '.copilot/hooks/other.json',
  '.config/opencode/plugin/other.js',
  '.claude.json',
  '.bridle/hosts/claude/hook',
  '.bridle/handlers/0/hook.cjs',
].map((file) => join(home, file));
const others = ['opencode.json', 'opencode.jsonc', '.opencode/plugin/x.js', '.github/hooks/x.json', '.gemini/.env'];
const all = [...new Set([...files, ...measured, ...others.map((file) => join(project, file)), '/opt/bridle/hosts/x'])];

describe('the files of hosts', () => {
  it.each(all)(proves('C08', 'D11')('cannot be written by tools and commands: %s'), async (file) => {
    expect(await decide('create_file', { file_path: file, contents: '' })).toBe('deny');
    expect(await decide('edit_file', { file_path: file, old_text: 'a', new_text: 'b' })).toBe('deny');
    const lines = [
      `echo x > '${file}'`,
      `rm -f '${file}'`,
      `mv x '${file}'`,
      `sed -i s/a/b/ '${file}'`,
      `tee '${file}' < x`,
    ];
    for (const command_line of lines)
      expect(await decide('run_command', { command_line, working_dir: project }), command_line).toBe('deny');
  });

  it.each(all)('can be read: %s', async (file) => {
    expect(await decide('run_command', { command_line: `cat '${file}'`, working_dir: project })).toBe('allow');
  });

  it.each([
    `echo x > src/settings.ts`,
    `echo x > .github/workflows/ci.yml`,
    `echo x > .claude/commands/review.md`,
    `mkdir -p .opencode/agent`,
    `node -e 'console.log(process.env.HOME)'`,
    `python3 -c 'import os; print(os.environ)'`,
    `echo x > .env.example`,
    `npx tsc --noEmit -p apps/web/tsconfig.json | head -10`,
    `node -e 'require("./config.json")'`,
    `touch plugin/index.js`,
    `rm -rf build`,
  ])('are no reason against %s', async (command_line) => {
    expect(await decide('run_command', { command_line, working_dir: project })).toBe('allow');
  });

  it.each(['bridle uninstall claude', 'npx bridle uninstall codex --yes', 'bridle install claude --observe --yes'])(
    proves('C08')('are not changed by %s'),
    async (command_line) => {
      expect(await decide('run_command', { command_line, working_dir: project })).toBe('deny');
    },
  );
});
