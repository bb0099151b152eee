/** Reads the MCP servers and tools of a policy file. */

import { nameProblem, quoteName } from '../../../kernel/names.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import type { ServerDeclaration, ToolTouches } from '../../../kernel/tool.ts';
import type { PolicyFileTool, FilePosition } from '../../policy-file.ts';
import { readFields, readNonEmptyFields } from './read-fields.ts';
import type { MapEntry } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { targetOrProblem } from './read-target.ts';
import { readArgumentSchema } from './argument-schema.ts';
import { readChoice, readList, readName, reportWrongKind, type NodeReader } from './read-values.ts';

type PolicyFileServer = ServerDeclaration & { readonly at: FilePosition };

const readNames = readList(readName);

const readServerName: NodeReader<string> = (node, name, report) => {
  const text = readName(node, name, report);
  if (text === undefined) return undefined;
  const problem = nameProblem(text, defaultLimits.nameLength) ?? (text.includes('/') ? 'contains a "/"' : undefined);
  return problem === undefined ? text : report.problem(node.at, `the server ${quoteName(text)} ${problem}`);
};

/** Path arguments by tool. */
const readPathArguments: NodeReader<NonNullable<ServerDeclaration['paths']>> = (node, name, report) => {
  if (node.type !== 'map') return reportWrongKind(node, name, report)('a mapping of tools to lists of arguments');
  const paths: Record<string, readonly string[]> = {};
  for (const { key, at, value } of node.entries) {
    const problem = key === '__proto__' ? 'is not a valid name' : nameProblem(key, defaultLimits.nameLength);
    if (problem !== undefined) report.problem(at, `the tool ${quoteName(key)} ${problem}`);
    else paths[key] = readNames(value, `${name} of ${quoteName(key)}`, report) ?? [];
  }
  return paths;
};

const readServerFields = readFields<ServerDeclaration>({
  name: readServerName,
  enabledTools: readNames,
  disabledTools: readNames,
  paths: readPathArguments,
});

export const readServer: NodeReader<PolicyFileServer> = (node, _name, report) => {
  const at = report.positionOf(node.at);
  if (node.type === 'scalar') {
    const name = readServerName(node, 'a server', report);
    return name === undefined ? undefined : { name, at };
  }
  const fields = readServerFields(node, 'a server', report);
  if (fields === undefined) return undefined;
  const { entries, values } = fields;
  if (!entries.has('name')) report.problem(node.at, 'a server has no name; write "name: …"');
  const disabled = entries.get('disabledTools');
  if (disabled !== undefined && entries.has('enabledTools')) {
    report.problem(disabled.at, 'a server has both enabledTools and disabledTools; keep one of them');
  }
  return { ...values, name: values.name ?? '', at };
};

const readTouches = readNonEmptyFields<ToolTouches>({
  bash: readNames,
  folder: readName,
  reads: readNames,
  writes: readNames,
  urls: readNames,
});

const readToolFields = readFields<Omit<PolicyFileTool, 'target'>>({
  tier: readChoice('observe', 'confirm'),
  args: readNames,
  paths: readNames,
  touches: readTouches,
  schema: readArgumentSchema,
});

/** Tools by their targets. */
export const readTools: NodeReader<readonly PolicyFileTool[]> = (node, name, report) => {
  if (node.type !== 'map')
    return reportWrongKind(node, name, report)('a mapping of tools, such as "deploy: { tier: confirm }"');
  return node.entries.flatMap((entry) => readTool(entry, report) ?? []);
};

function readTool({ key, at, value }: MapEntry, report: FileReport): PolicyFileTool | undefined {
  const target = targetOrProblem(key);
  if (typeof target === 'string') return report.problem(at, target);
  if (target.type !== 'tool')
    return report.problem(at, `${quoteName(key)} is not a single tool; list each tool by name`);
  const fields = readToolFields(value, `the tool ${quoteName(key)}`, report);
  if (fields === undefined) return undefined;
  const { paths = [], touches = {} } = fields.values;
  for (const part of ['reads', 'writes'] as const) {
    const unlisted = touches[part]?.find((each) => !paths.includes(each));
    const where = fields.entries.get('touches')?.at ?? at;
    // Workspaces check `paths` only, so a file that a tool touches through another argument would escape them.
    if (unlisted !== undefined)
      report.problem(where, `${part} lists ${quoteName(unlisted)}, which is not in paths; add it there`);
  }
  return { target: { text: key, at: report.positionOf(at) }, ...fields.values };
}
