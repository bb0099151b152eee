/** Compares the installed version of a framework with the versions on which the adapter was tested (B05). */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BridleError } from '../kernel/errors.ts';
import { reportOnce } from '../kernel/guard/guard.ts';

/** A package of a framework, and the versions on which the shared suite passed, the newest last. */
export interface TestedPackage {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Throws if the major version was never tested. Warns once if the version is newer, or cannot be read. */
export function checkVersion({ name, versions }: TestedPackage, installed = installedVersion(name)): void {
  const tested = versions.join(' and ');
  if (installed === undefined) {
    reportOnce(`the version of ${name} cannot be read; Bridle was tested with ${tested}`);
    return;
  }
  const own = numbersOf(installed);
  const sameMajor = versions.filter((version) => numbersOf(version)[0] === own[0]).at(-1);
  if (sameMajor === undefined) {
    throw new BridleError(
      'FRAMEWORK_UNSUPPORTED',
      `${name} ${installed} is installed, but Bridle was tested with ${tested} only. Install one of these, or use guard.wrap`,
    );
  }
  const minor = numbersOf(sameMajor)[1];
  if (own[1] > minor) reportOnce(`${name} ${installed} is newer than ${sameMajor}, with which Bridle was tested`);
}

/** Throws if a place where the adapter attaches is missing. `found` says what was looked for, and whether it is there. */
export function refuseMissing(framework: string, found: Readonly<Record<string, boolean>>): void {
  const missing = Object.keys(found).filter((place) => found[place] !== true);
  if (missing.length === 0) return;
  throw new BridleError(
    'FRAMEWORK_UNSUPPORTED',
    `Bridle cannot attach to ${framework}: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
  );
}

/** Some adapters attach in every turn, so versions are read once. */
const knownVersions = new Map<string, string>();

/** The version in the package.json next to the program or to Bridle; undefined in a bundled app. */
function installedVersion(name: string): string | undefined {
  const known = knownVersions.get(name);
  if (known !== undefined) return known;
  for (const from of [join(process.cwd(), 'index.js'), import.meta.url]) {
    const version = versionFrom(from, name);
    if (version === undefined) continue;
    knownVersions.set(name, version);
    return version;
  }
  return undefined;
}

function versionFrom(from: string, name: string): string | undefined {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const manifest = readJson(join(folder, name, 'package.json'));
    if (manifest?.name === name && typeof manifest.version === 'string') return manifest.version;
  }
  return undefined;
}

function readJson(path: string): { readonly name?: unknown; readonly version?: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown; version?: unknown };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function numbersOf(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
}
