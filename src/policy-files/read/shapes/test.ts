/** The shape of a test. */

import type { PolicyFileTest } from '../../policy-file.ts';
import { jsonObject } from './json-object.ts';
import { name, path, plainName, toolTarget } from './name-shapes.ts';
import { about, choice, fields, named, refined, type Shape } from './shape.ts';

type CalledTool = Pick<PolicyFileTest, 'tool' | 'server'>;

const toolAndServer = refined(
  fields({ tool: plainName, server: plainName }, { required: { tool: 'call has no tool; write "tool: …"' } }),
  ({ values }): CalledTool => ({ ...values, tool: values.tool ?? '' }),
);

const call: Shape<CalledTool> = {
  read: (node, key, report) => (node.type === 'map' ? toolAndServer : toolTarget).read(node, key, report),
  schema: (definitions) => ({ oneOf: [toolTarget.schema(definitions), toolAndServer.schema(definitions)] }),
};

const state = refined(
  fields(
    { session: about('The session scope.', jsonObject), turn: about('The turn scope.', jsonObject) },
    { nonEmpty: true },
  ),
  ({ values }) => values,
);

const testFields = fields(
  {
    name: about('The name of the test, shown if it fails.', name),
    call: about('The tool: tool or server/tool, or both as a mapping.', call, [
      'run_command',
      'github/search',
      { server: 'github', tool: 'search' },
    ]),
    args: about('The arguments of the call.', jsonObject, [{ command_line: 'npm test' }]),
    cwd: about('The folder of the call, relative to the folder of the test run.', path),
    state: about('The state of the scopes for this call.', state),
    expect: about('The decision.', choice('allow', 'ask', 'deny')),
    rule: about('The name of the rule that must have decided.', name),
  },
  {
    title: 'a test',
    required: {
      call: 'a test has no call; write "call: …" with the tool to call',
      expect: 'a test has no expect; write "expect: allow", "expect: ask" or "expect: deny"',
    },
  },
);

export const test: Shape<PolicyFileTest> = named(
  'test',
  about(
    'A call and the decision that it must get.',
    refined(testFields, ({ values }, { node, report }) => {
      const { call: called, expect, args = {}, ...rest } = values;
      if (called === undefined || expect === undefined) return undefined;
      return { ...rest, ...called, args, expect, at: report.positionOf(node.at) };
    }),
    [{ call: 'run_command', args: { command_line: 'rm -rf /' }, expect: 'deny' }],
  ),
);
