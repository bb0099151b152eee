/** The shapes of MCP servers and of tools. */

import { defaultLimits } from '../../../kernel/limits.ts';
import { nameProblem, quoteName } from '../../../kernel/names.ts';
import type { ServerDeclaration } from '../../../kernel/tool.ts';
import type { FilePosition, PolicyFileTool } from '../../policy-file.ts';
import type { MapEntry } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { argumentSchema } from './json-object.ts';
import { name, names, plainName, serverName, targetOrProblem, toolTarget } from './name-shapes.ts';
import { about, choice, fields, named, refined, reportWrongKind, type Shape } from './shape.ts';

/** Path arguments by tool. */
const pathArguments: Shape<NonNullable<ServerDeclaration['paths']>> = {
  read: (node, key, report) => {
    if (node.type !== 'map') return reportWrongKind(node, key, report)('a mapping of tools to lists of arguments');
    const paths: Record<string, readonly string[]> = {};
    for (const { key: tool, at, value } of node.entries) {
      const problem = tool === '__proto__' ? 'is not a valid name' : nameProblem(tool, defaultLimits.nameLength);
      if (problem !== undefined) report.problem(at, `the tool ${quoteName(tool)} ${problem}`);
      else paths[tool] = names.read(value, `${key} of ${quoteName(tool)}`, report) ?? [];
    }
    return paths;
  },
  schema: (definitions) => ({
    type: 'object',
    propertyNames: plainName.schema(definitions),
    additionalProperties: names.schema(definitions),
  }),
};

const serverFields = refined(
  fields(
    {
      name: serverName,
      enabledTools: about('Only these tools of the server can be called.', names),
      disabledTools: about('These tools of the server cannot be called.', names),
      paths: about('For each tool, the arguments that contain paths.', pathArguments, [
        { read: ['path'], edit: ['edits[].path'] },
      ]),
    },
    {
      title: 'a server',
      required: { name: 'a server has no name; write "name: …"' },
      schema: { not: { required: ['enabledTools', 'disabledTools'] } },
    },
  ),
  ({ values, entries }, { report }): ServerDeclaration => {
    const disabled = entries.get('disabledTools');
    if (disabled !== undefined && entries.has('enabledTools'))
      report.problem(disabled.at, 'a server has both enabledTools and disabledTools; keep one of them');
    return { ...values, name: values.name ?? '' };
  },
);

export const server: Shape<ServerDeclaration & { readonly at: FilePosition }> = named(
  'server',
  about(
    'An MCP server: its name, or a mapping.',
    {
      read: (node, _key, report) => {
        const at = report.positionOf(node.at);
        if (node.type !== 'scalar') {
          const declared = serverFields.read(node, 'a server', report);
          return declared && { ...declared, at };
        }
        const text = serverName.read(node, 'a server', report);
        return text === undefined ? undefined : { name: text, at };
      },
      schema: (definitions) => ({ oneOf: [serverName.schema(definitions), serverFields.schema(definitions)] }),
    },
    ['github', { name: 'files', disabledTools: ['move'], paths: { read: ['path'] } }],
  ),
);

const touches = refined(
  fields(
    {
      bash: about('Arguments that bash runs.', names),
      folder: about('The argument with the folder in which bash runs.', name),
      reads: about('Path arguments that are only read.', names),
      writes: about('Path arguments that are written.', names),
      urls: about('Arguments that contain URLs.', names),
    },
    { nonEmpty: true },
  ),
  ({ values }) => values,
);

const toolFields = fields({
  tier: about('observe: no side effects. confirm: side effects. Default: confirm.', choice('observe', 'confirm')),
  args: about('The names of its arguments.', names),
  paths: about('Arguments that contain paths.', names, [['target'], ['edits[].path']]),
  touches: about('What its arguments touch. Facts in conditions use this.', touches),
  schema: about('A JSON Schema of its arguments. A call whose arguments do not fit is denied.', argumentSchema),
});

const tool = named('tool', about('The declaration of a tool.', toolFields));

/** Tools by their targets. */
export const tools: Shape<readonly PolicyFileTool[]> = {
  read: (node, key, report) => {
    if (node.type !== 'map')
      return reportWrongKind(node, key, report)('a mapping of tools, such as "deploy: { tier: confirm }"');
    return node.entries.flatMap((entry) => readTool(entry, report) ?? []);
  },
  schema: (definitions) => ({
    type: 'object',
    propertyNames: toolTarget.schema(definitions),
    additionalProperties: tool.schema(definitions),
  }),
};

function readTool({ key, at, value }: MapEntry, report: FileReport): PolicyFileTool | undefined {
  const target = targetOrProblem(key);
  if (typeof target === 'string') return report.problem(at, target);
  if (target.type !== 'tool')
    return report.problem(at, `${quoteName(key)} is not a single tool; list each tool by name`);
  const declared = tool.read(value, `the tool ${quoteName(key)}`, report);
  if (declared === undefined) return undefined;
  const { paths = [], touches: touched = {} } = declared.values;
  for (const part of ['reads', 'writes'] as const) {
    const unlisted = touched[part]?.find((each) => !paths.includes(each));
    const where = declared.entries.get('touches')?.at ?? at;
    // Workspaces check `paths` only, so a file that a tool touches through another argument would escape them.
    if (unlisted !== undefined)
      report.problem(where, `${part} lists ${quoteName(unlisted)}, which is not in paths; add it there`);
  }
  return { target: { text: key, at: report.positionOf(at) }, ...declared.values };
}
