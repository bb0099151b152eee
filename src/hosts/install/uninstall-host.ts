/** Removes what {@link applyInstall} has added. A settings file that nobody has changed since gets its bytes back. */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withoutTrust } from '../codex/trust.ts';
import { type HostSettings, type Level, levels, type Places } from '../settings/host-settings.ts';
import {
  allInstallations,
  type ChangedFile,
  contentHash,
  hostFolder,
  type Installation,
  installationIn,
  readManifest,
  writeManifest,
} from './manifest.ts';
import { checkWritable, readSettings, removeEmptyFolders, writeSettings } from './settings-text.ts';

export interface UninstallOptions {
  readonly settings: HostSettings;
  readonly places: Places;
  /** The data folder for each level. */
  readonly dataOf: (level: Level) => string;
  /** All levels if not set. */
  readonly level?: Level | undefined;
}

/** The change of one settings file. */
export interface Removal {
  readonly level: Level;
  readonly path: string;
  readonly before: string;
  /** Undefined if the file is removed. */
  readonly after: string | undefined;
  readonly installation: Installation | undefined;
}

/** The settings files with a hook of Bridle. Changes nothing. */
export function planUninstall({ settings, places, dataOf, level: only }: UninstallOptions): readonly Removal[] {
  return levels
    .filter((level) => only === undefined || level === only)
    .flatMap((level) => {
      const file = settings.file(level, places);
      const { path, text } = file === undefined ? { path: '', text: undefined } : readSettings(file.path);
      if (file === undefined || text === undefined) return [];
      const data = dataOf(level);
      const wrapper = join(hostFolder(data, settings.host), 'hook');
      const installation = installationIn(readManifest(data, settings.host), path);
      const [own] = installation?.files ?? [];
      if (own === undefined && file.inspect(text, wrapper) === undefined) return [];
      const before = own === undefined ? undefined : textBefore(own);
      // Without its backup, the old content cannot be restored.
      const isUnchanged = own?.hash === contentHash(text) && (own.backup === undefined || before !== undefined);
      const after = isUnchanged ? before : file.remove(text, wrapper, before);
      if (after === text) return [];
      checkWritable(path);
      return [{ level, path, before: text, after, installation }];
    });
}

/** The content before the installation; undefined if there was none, or its backup is gone. */
function textBefore({ backup }: ChangedFile): string | undefined {
  return backup !== undefined && existsSync(backup) ? readFileSync(backup, 'utf8') : undefined;
}

/** The hook is removed from the settings file first: a host never runs a hook that is half removed. */
export function applyUninstall(removals: readonly Removal[], { settings, dataOf }: UninstallOptions): void {
  for (const { level, path, after, installation } of removals) {
    if (after === undefined) {
      rmSync(path, { force: true });
      removeEmptyFolders(installation?.folders ?? []);
    } else writeSettings(path, after, level);
    for (const file of installation?.files.slice(1) ?? []) forgetTrust(file, installation?.trusted ?? []);
    const data = dataOf(level);
    const rest = readManifest(data, settings.host).filter(
      ({ at, files }) => at !== installation?.at || files[0]?.path !== path,
    );
    for (const { backup } of installation?.files ?? []) if (backup !== undefined) rmSync(backup, { force: true });
    removeUnused(data, settings, rest);
  }
}

/** Codex keeps its trust in a file of its own. */
function forgetTrust(file: ChangedFile, keys: readonly string[]): void {
  const { path, text } = readSettings(file.path);
  if (text === undefined) return;
  const before = textBefore(file);
  const isUnchanged = contentHash(text) === file.hash;
  if (isUnchanged && file.backup === undefined) rmSync(path, { force: true });
  else writeSettings(path, isUnchanged && before !== undefined ? before : withoutTrust(text, keys), 'user');
}

function removeUnused(data: string, settings: HostSettings, rest: readonly Installation[]): void {
  const folder = hostFolder(data, settings.host);
  if (rest.length === 0) rmSync(folder, { recursive: true, force: true });
  else {
    writeManifest(data, settings.host, rest);
    const used = new Set(rest.map(({ wrapper }) => wrapper));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (/^hook[-\w]*$/.test(name) && !used.has(path)) rmSync(path, { force: true });
    }
  }
  const handlers = join(data, 'handlers');
  const used = new Set(allInstallations(data).map(({ handler }) => handler));
  if (!existsSync(handlers)) return;
  for (const name of readdirSync(handlers))
    if (!used.has(join(handlers, name))) rmSync(join(handlers, name), { recursive: true, force: true });
  for (const each of [handlers, join(data, 'hosts')]) removeEmptyFolders([each]);
}
