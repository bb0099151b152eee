/** One line for a call: `✓ view_file README.md  3 ms`, `✓ $ npm test  in ~/project  1.2 s`. Contents are untrusted text. */

import { isAbsolute, relative, resolve } from 'node:path';
import type { RuleRef } from '../../kernel/call.ts';
import type { CallInfo } from '../../kernel/hooks/points/events.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { pairText } from '../../kernel/names.ts';
import { countSpaces } from '../output/marked-rows.ts';
import { safeJson, safeText } from '../output/safe-text.ts';

/** Where a chat runs, to show paths in a short form. */
export interface ShownFolders {
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
}

export interface CallTitle {
  readonly text: string;
  /** The folder of a command. */
  readonly folder: string | undefined;
  /** Commands are never cut. */
  readonly isCommand: boolean;
}

/** The arguments that say what a call is about. The others are shown with details only. */
const mainArgs: Readonly<Record<string, readonly string[]>> = {
  view_file: ['file_path'],
  create_file: ['file_path'],
  edit_file: ['file_path'],
  list_directory: ['directory_path'],
  find_file: ['query', 'directory_path'],
  search_directory: ['query', 'directory_path'],
  read_url_content: ['url'],
  start_subagent: ['agent'],
  ask_question: [],
};

export function callTitle({ tool, server, args }: CallTitleParts, folders: ShownFolders = {}): CallTitle {
  const name = safeText(pairText(server, tool));
  if (server === undefined && isJsonObject(args)) {
    const { command_line: command, working_dir: folder } = args;
    if (tool === 'run_command' && typeof command === 'string')
      return { text: `$ ${safeText(countSpaces(command))}`, folder: folderText(folder, folders), isCommand: true };
    const main = Object.hasOwn(mainArgs, tool) ? mainArgs[tool] : undefined;
    if (main !== undefined) return titleOf([name, ...mainTexts(args, main, folders)]);
  }
  return titleOf([name, argsText(args)]);
}

type CallTitleParts = Pick<CallInfo, 'tool' | 'server'> & { readonly args: JsonValue };

function titleOf(parts: readonly string[]): CallTitle {
  return { text: parts.filter((part) => part !== '').join(' '), folder: undefined, isCommand: false };
}

function mainTexts(args: JsonObject, names: readonly string[], folders: ShownFolders): readonly string[] {
  return names.flatMap((name) => {
    const value = args[name];
    if (value === undefined) return [];
    if (typeof value !== 'string') return [safeJson(value)];
    return [bareText(name.endsWith('_path') ? shortPath(value, folders) : value)];
  });
}

/** Text that could be mistaken for something else is quoted. */
function bareText(value: string): string {
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(value) && !/["'\\⟨]/.test(value) ? value : safeJson(value);
}

function folderText(given: JsonValue | undefined, { cwd, home }: ShownFolders): string | undefined {
  const folder = typeof given === 'string' ? (cwd === undefined ? given : resolve(cwd, given)) : cwd;
  return folder === undefined ? undefined : bareText(shortPath(folder, { home }));
}

/** Relative to the folder of the chat, or `~/…`. */
function shortPath(path: string, { cwd, home }: ShownFolders): string {
  if (!isAbsolute(path)) return path;
  const inCwd = cwd === undefined ? '..' : relative(cwd, path) || '.';
  if (!inCwd.startsWith('..') && !isAbsolute(inCwd)) return inCwd;
  const inHome = home === undefined || home === '/' ? '..' : relative(home, path);
  return inHome.startsWith('..') || isAbsolute(inHome) ? path : `~${inHome === '' ? '' : `/${inHome}`}`;
}

/** `a=1 b="x"`. */
export function argsText(args: JsonValue, maxLength = 300): string {
  const pairs = isJsonObject(args)
    ? Object.entries(args).map(([name, value]) => `${safeText(name)}=${safeJson(value)}`)
    : [safeJson(args)];
  const text = countSpaces(pairs.join(' '));
  const missing = text.length - maxLength;
  return missing <= 0 ? text : `${text.slice(0, maxLength)}… [${missing} more characters]`;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

interface Denial extends CallInfo {
  readonly reason: string;
  readonly rule: RuleRef | undefined;
  readonly hook: string | undefined;
}

/** Rules of the default policy that ask. Their names say nothing to a person who did not write them. */
const defaultAskRules = ['safe_confirm', 'confirm_run_command'];

/** `Denied run_command by rule "no deleting" (bridle.yaml:9): Move it to the trash instead.` */
export function denialText({ tool, server, reason, rule, hook }: Denial): string {
  const name = pairText(server, tool);
  const denied = `Denied ${name}`;
  // The reasons of the policy engine already name the tool and the rule.
  if (reason.startsWith(denied)) return safeText(withoutDefaultRule(reason, rule));
  if (rule === undefined) return safeText(`${denied}${hook === undefined ? '' : ` by hook "${hook}"`}: ${reason}`);
  const place = rule.at === undefined ? '' : ` (${rule.at})`;
  if (rule.effect !== 'ask') return safeText(`${denied} by rule "${rule.name}"${place}: ${reason}`);
  // A person or the time limit denied it; the rule only asked.
  if (isDefaultRule(rule)) return safeText(`${denied}: ${reason}`);
  const stop = /[.!?…]\s*$/.test(reason) ? '' : '.';
  return safeText(`${denied}: ${reason.trimEnd()}${stop} Rule "${rule.name}"${place} asked about it.`);
}

export function isDefaultRule({ name, at }: RuleRef): boolean {
  return at === undefined && defaultAskRules.includes(name);
}

function withoutDefaultRule(reason: string, rule: RuleRef | undefined): string {
  if (rule === undefined || !isDefaultRule(rule)) return reason;
  return reason.replace(`rule "${rule.name}" requires approval`, 'it needs approval');
}
