/** Names, paths and targets in a policy file. */

import { messageOf } from '../../../kernel/errors.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { nameProblem, quoteName } from '../../../kernel/names.ts';
import type { Target } from '../../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../../kernel/policy/rules/target.ts';
import type { LocatedText } from '../../policy-file.ts';
import { about, line, list, named, oneOrMore, readTextNode, refined, textSchema, type Shape } from './shape.ts';

const { nameLength } = defaultLimits;
/** `server/tool` */
const targetLength = 2 * nameLength + 1;

export const name = named('name', line(nameLength));
export const names = named('names', list(name));

export const path = named('path', line(4096));
export const locatedPaths = named('paths', oneOrMore(refined(path, locate)));

function locate(
  text: string,
  node: { readonly at: number },
  report: Parameters<Shape<string>['read']>[2],
): LocatedText {
  return { text, at: report.positionOf(node.at) };
}

/** The target, or a message that explains why the string is not one. */
export function targetOrProblem(text: string): Target | string {
  let target: Target;
  try {
    target = parseTarget(text);
  } catch (error) {
    return messageOf(error);
  }
  const parts = [target.type === 'all' ? undefined : target.server, target.type === 'tool' ? target.tool : undefined];
  for (const part of parts) {
    const problem = part === undefined ? undefined : nameProblem(part, nameLength);
    if (problem !== undefined) return `the target ${quoteName(text)} has a part that ${problem}`;
  }
  return target;
}

const target: Shape<LocatedText> = {
  read: (node, key, report) => {
    const given = readTextNode(node, key, report);
    if (given === undefined) return undefined;
    const problem = targetOrProblem(given.value);
    if (typeof problem === 'string') return report.problem(node.at, problem);
    return locate(given.value, node, report);
  },
  schema: textSchema(targetLength, '^(\\*|[^\\s/*]([^/*]*[^\\s/*])?(/\\*|/[^\\s*]([^*]*[^\\s*])?)?)$'),
};

export const targets = named(
  'targets',
  oneOrMore(
    named(
      'target',
      about('tool, server/tool, server/* or *.', target, ['view_file', 'github/search', 'github/*', '*']),
    ),
  ),
);

/** The one tool that a test calls. */
export const toolTarget: Shape<{ readonly tool: string; readonly server?: string }> = named(
  'toolTarget',
  about('tool or server/tool.', {
    read: (node, key, report) => {
      const given = readTextNode(node, key, report);
      if (given === undefined) return undefined;
      const called = targetOrProblem(given.value);
      if (typeof called === 'string') return report.problem(node.at, called);
      if (called.type !== 'tool') return report.problem(node.at, `${key} is ${quoteName(given.value)}; name one tool`);
      const { tool, server } = called;
      return server === undefined ? { tool } : { tool, server };
    },
    schema: textSchema(targetLength, '^[^\\s/*]([^/*]*[^\\s/*])?(/[^\\s*]([^*]*[^\\s*])?)?$'),
  }),
);

/** A tool or server in a mapping of its own, where it may contain a "/". */
export const plainName = named('plainName', {
  read: (node, key, report) => {
    const text = name.read(node, key, report);
    const problem = text === undefined ? undefined : nameProblem(text, nameLength);
    return problem === undefined ? text : report.problem(node.at, `${key} ${problem}`);
  },
  schema: textSchema(nameLength, '^[^\\s*]([^*]*[^\\s*])?$'),
} satisfies Shape<string>);

export const serverName: Shape<string> = named(
  'serverName',
  about('The name of an MCP server.', {
    read: (node, key, report) => {
      const text = name.read(node, key, report);
      if (text === undefined) return undefined;
      const problem = nameProblem(text, nameLength) ?? (text.includes('/') ? 'contains a "/"' : undefined);
      return problem === undefined ? text : report.problem(node.at, `the server ${quoteName(text)} ${problem}`);
    },
    schema: textSchema(nameLength, '^[^\\s/*]([^/*]*[^\\s/*])?$'),
  }),
);
