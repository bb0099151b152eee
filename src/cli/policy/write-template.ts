/**
 * Writes a project template for `bridle init --template`. Templates are folders in the package, so this works offline.
 * It checks everything before it writes, replaces no file without `force`, and never writes through a symbolic link.
 */

import * as fs from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { nodeSqlite } from '../../store/sqlite/sqlite-drivers.ts';
import { usageError } from '../command/command-row.ts';

/** What each template is. */
export const templates = {
  agent: 'an agent with a policy and tests',
  loop: 'a guard around your own loop',
  hono: 'an agent behind Hono routes, with approvals over HTTP',
  'ci-bot': 'a bot for continuous integration that asks nobody',
  nextjs: 'an agent in a Next.js route, with approvals',
} as const;

export type TemplateName = keyof typeof templates;

export function isTemplateName(text: string): text is TemplateName {
  return Object.hasOwn(templates, text);
}

const packageFolder = join(import.meta.dirname, '../../..');
const templatesFolder = join(packageFolder, 'templates');
/** npm leaves `.gitignore` files out of packages. */
const gitignore = { packed: 'gitignore', written: '.gitignore' };
/** `npm init` writes this test, which always fails. */
const placeholderTest = /^echo "Error: no test specified" && exit 1$/;

export interface TemplateOptions {
  /** Absolute, and it exists. */
  readonly folder: string;
  readonly force: boolean;
  /** The version of Bridle that the project depends on. */
  readonly version: string;
}

export interface WrittenTemplate {
  /** The files that were written, relative to the folder. */
  readonly files: readonly string[];
  /** Scripts of the template that were left out, because `package.json` has others of these names. */
  readonly keptScripts: readonly string[];
  /** False if `package.json` had a dependency on Bridle already. */
  readonly isBridleAdded: boolean;
}

interface NewFile {
  readonly path: string;
  readonly text: string;
}

export function writeTemplate(name: TemplateName, { folder, force, version }: TemplateOptions): WrittenTemplate {
  const source = join(templatesFolder, name);
  const all = filesIn(source).map((path) => ({
    path: path === gitignore.packed ? gitignore.written : path,
    text: fs.readFileSync(join(source, path), 'utf8'),
  }));
  const files = all.filter(({ path }) => path !== 'package.json' && !isKept(folder, path));
  refuseExisting(folder, files, force);
  const manifest = mergeManifest(folder, all.find(({ path }) => path === 'package.json')?.text ?? '{}', version);
  const written = [{ path: 'package.json', text: manifest.text }, ...files];
  for (const file of written) writeFile(folder, file);
  const { keptScripts, isBridleAdded } = manifest;
  return { files: written.map(({ path }) => path), keptScripts, isBridleAdded };
}

/**
 * The clone or the packed file that this Bridle comes from, which `npm install` must be given. Undefined if it was
 * installed by name.
 */
export function localSource(folder = packageFolder): string | undefined {
  const modules = dirname(folder);
  if (basename(modules) !== 'node_modules') return folder;
  const lockFile = join(modules, '.package-lock.json');
  if (!fs.existsSync(lockFile)) return undefined;
  const { packages } = JSON.parse(fs.readFileSync(lockFile, 'utf8')) as JsonObject;
  const { resolved } = objectOf(objectOf(packages)['node_modules/bridle']);
  const isFile = typeof resolved === 'string' && resolved.startsWith('file:');
  return isFile ? resolve(modules, '..', resolved.slice('file:'.length)) : undefined;
}

function filesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').includes('node_modules'))
    .toSorted();
}

/** A project that has its own list of ignored files keeps it. */
function isKept(folder: string, path: string): boolean {
  return path === gitignore.written && fs.existsSync(join(folder, path));
}

/** Lists every conflict, so that the user sees them all before anything is written. */
function refuseExisting(folder: string, files: readonly NewFile[], force: boolean): void {
  const inTheWay = ['package.json', ...files.map(({ path }) => path)].filter((path) => !isReplaceable(folder, path));
  if (inTheWay.length > 0)
    throw usageError(`${inTheWay.join(', ')}: not a regular file in this folder, so it is not replaced`);
  const existing = files.map(({ path }) => path).filter((path) => fs.existsSync(join(folder, path)));
  if (existing.length === 0 || force) return;
  throw usageError(
    `${existing.join(', ')} already exist${existing.length === 1 ? 's' : ''}; use an empty folder, or replace with --force`,
  );
}

/** False if the file, or a folder on its way, is a link or something else that a write would follow or destroy. */
function isReplaceable(folder: string, path: string): boolean {
  const parts = path.split('/');
  return parts.every((_, index) => {
    const found = fs.lstatSync(join(folder, ...parts.slice(0, index + 1)), { throwIfNoEntry: false });
    return found === undefined || (index === parts.length - 1 ? found.isFile() : found.isDirectory());
  });
}

function writeFile(folder: string, { path, text }: NewFile): void {
  const target = join(folder, path);
  try {
    fs.mkdirSync(dirname(target), { recursive: true });
    // A rename replaces a link instead of following it.
    writeFileAtomicSync(target, text, 0o644);
  } catch (error) {
    throw usageError(`${path} cannot be written: ${messageOf(error)}`, error);
  }
}

/** Adds scripts and dependencies to the manifest of the folder. What is there stays. */
function mergeManifest(
  folder: string,
  template: string,
  version: string,
): { readonly text: string; readonly keptScripts: readonly string[]; readonly isBridleAdded: boolean } {
  const added = JSON.parse(template) as JsonObject;
  const own = readManifest(folder);
  const ownScripts = objectOf(own['scripts']);
  const scripts = Object.entries(objectOf(added['scripts'])).filter(([name]) => !isOwnScript(ownScripts[name]));
  const keptScripts = Object.entries(objectOf(added['scripts']))
    .filter(([name, script]) => isOwnScript(ownScripts[name]) && ownScripts[name] !== script)
    .map(([name]) => name);
  const development = objectOf(own['devDependencies']);
  const wanted = Object.entries({ bridle: version, ...objectOf(added['dependencies']) }).filter(
    ([name]) => isNeeded(name) && !Object.hasOwn(development, name),
  );
  const dependencies = { ...Object.fromEntries(wanted), ...objectOf(own['dependencies']) };
  const merged = {
    ...(Object.keys(own).length === 0 ? { name: added['name'], private: true } : own),
    scripts: { ...ownScripts, ...Object.fromEntries(scripts) },
    dependencies: Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
  const isBridleAdded = ![development, objectOf(own['dependencies'])].some((each) => Object.hasOwn(each, 'bridle'));
  return { text: `${JSON.stringify(merged, undefined, 2)}\n`, keptScripts, isBridleAdded };
}

/** Stores need libsql only if Node does not include SQLite. */
function isNeeded(name: string): boolean {
  return name !== 'libsql' || nodeSqlite() === undefined;
}

function isOwnScript(script: JsonValue | undefined): boolean {
  return script !== undefined && !(typeof script === 'string' && placeholderTest.test(script));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function readManifest(folder: string): JsonObject {
  const path = join(folder, 'package.json');
  if (!fs.existsSync(path)) return {};
  try {
    const manifest = JSON.parse(fs.readFileSync(path, 'utf8')) as JsonValue;
    if (isJsonObject(manifest)) return manifest;
  } catch (error) {
    throw usageError(`package.json cannot be read: ${messageOf(error)}`, error);
  }
  throw usageError('package.json is not a JSON object');
}
