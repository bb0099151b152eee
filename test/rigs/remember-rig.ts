/** Calls of built-in tools, as a guard passes them to rule proposals. */

import type { JsonObject, ToolCall, ToolDeclaration } from 'bridle';
import type { ProposalSubject } from '../../src/kernel/approval.ts';
import { resolvePath } from 'bridle/facts';
import { builtinTools } from 'bridle/tools';
import { findDeclaredArguments } from '../../src/facts/declared-arguments.ts';

export interface Subjects {
  /** A call of a tool with its paths checked as by `workspaceOnly`, but without limits. */
  readonly of: (tool: ToolDeclaration | string, args: JsonObject, call?: Partial<ToolCall>) => ProposalSubject;
  readonly command: (line: string, more?: JsonObject) => ProposalSubject;
}

export function subjects(cwd: string): Subjects {
  const of: Subjects['of'] = (given, args, more = {}) => {
    const tool = typeof given === 'string' ? builtinTool(given) : given;
    const call = { tool: tool.name, server: tool.server, args, cwd, ...more } as ToolCall;
    const paths = findDeclaredArguments(args, tool.paths ?? []).flatMap(({ at, value }) => {
      const resolution = resolvePath(value, { cwd, at });
      return resolution.type === 'resolved' ? [resolution.checked] : [];
    });
    return { call, tool, paths };
  };
  return { of, command: (line, more = {}) => of('run_command', { command_line: line, ...more }) };
}

function builtinTool(name: string): ToolDeclaration {
  const tool = builtinTools.find((each) => each.name === name);
  if (tool === undefined) throw new RangeError(`no tool ${name}`);
  return tool;
}
