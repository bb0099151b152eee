/**
 * Files with lists of hooks by event: `{"hooks": {"<event>": [{"matcher": "*", "hooks": [{…}]}]}}`. Other hooks, comments
 * and the order of the file are kept.
 */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { appendValue, removeValue } from './edit-jsonc.ts';
import { type JsoncNode, jsonOf, memberOf, parseJsonc } from './jsonc.ts';
import { unquoted } from './shell-quote.ts';

/** The groups of hooks to install, by event. */
export type HookGroups = Readonly<Record<string, JsonObject>>;

/** A settings file and the name of the wrapper in it. */
export interface HookListFile {
  readonly path: string;
  readonly wrapper: string;
}

/** The text with these groups. Earlier hooks of the same wrapper are replaced. */
export function addHooks(text: string | undefined, groups: HookGroups, file: HookListFile): string {
  const current = text ?? '';
  const root = rootOf(current, file.path);
  if (root === undefined) {
    const value = { hooks: Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]])) };
    const lineBreak = current.includes('\r\n') ? '\r\n' : '\n';
    return `${current}${JSON.stringify(value, undefined, 2).replaceAll('\n', lineBreak)}${lineBreak}`;
  }
  if (hasExactly(root, groups, file)) return current;
  let next = withoutHooks(current, file, current);
  for (const [event, group] of Object.entries(groups)) next = addGroup(next, { event, group, file });
  return next;
}

/** The text without the hooks of the wrapper; undefined if the file has no other content. */
export function removeHooks(text: string, file: HookListFile, before: string | undefined): string | undefined {
  const next = withoutHooks(text, file, before);
  const root = rootOf(next, file.path);
  const isEmpty = root?.type === 'object' && root.members.length === 0 && next.trim() === '{}';
  return isEmpty && before === undefined ? undefined : next;
}

/** The events in which the wrapper is installed. */
export function installedEvents(text: string, file: HookListFile): readonly string[] {
  const hooks = memberOf(rootOf(text, file.path), 'hooks')?.value;
  const members = hooks?.type === 'object' ? hooks.members : [];
  return members.flatMap(({ key, value }) => (runsWrapper(value, file.wrapper) ? [key] : []));
}

function rootOf(text: string, path: string): JsoncNode | undefined {
  const root = parseJsonc(text, path);
  if (root === undefined || root.type === 'object') return root;
  throw new BridleError('OPTION_INVALID', `${path}:1:1: this file must contain a JSON object`);
}

function hasExactly(root: JsoncNode, groups: HookGroups, { path, wrapper }: HookListFile): boolean {
  const hooks = memberOf(root, 'hooks')?.value;
  if (hooks !== undefined && hooks.type !== 'object') throw notA(path, 'hooks', 'an object');
  const own = (hooks?.members ?? []).flatMap(({ key, value }) =>
    value.type === 'array'
      ? value.items.filter((item) => runsWrapper(item, wrapper)).map((item) => [key, jsonOf(item)] as const)
      : [],
  );
  return (
    own.length === Object.keys(groups).length &&
    own.every(([event, group]) => groups[event] !== undefined && isSame(group, groups[event]))
  );
}

interface GroupAddition {
  readonly event: string;
  readonly group: JsonObject;
  readonly file: HookListFile;
}

function addGroup(text: string, { event, group, file: { path } }: GroupAddition): string {
  const root = rootOf(text, path);
  if (root?.type !== 'object') throw notA(path, 'the file', 'an object');
  const hooks = memberOf(root, 'hooks')?.value;
  if (hooks === undefined) return appendValue(text, root, { key: 'hooks', value: { [event]: [group] } });
  if (hooks.type !== 'object') throw notA(path, 'hooks', 'an object');
  const list = memberOf(hooks, event)?.value;
  if (list === undefined) return appendValue(text, hooks, { key: event, value: [group] });
  if (list.type !== 'array') throw notA(path, `hooks.${event}`, 'a list');
  return appendValue(text, list, { value: group });
}

/** Removes one value after the other, because every removal moves the positions of the rest. */
function withoutHooks(text: string, file: HookListFile, before: string | undefined): string {
  const kept = before === undefined ? undefined : parseJsonc(before, file.path);
  let current = text;
  for (;;) {
    const next = withoutFirst(current, file, kept);
    if (next === undefined) return current;
    current = next;
  }
}

/** The text without the first hook of the wrapper, or without what the last removal left empty; undefined if nothing is left. */
function withoutFirst(text: string, { path, wrapper }: HookListFile, kept: JsoncNode | undefined): string | undefined {
  const root = rootOf(text, path);
  const hooksIndex = root?.type === 'object' ? root.members.findLastIndex(({ key }) => key === 'hooks') : -1;
  const hooks = root?.type === 'object' ? root.members[hooksIndex]?.value : undefined;
  if (root?.type !== 'object' || hooks?.type !== 'object') return undefined;
  const keptHooks = memberOf(kept, 'hooks')?.value;
  for (const [eventIndex, { key, value: list }] of hooks.members.entries()) {
    if (list.type !== 'array') continue;
    const groupIndex = list.items.findIndex((item) => runsWrapper(item, wrapper));
    const group = list.items[groupIndex];
    if (group !== undefined) return withoutHook(text, { list, groupIndex, group }, wrapper);
    const isLeftOver = list.items.length === 0 && kept !== undefined && memberOf(keptHooks, key) === undefined;
    if (isLeftOver || (list.items.length === 0 && kept === undefined)) return removeValue(text, hooks, eventIndex);
  }
  const isLeftOver = hooks.members.length === 0 && keptHooks === undefined;
  return isLeftOver ? removeValue(text, root, hooksIndex) : undefined;
}

interface GroupInList {
  readonly list: JsoncNode & { readonly type: 'array' };
  readonly groupIndex: number;
  readonly group: JsoncNode;
}

/** Another hook in the same group stays. */
function withoutHook(text: string, { list, groupIndex, group }: GroupInList, wrapper: string): string {
  const handlers = memberOf(group, 'hooks')?.value;
  const others = handlers?.type === 'array' ? handlers.items.filter((item) => !runsWrapper(item, wrapper)) : [];
  if (handlers?.type !== 'array' || others.length === 0) return removeValue(text, list, groupIndex);
  return removeValue(
    text,
    handlers,
    handlers.items.findIndex((item) => runsWrapper(item, wrapper)),
  );
}

/** True if a command in the value is the wrapper, quoted or not, with or without arguments. */
function runsWrapper(node: JsoncNode, wrapper: string): boolean {
  const mentions = (value: JsonValue): boolean => {
    if (Array.isArray(value)) return value.some(mentions);
    if (!isJsonObject(value)) return false;
    return Object.entries(value).some(([key, field]) =>
      (key === 'command' || key === 'bash') && typeof field === 'string'
        ? isCommandOf(field, wrapper)
        : mentions(field),
    );
  };
  return mentions(jsonOf(node));
}

/**
 * Compared without quotes, because a path with special characters is quoted for the shell. Wrappers with other options
 * have another ending: `hook-observe`.
 */
export function isCommandOf(command: string, wrapper: string): boolean {
  const base = unquoted(wrapper).replace(/-[-\w]*$/, '');
  return unquoted(command).startsWith(base) && /^[-\w]*(?: |$)/.test(unquoted(command).slice(base.length));
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index] ?? null));
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key] ?? null, other[key] ?? null))
  );
}

function notA(path: string, name: string, wanted: string): BridleError {
  return new BridleError('OPTION_INVALID', `${path}: "${name}" is not ${wanted}, so no hook can be added to it`);
}
