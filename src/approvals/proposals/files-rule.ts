/** Proposes rules about tools that read and write files: the same files, with any other arguments. */

import type { ProposalSubject } from '../../kernel/approval.ts';
import { argumentNames } from '../../kernel/catalog/argument-names.ts';
import { findDeclaredArguments, plainName, argumentPathText } from '../../facts/declared-arguments.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FilesRule, RuleFile } from './proposed-rule.ts';
import { checkedPathAt, isPlainName } from './rule-arguments.ts';

export function filesRule(subject: ProposalSubject): FilesRule | undefined {
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
