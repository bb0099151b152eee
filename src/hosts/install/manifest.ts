/** What `bridle install` has written for a host, so that `bridle uninstall` can remove exactly that. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import type { HostName } from '../host.ts';
import type { Level } from '../settings/host-settings.ts';

/** A file of the host that was changed. */
export interface ChangedFile {
  /** Real. */
  readonly path: string;
  /** The path as the host names it, if that is a link. */
  readonly named?: string | undefined;
  /** The content before; undefined if there was no file. */
  readonly backup?: string | undefined;
  /** The hash of the content after the change. */
  readonly hash: string;
}

export interface Installation {
  readonly level: Level;
  readonly files: readonly ChangedFile[];
  readonly wrapper: string;
  readonly handler: string;
  readonly node: string;
  readonly hostVersion?: string | undefined;
  readonly limitSeconds: number;
  readonly observe: boolean;
  /** Names of the hooks that Codex trusts. */
  readonly trusted?: readonly string[] | undefined;
  /** Folders that were created for the settings file, the innermost first. */
  readonly folders?: readonly string[] | undefined;
  /** When, in milliseconds. */
  readonly at: number;
}

export function hostFolder(data: string, host: HostName): string {
  return join(data, 'hosts', host);
}

function manifestPath(data: string, host: HostName): string {
  return join(hostFolder(data, host), 'installed.json');
}

/** An unreadable manifest counts as empty: the hooks are also found in the files of the host. */
export function readManifest(data: string, host: HostName): readonly Installation[] {
  try {
    const { installations } = JSON.parse(readFileSync(manifestPath(data, host), 'utf8')) as {
      readonly installations?: unknown;
    };
    return Array.isArray(installations) ? (installations as Installation[]) : [];
  } catch {
    return [];
  }
}

export function writeManifest(data: string, host: HostName, installations: readonly Installation[]): void {
  const text = `${JSON.stringify({ version: 1, installations }, undefined, 2)}\n`;
  writeFileAtomicSync(manifestPath(data, host), text);
}

/** The installations of all hosts. */
export function allInstallations(data: string): readonly Installation[] {
  const folder = join(data, 'hosts');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => readManifest(data, name as HostName));
}

/** The settings file is the first of the changed files. */
export function installationIn(all: readonly Installation[], path: string): Installation | undefined {
  return all.find(({ files }) => files[0]?.path === path);
}

export interface CodexTrust {
  /** The path of `config.toml`, and its content before and after. */
  readonly config: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The names of the trusted hooks. */
  readonly keys: readonly string[];
}

/** Adds the trust of Codex to the installation in a settings file. */
export function noteTrust(data: string, path: string, { config, before, after, keys }: CodexTrust): void {
  const all = readManifest(data, 'codex');
  const own = installationIn(all, path);
  if (own === undefined || after === undefined || after === before) return;
  const known = own.files.find((file) => file.path === config);
  const backup = known?.backup ?? (before === undefined ? undefined : writeBackup(data, before));
  const files = [...own.files.filter((file) => file !== known), { path: config, backup, hash: contentHash(after) }];
  writeManifest(data, 'codex', [...all.filter((each) => each !== own), { ...own, files, trusted: keys }]);
}

function writeBackup(data: string, text: string): string {
  const path = join(hostFolder(data, 'codex'), 'backups', `${Date.now()}-config.toml`);
  writeFileAtomicSync(path, text);
  return path;
}

export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
