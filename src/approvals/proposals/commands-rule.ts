/** Proposes rules about command lines: the same programs and subcommands, in the same folder. */

import { isDeepStrictEqual } from 'node:util';
import type { ProposalSubject } from '../../kernel/approval.ts';
import { readsInsideFact } from '../../facts/paths/inside-facts.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import { runsOnlyFact } from '../../facts/shell/conditions/call-facts.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { commandsOfLine } from './read-only-commands-of-line.ts';
import { checkedPathAt, onlyArgument, withoutArguments } from './rule-arguments.ts';
import type { CommandsRule } from './proposed-rule.ts';

export function commandsRule(subject: ProposalSubject): CommandsRule | undefined {
  const { call, tool } = subject;
  const argument = lineArgument(tool);
  const line = argument === undefined ? undefined : call.args[argument];
  if (argument === undefined || typeof line !== 'string') return undefined;
  const folder = folderOf(subject);
  const commands = folder === undefined ? undefined : commandsOfLine(line);
  if (folder === undefined || commands === undefined) return undefined;
  const isCovered = runsOnlyFact(commands)(call, tool) === true;
  if (!isCovered || readsInsideFact([folder])(call, tool) !== true) return undefined;
  const rest = withoutArguments(call.args, [
    argument,
    ...(tool.touches?.folder === undefined ? [] : [tool.touches.folder]),
  ]);
  return { kind: 'commands', server: call.server ?? null, tool: call.tool, argument, folder, commands, rest };
}

/** Parses a stored rule about commands; undefined if it is not exactly one. */
export function parseCommandsRule(data: JsonValue): CommandsRule | undefined {
  if (!isJsonObject(data)) return undefined;
  const { kind, server, tool, argument, folder, commands, rest, ...others } = data;
  if (kind !== 'commands' || Object.keys(others).length > 0) return undefined;
  if (server !== null && typeof server !== 'string') return undefined;
  if (typeof tool !== 'string' || typeof argument !== 'string' || typeof folder !== 'string') return undefined;
  if (rest === undefined || !isJsonObject(rest)) return undefined;
  const given: readonly JsonValue[] = Array.isArray(commands) ? commands : [];
  const known = given.filter((command) => typeof command === 'string');
  if (known.length === 0 || known.length !== given.length) return undefined;
  return { kind, server, tool, argument, folder, commands: known, rest };
}

/** True if every command of the call is in the rule, and everything else is equal. */
export function coversCommands(rule: CommandsRule, current: CommandsRule): boolean {
  const { commands, ...same } = rule;
  const { commands: run, ...others } = current;
  return isDeepStrictEqual(same, others) && run.every((command) => commands.includes(command));
}

/** The only argument that bash runs, for a tool that does nothing else. */
function lineArgument({ touches = {}, commands = [], paths = [] }: ToolDeclaration): string | undefined {
  const { bash = [], folder, reads = [], writes = [], urls = [] } = touches;
  const argument = onlyArgument(bash);
  if (argument === undefined || (folder !== undefined && onlyArgument([folder]) === undefined)) return undefined;
  const touchesMore = reads.length + writes.length + urls.length > 0 || paths.some((path) => path !== folder);
  return touchesMore || commands.some((name) => name !== argument) ? undefined : argument;
}

/** The folder the line runs in: the checked argument, or the folder of the call. */
function folderOf({ call, tool, paths }: ProposalSubject): string | undefined {
  const named = tool.touches?.folder;
  if (named !== undefined && Object.hasOwn(call.args, named)) return checkedPathAt([named], paths);
  const resolution = call.cwd === undefined ? undefined : resolvePath(call.cwd, { cwd: '/' });
  return resolution?.type === 'resolved' ? resolution.checked.path : undefined;
}
