/** Names, paths and targets in a policy file. */

import { messageOf } from '../../../kernel/errors.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { nameProblem, quoteName } from '../../../kernel/names.ts';
import type { Target } from '../../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../../kernel/policy/rules/target.ts';
import type { LocatedText } from '../../policy-file.ts';
import { about, line, list, named, oneOrMore, refined, text } from './shape.ts';

const { nameLength } = defaultLimits;
/** `server/tool` */
const targetLength = 2 * nameLength + 1;

export const name = named('name', line(nameLength));
export const names = named('names', list(name));

export const path = named('path', line(4096));
export const locatedPaths = named(
  'paths',
  oneOrMore(refined(path, (given, { node, report }) => ({ text: given, at: report.positionOf(node.at) }))),
);

/** Hook modules are loaded as ES modules, whatever the package around them says. */
const hookModule = refined(line(4096, '\\S\\.m?[jt]s$'), (given, { node, report }): LocatedText | undefined => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(given))
    return report.problem(node.at, `the hook module ${quoteName(given)} is a URL; name a file`);
  if (!/[^/]\.m?[jt]s$/.test(given))
    return report.problem(
      node.at,
      `the hook module ${quoteName(given)} is not an ES module; name a file that ends in .mjs, .js, .mts or .ts`,
    );
  return { text: given, at: report.positionOf(node.at) };
});
export const hookModules = named('hookModules', oneOrMore(named('hookModule', hookModule), 50));

/** The target, or a message that explains why the string is not one. */
export function targetOrProblem(given: string): Target | string {
  let target: Target;
  try {
    target = parseTarget(given);
  } catch (error) {
    return messageOf(error);
  }
  const parts = [target.type === 'all' ? undefined : target.server, target.type === 'tool' ? target.tool : undefined];
  for (const part of parts) {
    const problem = part === undefined ? undefined : nameProblem(part, nameLength);
    if (problem !== undefined) return `the target ${quoteName(given)} has a part that ${problem}`;
  }
  return target;
}

const anyTarget = text(targetLength, '^(\\*|[^\\s/*]([^/*]*[^\\s/*])?(/\\*|/[^\\s*]([^*]*[^\\s*])?)?)$');
const target = refined(anyTarget, ({ value, at }, { report }): LocatedText | undefined => {
  const parsed = targetOrProblem(value);
  return typeof parsed === 'string' ? report.problem(at, parsed) : { text: value, at: report.positionOf(at) };
});
const targetExamples = ['view_file', 'github/search', 'github/*', '*'];
export const targets = named(
  'targets',
  oneOrMore(named('target', about('tool, server/tool, server/* or *.', target, targetExamples))),
);

/** The one tool that a test calls. */
export const toolTarget = named(
  'toolTarget',
  about(
    'tool or server/tool.',
    refined(
      text(targetLength, '^[^\\s/*]([^/*]*[^\\s/*])?(/[^\\s*]([^*]*[^\\s*])?)?$'),
      ({ value, at }, { name: key, report }) => {
        const called = targetOrProblem(value);
        if (typeof called === 'string') return report.problem(at, called);
        if (called.type !== 'tool') return report.problem(at, `${key} is ${quoteName(value)}; name one tool`);
        const { tool, server } = called;
        return server === undefined ? { tool } : { tool, server };
      },
    ),
  ),
);

/** A tool or server in a mapping of its own, where it may contain a "/". */
export const plainName = named(
  'plainName',
  refined(line(nameLength, '^[^\\s*]([^*]*[^\\s*])?$'), (given, { node, name: key, report }) => {
    const problem = nameProblem(given, nameLength);
    return problem === undefined ? given : report.problem(node.at, `${key} ${problem}`);
  }),
);

export const serverName = named(
  'serverName',
  about(
    'The name of an MCP server.',
    refined(line(nameLength, '^[^\\s/*]([^/*]*[^\\s/*])?$'), (given, { node, report }) => {
      const problem = nameProblem(given, nameLength) ?? (given.includes('/') ? 'contains a "/"' : undefined);
      return problem === undefined ? given : report.problem(node.at, `the server ${quoteName(given)} ${problem}`);
    }),
  ),
);
