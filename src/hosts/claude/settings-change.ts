/**
 * Whether a settings file of Claude Code that changed during a session switches the hook off or changes commands. Claude
 * Code ignores a whole file if one value in it has the wrong type, so the file with the hook may change only in ways that
 * are known to be valid.
 */

import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { messageOf } from '../../kernel/errors.ts';
import { canonicalText, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { HookCommand } from '../settings/host-settings.ts';
import { harmfulVariables } from '../shell-environment.ts';
import { claudeEntry, claudeEvents } from './hook-entries.ts';

/** Why Claude Code must not use the new content; undefined if it is harmless. */
export function settingsProblem(file: string, home: string): string | undefined {
  const hooks = installedIn(file, home);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return hooks.length > 0 ? `the file with Bridle's hook cannot be read: ${messageOf(error)}` : undefined;
  }
  let settings: JsonValue;
  try {
    settings = JSON.parse(text) as JsonValue;
  } catch (error) {
    return `it is not JSON, so Claude Code would ignore all of it: ${messageOf(error)}`;
  }
  if (!isJsonObject(settings)) return 'it is not an object';
  if (settings['disableAllHooks'] === true) return 'it sets disableAllHooks';
  const [variable] = harmfulVariables(objectIn(settings, 'env'));
  if (variable !== undefined) return `it sets the variable ${variable}, which changes what commands run`;
  return hooks.length === 0 ? undefined : ownFileProblem(settings, hooks, earlierSettings(file, home));
}

/**
 * Keeps the settings with which a session starts: Claude Code has loaded a hook from them, so they are valid. Without
 * the copy, fewer changes are known to be valid.
 */
export function keepSettings(home: string): void {
  for (const { path } of installations(home)) {
    const text = JSON.stringify(readObject(path));
    if (readText(keptPath(path, home)) !== text) writeFileAtomicSync(keptPath(path, home), text);
  }
}

/** `earlier` are valid settings of the same file. */
function ownFileProblem(settings: JsonObject, hooks: readonly HookCommand[], earlier: JsonObject): string | undefined {
  const current = objectIn(settings, 'hooks');
  for (const [event, kind] of Object.entries(claudeEvents)) {
    const list = current[event];
    const entries = Array.isArray(list) ? list.map(canonicalText) : [];
    const isInstalled = hooks.some((hook) => entries.includes(canonicalText(claudeEntry(event, kind, hook))));
    if (!isInstalled) return `it removes or changes Bridle's hook for ${event}`;
  }
  const changed = Object.keys(settings).filter(
    (name) => canonicalText(settings[name] ?? null) !== canonicalText(earlier[name] ?? null),
  );
  const wrong = changed.find((name) => !isValid(name, settings[name] ?? null));
  if (wrong === 'hooks') return 'it changes hooks, which takes effect in the next session';
  return wrong === undefined
    ? undefined
    : `it changes "${wrong}", and Claude Code would ignore the whole file if that were not valid`;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';
const isFlag = (value: JsonValue): boolean => typeof value === 'boolean';
const rule = /^[A-Za-z_][\w*.:-]*(?:\([^()]+\))?$/;

/** Settings that people and Claude Code itself change during a session, with their types. */
const valid: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  alwaysThinkingEnabled: isFlag,
  env: (value) => isJsonObject(value) && Object.values(value).every(isText),
  enabledPlugins: (value) => isJsonObject(value) && Object.values(value).every(isFlag),
  includeCoAuthoredBy: isFlag,
  language: isText,
  model: isText,
  outputStyle: isText,
  permissions: arePermissions,
  spinnerTipsEnabled: isFlag,
};

function isValid(name: string, value: JsonValue): boolean {
  return Object.hasOwn(valid, name) && valid[name]?.(value) === true;
}

function arePermissions(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([name, list]) => {
    if (!['allow', 'ask', 'deny', 'additionalDirectories'].includes(name) || !Array.isArray(list)) return false;
    const isRule = name !== 'additionalDirectories';
    return list.every((each) => typeof each === 'string' && (!isRule || rule.test(each)));
  });
}

function objectIn(settings: JsonObject, name: string): JsonObject {
  const value = settings[name];
  return value !== undefined && isJsonObject(value) ? value : {};
}

interface InstalledFile extends HookCommand {
  /** Real. */
  readonly path: string;
  /** The path as Claude Code names it, which may be a link. */
  readonly named: string;
}

/** The hooks that were installed in this file, under any of its names. */
function installedIn(file: string, home: string): readonly InstalledFile[] {
  const names = [file, targetOf(file)];
  return installations(home).filter(({ path, named }) => names.includes(path) || names.includes(named));
}

/** Where a link leads, even if nothing is there any more. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isSymbolicLink() === true ? resolve(dirname(file), readlinkSync(file)) : file;
  }
}

function installations(home: string): readonly InstalledFile[] {
  const { installations: list } = readObject(join(home, 'hosts', 'claude', 'installed.json'));
  return (Array.isArray(list) ? list : []).flatMap((each: JsonValue) => {
    if (!isJsonObject(each)) return [];
    const { wrapper, limitSeconds, observe, files } = each;
    const [file] = Array.isArray(files) ? (files as readonly JsonValue[]) : [];
    if (file === undefined || !isJsonObject(file)) return [];
    const { path, named = path } = file;
    if (typeof path !== 'string' || typeof named !== 'string' || typeof wrapper !== 'string') return [];
    return [{ path, named, wrapper, limitSeconds: Number(limitSeconds), observe: observe === true }];
  });
}

function earlierSettings(file: string, home: string): JsonObject {
  const [found] = installedIn(file, home);
  return found === undefined ? {} : readObject(keptPath(found.path, home));
}

function keptPath(path: string, home: string): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(home, 'hosts', 'claude', 'started-with', `${name}.json`);
}

/** Empty if there is no such file, or it is something else. */
function readObject(path: string): JsonObject {
  try {
    const value = JSON.parse(readText(path) ?? '') as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
