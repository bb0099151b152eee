/** Reads the tests of a policy file. */

import { nameProblem, quoteName } from '../../../kernel/names.ts';
import type { Effect } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import type { CheckState, PolicyFileTest } from '../../policy-file.ts';
import { readFields, readNonEmptyFields } from './read-fields.ts';
import { targetOrProblem } from './read-target.ts';
import { readChoice, readJsonObject, readName, readPath, readTextNode, type NodeReader } from './read-values.ts';

type TestTarget = Pick<PolicyFileTest, 'tool' | 'server'>;

const readNamePart: NodeReader<string> = (node, name, report) => {
  const text = readName(node, name, report);
  const problem = text === undefined ? undefined : nameProblem(text, defaultLimits.nameLength);
  return problem === undefined ? text : report.problem(node.at, `${name} ${problem}`);
};

const readToolAndServer = readFields<{ tool: string; server: string }>({ tool: readNamePart, server: readNamePart });

const readTestCall: NodeReader<TestTarget> = (node, name, report) => {
  if (node.type === 'map') {
    const fields = readToolAndServer(node, name, report);
    if (fields === undefined) return undefined;
    if (!fields.entries.has('tool')) report.problem(node.at, 'call has no tool; write "tool: …"');
    return { ...fields.values, tool: fields.values.tool ?? '' };
  }
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const target = targetOrProblem(given.value);
  if (typeof target === 'string') return report.problem(node.at, target);
  if (target.type !== 'tool') return report.problem(node.at, `call is ${quoteName(given.value)}; name one tool`);
  const { tool, server } = target;
  return server === undefined ? { tool } : { tool, server };
};

interface TestFields {
  name: string;
  call: TestTarget;
  args: JsonObject;
  cwd: string;
  state: CheckState;
  expect: Effect;
  rule: string;
}

const readTestFields = readFields<TestFields>({
  name: readName,
  call: readTestCall,
  args: readJsonObject,
  cwd: readPath,
  state: readNonEmptyFields<CheckState>({ session: readJsonObject, turn: readJsonObject }),
  expect: readChoice('allow', 'ask', 'deny'),
  rule: readName,
});

export const readTest: NodeReader<PolicyFileTest> = (node, _name, report) => {
  const fields = readTestFields(node, 'a test', report);
  if (fields === undefined) return undefined;
  const { entries, values } = fields;
  if (!entries.has('call')) report.problem(node.at, 'a test has no call; write "call: …" with the tool to call');
  if (!entries.has('expect'))
    report.problem(node.at, 'a test has no expect; write "expect: allow", "expect: ask" or "expect: deny"');
  const { call, expect, args = {}, ...rest } = values;
  if (call === undefined || expect === undefined) return undefined;
  return { ...rest, ...call, args, expect, at: report.positionOf(node.at) };
};
