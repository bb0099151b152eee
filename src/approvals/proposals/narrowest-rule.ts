/** The narrowest rule that covers a call and similar ones: the same commands, the same files, or the same host. */

import { isDeepStrictEqual } from 'node:util';
import type { ProposalSubject } from '../../kernel/approval.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { argumentNames } from '../../kernel/catalog/argument-names.ts';
import { argumentPathText, findDeclaredArguments, plainName } from '../../facts/declared-arguments.ts';
import { hostOfUrl } from '../../facts/net/host-of-url.ts';
import { parseUrl } from '../../facts/net/parse-url.ts';
import { readsInsideFact } from '../../facts/paths/inside-facts.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import { runsOnlyFact } from '../../facts/shell/conditions/call-facts.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { commandsOfLine } from './read-only-commands-of-line.ts';
import type { AddressesRule, CommandsRule, FilesRule, ProposedRule, RuleFile } from './proposed-rule.ts';

/** At most one applies: each kind is for tools that do nothing else. */
export function narrowestRule(subject: ProposalSubject): ProposedRule | undefined {
  return commandsRule(subject) ?? filesRule(subject) ?? addressesRule(subject);
}

/** A rule about command lines: the same programs and subcommands, in the same folder. */
function commandsRule(subject: ProposalSubject): CommandsRule | undefined {
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

/** A rule about tools that read and write files: the same files, with any other arguments. */
function filesRule(subject: ProposalSubject): FilesRule | undefined {
  const { call, tool } = subject;
  const places = pathArguments(tool);
  const files = places.length === 0 ? undefined : filesOf(subject, places);
  const open = openArguments(tool, Object.keys(call.args)).filter((name) => !places.includes(name));
  const isDeclared = Object.keys(call.args).every((name) => places.includes(name) || open.includes(name));
  // Without open arguments, the rule would cover exactly this call.
  if (files === undefined || open.length === 0 || !isDeclared || !open.every(isPlainName)) return undefined;
  return { kind: 'files', server: call.server ?? null, tool: call.tool, files, open };
}

/** The path arguments of a tool that declares how it uses them and does nothing else; otherwise none. */
function pathArguments({ touches = {}, commands = [], paths = [] }: ToolDeclaration): readonly string[] {
  const { bash = [], folder, reads = [], writes = [], urls = [] } = touches;
  const declared = [...reads, ...writes];
  const touchesMore = bash.length + urls.length + commands.length > 0 || folder !== undefined;
  if (touchesMore || declared.length === 0) return [];
  const names = [...new Set([...declared, ...paths].map(plainName))];
  return names.every(isPlainName) ? names : [];
}

/** The resolved paths of the arguments: exactly what the tool opens. */
function filesOf({ call, paths }: ProposalSubject, places: readonly string[]): readonly RuleFile[] | undefined {
  const found = findDeclaredArguments(call.args, places);
  const files = found.flatMap(({ at, problem }) => {
    const path = problem === undefined ? checkedPathAt(at, paths) : undefined;
    return path === undefined ? [] : [{ at: argumentPathText(at), path }];
  });
  return files.length === 0 || files.length !== found.length ? undefined : files;
}

function openArguments(tool: ToolDeclaration, given: readonly string[]): readonly string[] {
  const aliases = Object.keys(tool.aliases?.args ?? {});
  const names = Array.from(argumentNames(tool) ?? given).filter((name) => !aliases.includes(name));
  return [...new Set(names)].toSorted();
}

/** A rule about tools that open URLs: the same scheme, host and port, with all other arguments equal. */
function addressesRule({ call, tool }: ProposalSubject): AddressesRule | undefined {
  const argument = addressArgument(tool);
  const origin = argument === undefined ? undefined : originOf(call.args[argument]);
  if (argument === undefined || origin === undefined) return undefined;
  const rest = withoutArguments(call.args, [argument]);
  return { kind: 'addresses', server: call.server ?? null, tool: call.tool, argument, origin, rest };
}

function addressArgument({ touches = {}, commands = [], paths = [] }: ToolDeclaration): string | undefined {
  const { bash = [], folder, reads = [], writes = [], urls = [] } = touches;
  const touchesMore = bash.length + reads.length + writes.length + commands.length + paths.length > 0;
  return touchesMore || folder !== undefined ? undefined : onlyArgument(urls);
}

/** Undefined for a URL that programs parse differently, or that contains credentials. */
function originOf(address: unknown): string | undefined {
  const url = typeof address === 'string' && typeof hostOfUrl(address) === 'string' ? parseUrl(address) : undefined;
  if (url === undefined || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  return url.origin;
}

/** The only declared argument, if it is a whole argument and not a part of one. */
function onlyArgument(declared: readonly string[]): string | undefined {
  const [name] = declared;
  return declared.length === 1 && name !== undefined && isPlainName(name) ? name : undefined;
}

function isPlainName(name: string): boolean {
  return /^\w+$/.test(name);
}

function withoutArguments(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** The path that the argument at this place was resolved to, if all checks agree. */
function checkedPathAt(at: CheckedPath['at'], paths: readonly CheckedPath[]): string | undefined {
  const found = new Set(paths.filter((each) => isDeepStrictEqual(each.at, at)).map(({ path }) => path));
  const [path] = found;
  return found.size === 1 ? path : undefined;
}
