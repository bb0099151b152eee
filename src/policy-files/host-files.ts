/**
 * Files with which agent hosts decide what runs: hooks, plugins, permissions, trust, environments and snapshots of shells.
 * An agent that can write one of them can switch its own hook off (C08). Folders are listed only if they are small,
 * because their content is compared by name.
 */

import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { homeFolder } from '../files/home-folder.ts';

/** In the home folder and in a project. */
const everywhere = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor/hooks.json',
  '.cursor/cli.json',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.gemini/.env',
  '.gemini/policies',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.codex/rules',
  '.windsurf/hooks.json',
];

const inProject = [
  '.github/copilot',
  '.github/hooks',
  'opencode.json',
  'opencode.jsonc',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
  '.opencode/plugin',
  '.opencode/plugins',
  '.opencode/tool',
  '.opencode/tools',
];

const inHome = [
  '.claude.json',
  '.gemini/trustedFolders.json',
  '.gemini/extensions',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
  '.opencode/plugin',
  '.opencode/plugins',
  '.opencode/tool',
  '.opencode/tools',
];

/** Shells read them before a command or a hook of a host, even in the middle of a session. */
const bashStartup = ['.bash_profile', '.bash_login', '.profile', '.bashrc'];
const zshStartup = ['.zshenv', '.zprofile', '.zshrc', '.zlogin'];
const systemStartup = ['profile', 'profile.d', 'bash.bashrc', 'bashrc', 'zsh', 'zshenv', 'zprofile', 'zshrc', 'zlogin'];

/** Folders of hosts that a variable can move, with their files. */
const movable: readonly {
  readonly variable: string;
  readonly usual: string;
  readonly below?: string;
  readonly files: readonly string[];
}[] = [
  {
    variable: 'CLAUDE_CONFIG_DIR',
    usual: '.claude',
    files: [
      'settings.json',
      'settings.local.json',
      '.claude.json',
      'shell-snapshots',
      'session-env',
      'plugins/installed_plugins.json',
    ],
  },
  { variable: 'CODEX_HOME', usual: '.codex', files: ['config.toml', 'hooks.json', 'rules', 'shell_snapshots'] },
  { variable: 'GEMINI_CLI_HOME', usual: '', below: '.gemini', files: ['settings.json', '.env', 'trustedFolders.json'] },
  { variable: 'COPILOT_HOME', usual: '.copilot', files: ['config.json', 'settings.json', 'mcp-config.json', 'hooks'] },
  {
    variable: 'XDG_CONFIG_HOME',
    usual: '.config',
    below: 'opencode',
    files: ['opencode.json', 'opencode.jsonc', 'config.json', 'plugin', 'plugins', 'tool', 'tools'],
  },
];

const managed = ['/etc/claude-code', '/etc/codex', '/etc/gemini-cli', '/etc/github-copilot', '/etc/opencode'];

/** Absolute paths, for an agent that works in this folder. Hosts also read files of the folders above, up to the repository. */
export function hostFiles(cwd: string): readonly string[] {
  const home = homeFolder();
  const folders = movable.flatMap(({ variable, usual, below = '.', files }) => {
    const moved = process.env[variable];
    const roots = [join(home, usual), ...(moved !== undefined && isAbsolute(moved) ? [moved] : [])];
    return roots.flatMap((root) => files.map((file) => join(root, below, file)));
  });
  return [
    ...[...everywhere, ...inHome].map((file) => join(home, file)),
    ...projectFiles(repositoryFolders(cwd)),
    ...folders,
    ...managed,
  ];
}

/** What only some hosts read, in the folder of the session and in all folders above it. */
export interface FilesRead {
  /** `.env`, whose variables reach the hook. */
  readonly env?: boolean;
  /** Settings, even without a repository. */
  readonly settingsAbove?: boolean;
}

/**
 * More files for a session of a host: its settings in the folder where it was started, if that is below the folder of
 * the policy, and the startup files of shells.
 */
export function sessionFiles(
  { start, root }: { readonly start: string; readonly root: string },
  { env = false, settingsAbove = false }: FilesRead,
): readonly string[] {
  const home = homeFolder();
  const [zsh, bashEnv] = [process.env['ZDOTDIR'], process.env['BASH_ENV']];
  const zshFolders = [home, ...(zsh !== undefined && isAbsolute(zsh) ? [zsh] : [])];
  const above = foldersAbove(start);
  const inside = settingsAbove ? above : above.slice(0, above.indexOf(root) + 1);
  return [
    ...(inside.length === 1 ? [] : projectFiles([...new Set([...inside, ...repositoryFolders(start)])])),
    ...(env ? [...above, home].map((folder) => join(folder, '.env')) : []),
    ...bashStartup.map((file) => join(home, file)),
    ...zshFolders.flatMap((folder) => zshStartup.map((file) => join(folder, file))),
    ...systemStartup.map((file) => join('/etc', file)),
    ...(bashEnv !== undefined && isAbsolute(bashEnv) ? [bashEnv] : []),
  ];
}

function projectFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => [...everywhere, ...inProject].map((file) => join(folder, file)));
}

/** The folder and those above it, up to the folder of the repository; only the folder outside of a repository. */
function repositoryFolders(cwd: string): readonly string[] {
  const all = foldersAbove(cwd);
  const repository = all.findIndex((folder) => existsSync(join(folder, '.git')));
  return repository === -1 ? [cwd] : all.slice(0, repository + 1);
}

/** The folder and all those above it. */
function foldersAbove(cwd: string): readonly string[] {
  const all = [cwd];
  for (let folder = cwd; folder !== dirname(folder);) all.push((folder = dirname(folder)));
  return all;
}
