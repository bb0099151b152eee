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

const inHome = ['.claude.json', '.gemini/trustedFolders.json', '.gemini/extensions'];

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
    ...repositoryFolders(cwd).flatMap((folder) => [...everywhere, ...inProject].map((file) => join(folder, file))),
    ...folders,
    ...managed,
  ];
}

/** The folder and those above it, up to the folder of the repository; only the folder outside of a repository. */
function repositoryFolders(cwd: string): readonly string[] {
  const all: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    all.push(folder);
    if (existsSync(join(folder, '.git'))) return all;
    if (folder === dirname(folder)) return [cwd];
  }
}
