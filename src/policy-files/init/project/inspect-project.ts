/** Inspects a folder and detects what kind of project it is. What cannot be read is left out and noted. */

import { readNamePattern } from '../../../facts/paths/globs/name-pattern.ts';
import { type FolderView, viewBelow } from './folder-view.ts';
import { projectLanguages } from './languages.ts';
import { findMcpServers } from './mcp-configurations.ts';
import {
  allPartsCommands,
  isUsualScript,
  nodeCommands,
  nodeManager,
  packageManifest,
  partCommands,
} from './node-commands.ts';
import { findProjectFolders } from './project-folders.ts';
import type { Project, ProjectCommand } from './project.ts';
import { readJsonc } from './read-jsonc.ts';

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
  const scripts = scriptFiles(view);
  const servers = findMcpServers(view);
  const parts = folders.map((folder) => packageManifest(viewBelow(view, folder)));
  const together = allPartsCommands(parts, nodeManager(view));
  const all = distinctCommands([
    ...found.flatMap((language) => language.commands),
    ...together,
    ...scripts.flatMap(scriptFileCommands),
  ]);
  const commands = all.filter(({ starts }) => starts !== true);
  const left = commands.length - maxCommands;
  return {
    languages: [...new Set(found.map(({ name }) => name))],
    managers: [...new Set(found.flatMap(({ manager }) => manager ?? []))],
    commands: commands.slice(0, maxCommands),
    starts: all.filter(({ starts }) => starts === true).slice(0, maxStarts),
    folders,
    manifests: [...new Set([...found.flatMap(({ manifests }) => manifests), ...scripts])],
    git: view.inGit(),
    mcp: servers.configurations,
    hosts: hostFiles.filter((file) => view.has(file)),
    bareSecrets: unignoredSecrets(view),
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

/**
 * All manifests of a language are listed, because one that is created later also decides what runs: make prefers
 * GNUmakefile to Makefile.
 */
function detectLanguages(view: FolderView): readonly DetectedLanguage[] {
  const names = view.names();
  const isThere = (manifest: string): boolean =>
    manifest.startsWith('*') ? names.some((name) => name.endsWith(manifest.slice(1))) : names.includes(manifest);
  return projectLanguages
    .filter(({ manifests }) => manifests.some(isThere))
    .map(({ name, manifests, manager, commands }) => ({
      name,
      manifests,
      manager: typeof manager === 'function' ? manager(view) : manager,
      commands: (typeof commands === 'function' ? commands(view) : commands).map((each) =>
        typeof each === 'string' ? { line: each } : each,
      ),
    }));
}

/** The commands of a part, run in its folder or from the project folder. */
function detectLanguagesBelow(view: FolderView, folder: string): readonly DetectedLanguage[] {
  const below = viewBelow(view, folder);
  const manager = nodeManager(view, below);
  return detectLanguages(below).map((found) => {
    const manifest = found.name === 'Node.js' ? packageManifest(below) : undefined;
    const commands =
      manifest === undefined
        ? found.commands
        : [...nodeCommands(below, manager), ...partCommands(manifest, manager, folder)];
    return { ...found, commands: commands.map((command) => ({ ...command, folder })) };
  });
}

const scriptFolders = ['scripts', 'script', 'bin'];
const maxScripts = 20;

/** Script files that test, build, check or format the project: `scripts/test.sh`. */
function scriptFiles(view: FolderView): readonly string[] {
  return scriptFolders
    .flatMap((folder) => view.names(folder).flatMap((name) => (isScriptFile(name) ? [`${folder}/${name}`] : [])))
    .slice(0, maxScripts);
}

function isScriptFile(name: string): boolean {
  return isUsualScript(name.replace(/\.(?:sh|bash)$/, '')) && !/^tsc|^eslint|^prettier/.test(name);
}

function scriptFileCommands(file: string): readonly ProjectCommand[] {
  return [`./${file}`, file, ...(file.endsWith('sh') ? [`bash ${file}`] : [])].map((line) => ({ line }));
}

function distinctCommands(commands: readonly ProjectCommand[]): readonly ProjectCommand[] {
  const byLine = new Map<string, ProjectCommand>();
  for (const command of commands) {
    if (plainLine.test(command.line) && !byLine.has(command.line)) byLine.set(command.line, command);
  }
  return [...byLine.values()];
}

function unreadable(view: FolderView, file: string): readonly string[] {
  if (!view.has(file)) return [];
  const text = view.text(file);
  const isRead = text !== undefined && readJsonc(text) !== undefined;
  return isRead ? [] : [`the scripts in ${file}, which cannot be read as JSON`];
}

const secretName =
  /^\.env(?!\.(?:example|sample|template|dist)$)(?:\..*)?$|\.(?:pem|key|p12|pfx)$|^id_(?:rsa|ed25519)$/;
const maxSecrets = 5;

/**
 * Files with secrets in the folder that .gitignore does not list, so a search of the folder would show them. Only
 * patterns for names in this folder are read; others ignore nothing. The last matching pattern decides.
 */
function unignoredSecrets(view: FolderView): readonly string[] {
  const patterns = (view.text('.gitignore') ?? '').split(/\r?\n/).flatMap((line) => {
    const [, not = '', pattern] = /^(!?)(?:\*\*\/|\/)?([\w.*-]{1,80})[ \t]*$/.exec(line) ?? [];
    const name = pattern === undefined ? undefined : readNamePattern(pattern);
    return name === undefined || 'problem' in name ? [] : [{ ignores: not === '', name }];
  });
  const isIgnored = (file: string): boolean =>
    patterns.findLast(({ name }) => name.matches(file, false))?.ignores ?? false;
  return view
    .names()
    .filter((name) => secretName.test(name) && /^[\w.-]+$/.test(name) && !isIgnored(name))
    .slice(0, maxSecrets);
}
