/** Reads the tests of a policy file. */

import { nameProblem, quoteName } from '../catalog/names.ts';
import type { Effect } from '../call.ts';
import type { JsonObject } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import type { DocumentState, DocumentTest } from './document.ts';
import { readFields, readSomeFields } from './document-fields.ts';
import { targetOf } from './document-target.ts';
import { readChoice, readData, readName, readPath, readTextNode, type Read } from './document-values.ts';

type TestedCall = Pick<DocumentTest, 'tool' | 'server'>;

const readPart: Read<string> = (node, name, report) => {
  const text = readName(node, name, report);
  const problem = text === undefined ? undefined : nameProblem(text, defaultLimits.nameLength);
  return problem === undefined ? text : report.problem(node.at, `${name} ${problem}`);
};

const readPair = readFields<{ tool: string; server: string }>({ tool: readPart, server: readPart });

const readCall: Read<TestedCall> = (node, name, report) => {
  if (node.type === 'map') {
    const pair = readPair(node, name, report);
    if (pair === undefined) return undefined;
    if (!pair.entries.has('tool')) report.problem(node.at, 'call has no tool; write "tool: …"');
    return { ...pair.values, tool: pair.values.tool ?? '' };
  }
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const target = targetOf(given.value);
  if (typeof target === 'string') return report.problem(node.at, target);
  if (target.type !== 'tool') return report.problem(node.at, `call is ${quoteName(given.value)}; name one tool`);
  const { tool, server } = target;
  return server === undefined ? { tool } : { tool, server };
};

interface TestFields {
  name: string;
  call: TestedCall;
  args: JsonObject;
  cwd: string;
  state: DocumentState;
  expect: Effect;
  rule: string;
}

const readTestFields = readFields<TestFields>({
  name: readName,
  call: readCall,
  args: readData,
  cwd: readPath,
  state: readSomeFields<DocumentState>({ session: readData, turn: readData }),
  expect: readChoice('allow', 'ask', 'deny'),
  rule: readName,
});

export const readTest: Read<DocumentTest> = (node, _name, report) => {
  const fields = readTestFields(node, 'a test', report);
  if (fields === undefined) return undefined;
  const { entries, values } = fields;
  if (!entries.has('call')) report.problem(node.at, 'a test has no call; write "call: …" with the tool to call');
  if (!entries.has('expect')) report.problem(node.at, 'a test expects nothing; write "expect: allow", ask or deny');
  const { call, expect, args = {}, ...rest } = values;
  if (call === undefined || expect === undefined) return undefined;
  return { ...rest, ...call, args, expect, at: report.place(node.at) };
};
