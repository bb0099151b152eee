/**
 * Installs the hook of a host: copies the handler, writes the wrapper, and adds the hook to a settings file of the host.
 * A plan shows every change before it is made. Installing twice changes nothing.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { HostSettings, Level, Places } from '../settings/host-settings.ts';
import { copyHandler, findHandler, type HandlerCopy } from './handler-files.ts';
import { findOnPath, type HostProgram, isProgram } from './host-program.ts';
import {
  type ChangedFile,
  contentHash,
  hostFolder,
  type Installation,
  installationIn,
  readManifest,
  writeManifest,
} from './manifest.ts';
import {
  checkWritable,
  makeSharedFolder,
  missingFolders,
  readSettings,
  type SettingsText,
  writeSettings,
} from './settings-text.ts';
import { wrapperScript } from './wrapper.ts';

export interface InstallOptions {
  readonly settings: HostSettings;
  readonly level: Level;
  readonly places: Places;
  /** The data folder of Bridle; for the managed level that of the machine. */
  readonly data: string;
  readonly limitSeconds: number;
  readonly observe: boolean;
  readonly program: HostProgram | undefined;
  /** The folder with the bundled handler. */
  readonly bundles?: string | undefined;
}

export const defaultLimitSeconds = 60;
/** Less leaves no time for an answer. */
export const minLimitSeconds = 8;

export interface InstallPlan {
  readonly options: InstallOptions;
  /** The path of the settings file as the host names it. */
  readonly named: string;
  readonly before: SettingsText;
  readonly after: string;
  readonly handler: HandlerCopy;
  readonly wrapper: { readonly path: string; readonly text: string; readonly isNew: boolean };
  readonly node: string;
  /** False if everything is already installed. */
  readonly hasChanges: boolean;
}

/** Changes nothing. Throws if the installation is impossible, such as for a settings file with a mistake. */
export function planInstall(options: InstallOptions): InstallPlan {
  const { settings, level, places, data, limitSeconds, observe } = options;
  const file = settings.file(level, places);
  if (file === undefined) throw new BridleError('OPTION_INVALID', `${settings.host} has no ${level} level`);
  const handler = findHandler(data, options.bundles);
  const node = process.execPath;
  const path = join(hostFolder(data, settings.host), wrapperName(options));
  const text = wrapperScript({
    host: settings.host,
    node,
    handler: handler.file,
    limitSeconds,
    observe,
    sleep: sleepProgram(places),
    hostVersion: options.program?.version,
    // Users of the managed level have their own policies and stores.
    home: level === 'managed' ? undefined : data,
  });
  const wrapper = { path, text, isNew: !existsSync(path) || readFileSync(path, 'utf8') !== text || !isProgram(path) };
  const before = readSettings(file.path);
  const after = file.add(before.text, { wrapper: path, limitSeconds, observe });
  const hasChanges = !handler.exists || wrapper.isNew || after !== before.text;
  if (after !== before.text) checkWritable(before.path);
  return { options, named: file.path, before, after, handler, wrapper, node, hasChanges };
}

/** Other options have another wrapper, so that levels can differ: `hook-observe`, `hook-30`. */
function wrapperName({ observe, limitSeconds }: InstallOptions): string {
  return `hook${observe ? '-observe' : ''}${limitSeconds === defaultLimitSeconds ? '' : `-${limitSeconds}`}`;
}

function sleepProgram({ env }: Places): string {
  const found = ['/bin/sleep', '/usr/bin/sleep'].find(isProgram) ?? findOnPath('sleep', env);
  if (found === undefined)
    throw new BridleError('OPTION_INVALID', 'there is no program sleep: the hook needs it for its time limit');
  return found;
}

export interface InstallResult {
  /** A copy of the settings file as it was; undefined if it was not changed or did not exist. */
  readonly backup: string | undefined;
}

/** The settings file is written last: a host never runs a hook that is not complete. */
export function applyInstall(plan: InstallPlan): InstallResult {
  const { options, before, after, handler, wrapper } = plan;
  const { settings, level, data } = options;
  const isShared = level === 'managed';
  if (isShared) for (const folder of [dirname(handler.folder), dirname(wrapper.path)]) makeSharedFolder(folder);
  copyHandler(handler, isShared);
  if (wrapper.isNew) writeFileAtomicSync(wrapper.path, wrapper.text, isShared ? 0o755 : 0o700);
  const isChanged = after !== before.text;
  const backup = isChanged && before.text !== undefined ? writeBackup(plan) : undefined;
  const earlier = readManifest(data, settings.host);
  const known = installationIn(earlier, before.path);
  const entry: Installation = {
    level,
    wrapper: wrapper.path,
    handler: handler.folder,
    node: plan.node,
    hostVersion: options.program?.version,
    limitSeconds: options.limitSeconds,
    observe: options.observe,
    folders: known?.folders ?? missingFolders(before.path),
    at: Date.now(),
    files: [settingsFile(plan, known?.files[0], backup), ...(known?.files.slice(1) ?? [])],
    trusted: known?.trusted,
  };
  writeManifest(data, settings.host, [...earlier.filter((each) => each !== known), entry]);
  if (isChanged) writeSettings(before.path, after, level);
  return { backup };
}

/**
 * The first backup is from before Bridle. If somebody has changed the file since then, the backup no longer says what to
 * restore, and the hook will be removed from the text.
 */
function settingsFile(
  { options, before, after, named: given }: InstallPlan,
  known: ChangedFile | undefined,
  backup: string | undefined,
): ChangedFile {
  const { path, text = '' } = before;
  const named = given === path ? undefined : given;
  const hasHook = text.includes(hostFolder(options.data, options.settings.host));
  if (known === undefined || !hasHook) return { path, named, backup, hash: contentHash(after) };
  const isOurs = known.hash === contentHash(text);
  return isOurs ? { path, named, backup: known.backup, hash: contentHash(after) } : { path, named, hash: '' };
}

function writeBackup({ options, before }: InstallPlan): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const folder = join(hostFolder(options.data, options.settings.host), 'backups');
  const path = join(folder, `${time}-${options.level}-${basename(before.path)}`);
  writeFileAtomicSync(path, before.text ?? '');
  return path;
}
