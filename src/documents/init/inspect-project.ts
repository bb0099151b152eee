/** Looks at a folder and says what kind of project it is. What it cannot read it leaves out, and says so. */

import type { FolderView } from './folder-view.ts';
import { bareSecrets } from './bare-secrets.ts';
import { languages } from './languages.ts';
import { findMcpServers } from './mcp-configurations.ts';
import type { Project, ProjectCommand } from './project.ts';
import { readJsonc } from './read-jsonc.ts';

/** Files by which agent hosts are told what to run, or what an agent may do. */
const hostFiles = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor/hooks.json',
  '.cursor/cli.json',
  '.gemini/settings.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.windsurf/hooks.json',
  'opencode.json',
];
const jsonManifests = ['package.json', 'composer.json'];
const mostCommands = 60;
/** Nothing a shell or a policy would read as more than a word. */
const plainLine = /^[\w.:/-]+(?: [\w.:/-]+)*$/;

export function inspectProject(view: FolderView): Project {
  const names = view.names();
  const found = languages.flatMap((row) => {
    const isFound = row.manifests.some((manifest) => isNamed(names, manifest));
    // The others say what runs as well, once they are there: make takes GNUmakefile before Makefile.
    return isFound ? [{ name: row.name, manifests: row.manifests, ...row.look(view) }] : [];
  });
  const { configurations, notes } = findMcpServers(view);
  return {
    languages: found.map(({ name }) => name),
    managers: [...new Set(found.flatMap(({ manager }) => manager ?? []))],
    commands: distinct(found.flatMap(({ commands }) => commands)),
    manifests: found.flatMap(({ manifests }) => manifests),
    git: view.inGit(),
    mcp: configurations,
    hosts: hostFiles.filter((file) => view.has(file)),
    bareSecrets: bareSecrets(view),
    hasSchema: view.has('node_modules/bridle/policy.schema.json'),
    notes: [...jsonManifests.flatMap((file) => unreadable(view, file)), ...notes],
  };
}

function isNamed(names: readonly string[], manifest: string): boolean {
  if (!manifest.startsWith('*')) return names.includes(manifest);
  return names.some((name) => name.endsWith(manifest.slice(1)));
}

function distinct(commands: readonly ProjectCommand[]): readonly ProjectCommand[] {
  const byLine = new Map(commands.filter(({ line }) => plainLine.test(line)).map((command) => [command.line, command]));
  return [...byLine.values()].slice(0, mostCommands);
}

function unreadable(view: FolderView, file: string): string[] {
  if (!view.has(file)) return [];
  const text = view.text(file);
  const isRead = text !== undefined && readJsonc(text) !== undefined;
  return isRead ? [] : [`${file} cannot be read as JSON; its scripts are not known`];
}
