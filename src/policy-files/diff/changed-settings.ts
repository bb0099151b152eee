/**
 * Finds differences of two policies outside of their rules: hook modules, tools, servers, workspaces and the default. If
 * it is not certain that a difference only makes decisions stricter, it counts as looser.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Effect } from '../../kernel/call.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import type { PolicyFile } from '../policy-file.ts';
import type { ChangedRule } from './changed-rules.ts';

interface Setting {
  /** What it is about: settings with the same key are versions of each other. */
  readonly key: string;
  readonly title: string;
  readonly at: string;
  readonly meaning: string;
  /** True if a version makes no decision looser than the other version; undefined: the other side has none. */
  readonly isStricter?: ((other: Setting | undefined) => boolean) | undefined;
}

/** The default and the tools that servers enable or disable. They decide calls as rules do. */
export function changedDefaults(before: LoadedPolicy, after: LoadedPolicy): readonly ChangedRule[] {
  return compare(defaultsOf(before), defaultsOf(after));
}

function defaultsOf(policy: LoadedPolicy): readonly Setting[] {
  return [defaultOf(policy), ...settingsOfFiles(policy, toolListsOf)];
}

/** Workspaces, and what files declare about tools. Conditions and workspaces depend on it. */
export function changedDeclarations(before: LoadedPolicy, after: LoadedPolicy): readonly ChangedRule[] {
  return compare(settingsOfFiles(before, declarationsOf), settingsOfFiles(after, declarationsOf));
}

function declarationsOf(file: PolicyFile): readonly Setting[] {
  return [...workspacesOf(file), ...toolsOf(file), ...serversOf(file)];
}

/** Hook modules with another text, and all of them if their order changed. */
export function changedHooks(before: LoadedPolicy, after: LoadedPolicy): readonly ChangedRule[] {
  const [old, now] = [hooksOf(before), hooksOf(after)];
  if (commonMeanings(old, now) === commonMeanings(now, old)) return compare(old, now);
  return [...onlyIn(old, [], 'before'), ...onlyIn(now, [], 'after')];
}

function commonMeanings(hooks: readonly Setting[], others: readonly Setting[]): string {
  return hooks.flatMap(({ meaning }) => (others.some((each) => each.meaning === meaning) ? [meaning] : [])).join();
}

function compare(old: readonly Setting[], now: readonly Setting[]): readonly ChangedRule[] {
  return [...onlyIn(old, now, 'before'), ...onlyIn(now, old, 'after')];
}

function onlyIn(settings: readonly Setting[], others: readonly Setting[], side: ChangedRule['side']): ChangedRule[] {
  const meanings = new Set(others.map(({ key, meaning }) => `${key} ${meaning}`));
  return settings
    .filter(({ key, meaning }) => !meanings.has(`${key} ${meaning}`))
    .map((setting) => {
      const other = others.find(({ key }) => key === setting.key);
      const [from, to] = side === 'before' ? [setting, other] : [other, setting];
      const isSafe = to?.isStricter?.(from) === true;
      return { side, rule: setting.title, at: setting.at, change: isSafe ? 'stricter' : 'looser' };
    });
}

function settingsOfFiles(
  { layers }: LoadedPolicy,
  settingsOf: (file: PolicyFile) => readonly Setting[],
): readonly Setting[] {
  return layers.flatMap(({ policyFile }, index) => {
    // The own file may have another name in each version.
    const place = index === layers.length - 1 ? '' : policyFile.file;
    return settingsOf(policyFile).map((setting) => ({ ...setting, key: JSON.stringify([place, setting.key]) }));
  });
}

const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

function defaultOf({ default: effect, layers }: LoadedPolicy): Setting {
  const isStricter = (other: Setting | undefined): boolean =>
    other !== undefined && strictness[effect] >= strictness[JSON.parse(other.meaning) as Effect];
  const at = `${layers.at(-1)?.policyFile.file ?? ''}:1`;
  return { key: 'default', title: 'default', at, meaning: JSON.stringify(effect), isStricter };
}

/** Hooks can decide calls, so they are compared by their text. */
function hooksOf({ layers, hookModules }: LoadedPolicy): readonly Setting[] {
  const texts = hookModules.map(hashOf);
  const named = layers.flatMap(({ policyFile: { file, hooks = [] } }) => hooks.map((hook) => ({ file, ...hook })));
  return named.map(({ file, text, at }, index) => {
    return { key: 'hooks', title: `hook module ${text}`, at: `${file}:${at.line}`, meaning: texts[index] ?? text };
  });
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function workspacesOf({ file, workspaces }: PolicyFile): readonly Setting[] {
  if (workspaces === undefined) return [];
  const folders = workspaces.map(({ text }) => text);
  const isStricter = (other: Setting | undefined): boolean => {
    const others = other === undefined ? undefined : (JSON.parse(other.meaning) as readonly string[]);
    return others === undefined || folders.every((folder) => others.includes(folder));
  };
  const at = `${file}:${workspaces[0]?.at.line ?? 1}`;
  return [{ key: 'workspaces', title: 'workspaces', at, meaning: JSON.stringify(folders), isStricter }];
}

/** What a file declares about tools. Their schemas are compared separately. */
function toolsOf({ file, tools }: PolicyFile): readonly Setting[] {
  return tools.flatMap(({ target: { text, at }, tier, args, paths, touches }) => {
    const facts = JSON.stringify([args, paths, touches]);
    const isStricter = (other: Setting | undefined): boolean =>
      tier !== 'observe' && other !== undefined && (JSON.parse(other.meaning) as readonly unknown[])[1] === facts;
    if (tier === undefined && args === undefined && paths === undefined && touches === undefined) return [];
    const meaning = JSON.stringify([tier, facts]);
    return [{ key: `tool ${text}`, title: `tool ${text}`, at: `${file}:${at.line}`, meaning, isStricter }];
  });
}

/** The arguments by tool that a file declares for a server. */
function serversOf({ file, servers = [] }: PolicyFile): readonly Setting[] {
  return servers.flatMap(({ name, paths, touches, at }) => {
    if (paths === undefined && touches === undefined) return [];
    const title = `server ${name}`;
    return [{ key: title, title, at: `${file}:${at.line}`, meaning: JSON.stringify([paths, touches]) }];
  });
}

function toolListsOf({ file, servers = [] }: PolicyFile): readonly Setting[] {
  return servers.flatMap(({ name, enabledTools, disabledTools, at }) => {
    if (enabledTools === undefined && disabledTools === undefined) return [];
    const lists: ToolLists = { enabled: enabledTools, disabled: disabledTools };
    const isStricter = (other: Setting | undefined): boolean =>
      hidesAll(lists, other === undefined ? {} : (JSON.parse(other.meaning) as ToolLists));
    const title = `tools of ${name}`;
    return [{ key: title, title, at: `${file}:${at.line}`, meaning: JSON.stringify(lists), isStricter }];
  });
}

interface ToolLists {
  readonly enabled?: readonly string[] | undefined;
  readonly disabled?: readonly string[] | undefined;
}

/** True if these lists hide every tool that the others hide. */
function hidesAll({ enabled, disabled = [] }: ToolLists, others: ToolLists): boolean {
  if (others.enabled !== undefined) return enabled?.every((tool) => others.enabled?.includes(tool)) === true;
  return (others.disabled ?? []).every((tool) => disabled.includes(tool) || enabled?.includes(tool) === false);
}

/** Calls of the tools that servers enable or disable by name. */
export function* serverToolCalls(policies: readonly LoadedPolicy[]): Iterable<CheckRequest> {
  for (const { name, enabledTools = [], disabledTools = [] } of policies.flatMap(({ layers }) =>
    layers.flatMap(({ policyFile }) => policyFile.servers ?? []),
  )) {
    for (const tool of [...enabledTools, ...disabledTools]) yield { tool, server: name, args: {} };
  }
}
