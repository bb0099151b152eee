/** Inspects a folder and detects what kind of project it is. What cannot be read is left out and noted. */

import { type FolderView, viewBelow } from './folder-view.ts';
import { findUnignoredSecrets } from './unignored-secrets.ts';
import { projectLanguages } from './languages.ts';
import { findMcpServers } from './mcp-configurations.ts';
import { findProjectFolders } from './project-folders.ts';
import { type NodeManager, nodeManager } from './node-manager.ts';
import { allPartsCommands, nodeCommands, partCommands } from './package-scripts.ts';
import type { Project, ProjectCommand } from './project.ts';
import { readJsonc } from './read-jsonc.ts';
import { findScripts } from './script-files.ts';

/** Files that configure what agent hosts run, or what an agent may do. */
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
/** Keeps the list within the limit of a condition, and readable. */
const maxCommands = 105;
const maxStarts = 20;
/** Contains no characters that are special to a shell or a policy. */
const plainLine = /^[\w.:/@-]+(?: [\w.:/@-]+)*$/;

export function inspectProject(view: FolderView): Project {
  const own = detectLanguages(view);
  const { folders, notes } = findProjectFolders(view, (folder) => detectLanguages(viewBelow(view, folder)).length > 0);
  const found = [...own, ...folders.flatMap((folder) => detectLanguagesBelow(view, folder))];
  const scripts = findScripts(view);
  const servers = findMcpServers(view);
  const parts = folders.map((folder) => readJsonc(view.text(`${folder}/package.json`) ?? ''));
  const together = allPartsCommands(parts, managerOf(view));
  const all = distinctCommands([...found.flatMap((language) => language.commands), ...together, ...scripts.commands]);
  const commands = all.filter(({ starts }) => starts !== true);
  const left = commands.length - maxCommands;
  return {
    languages: [...new Set(found.map(({ name }) => name))],
    managers: [...new Set(found.flatMap(({ manager }) => manager ?? []))],
    commands: commands.slice(0, maxCommands),
    starts: all.filter(({ starts }) => starts === true).slice(0, maxStarts),
    folders,
    manifests: [...new Set([...found.flatMap(({ manifests }) => manifests), ...scripts.files])],
    git: view.inGit(),
    mcp: servers.configurations,
    hosts: hostFiles.filter((file) => view.has(file)),
    bareSecrets: findUnignoredSecrets(view),
    hasSchema: view.has('node_modules/bridle/policy.schema.json'),
    notes: [
      ...jsonManifests.flatMap((file) => unreadable(view, file)),
      ...notes,
      ...(left > 0 ? [`${left} of ${commands.length} commands`] : []),
      ...servers.notes,
    ],
  };
}

interface DetectedLanguage {
  readonly name: string;
  readonly manifests: readonly string[];
  readonly manager: string | undefined;
  readonly commands: readonly ProjectCommand[];
}

function detectLanguages(view: FolderView): readonly DetectedLanguage[] {
  const names = view.names();
  return projectLanguages.flatMap((row) => {
    const isFound = row.manifests.some((manifest) => isNamed(names, manifest));
    // All manifests are listed, because one that is created later also decides what runs: make prefers GNUmakefile to
    // Makefile.
    return isFound ? [{ name: row.name, manifests: row.manifests, ...row.inspect(view) }] : [];
  });
}

/** For a part of the project, its own lock file counts if the project has none. */
function managerOf(view: FolderView, below?: FolderView): NodeManager {
  const manifest = readJsonc(view.text('package.json') ?? '');
  return nodeManager(manifest, (file) => view.has(file) || below?.has(file) === true);
}

/** The commands of a part, run in its folder or from the project folder. */
function detectLanguagesBelow(view: FolderView, folder: string): readonly DetectedLanguage[] {
  const below = viewBelow(view, folder);
  const manager = managerOf(view, below);
  return detectLanguages(below).map((found) => {
    const manifest = found.name === 'Node.js' ? readJsonc(below.text('package.json') ?? '') : undefined;
    const fromAbove = manifest === undefined ? [] : partCommands(manifest, manager, folder);
    const inside = manifest === undefined ? found.commands : nodeCommands(manifest, manager);
    return { ...found, commands: [...inside, ...fromAbove].map((command) => ({ ...command, folder })) };
  });
}

function isNamed(names: readonly string[], manifest: string): boolean {
  if (!manifest.startsWith('*')) return names.includes(manifest);
  return names.some((name) => name.endsWith(manifest.slice(1)));
}

function distinctCommands(commands: readonly ProjectCommand[]): readonly ProjectCommand[] {
  const byLine = new Map<string, ProjectCommand>();
  for (const command of commands) {
    if (plainLine.test(command.line) && !byLine.has(command.line)) byLine.set(command.line, command);
  }
  return [...byLine.values()];
}

function unreadable(view: FolderView, file: string): string[] {
  if (!view.has(file)) return [];
  const text = view.text(file);
  const isRead = text !== undefined && readJsonc(text) !== undefined;
  return isRead ? [] : [`the scripts in ${file}, which cannot be read as JSON`];
}
