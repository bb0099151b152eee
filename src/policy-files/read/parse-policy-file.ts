/**
 * Parses the text of a policy file. A file is accepted or rejected as a whole; an error lists every problem with its
 * position. Size, nesting and the number of parts are bounded for any input.
 */

import type { Effect } from '../../kernel/call.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { PolicyFile } from '../policy-file.ts';
import { checkCharacters } from './syntax/check-characters.ts';
import { checkNames } from './fields/check-names.ts';
import { readFields } from './fields/read-fields.ts';
import { jsonNodes } from './syntax/json-nodes.ts';
import { FileReport } from './syntax/file-report.ts';
import { readRule } from './fields/read-rule.ts';
import { readServer, readTools } from './fields/read-servers-and-tools.ts';
import { readTest } from './fields/read-test.ts';
import {
  describeNode,
  readChoice,
  readBoolean,
  readList,
  readLocatedPath,
  readOneOrMore,
  reportWrongKind,
  type NodeReader,
} from './fields/read-values.ts';
import { yamlNodes } from './syntax/yaml-nodes.ts';

/** Parses YAML, or strict JSON if `file` ends in `.json`. Throws `POLICY_FILE` with every problem. */
export function parsePolicyFile(text: string, file: string): PolicyFile {
  // A byte order mark does not count as a character of the first line.
  const content = text.startsWith('\ufeff') ? text.slice(1) : text;
  const report = new FileReport(file, content);
  let policyFile: PolicyFile | undefined;
  try {
    if (checkCharacters(content, report)) policyFile = parseRoot(content, report);
  } catch (error) {
    // Any error, including a stack overflow, rejects the file.
    report.problem(0, `the file cannot be read: ${messageOf(error)}`);
  }
  report.throwIfAny();
  if (policyFile !== undefined) return policyFile;
  throw new BridleError('POLICY_FILE', `${file}:1:1: the file cannot be read`);
}

function parseRoot(text: string, report: FileReport): PolicyFile | undefined {
  const root = report.file.endsWith('.json') ? jsonNodes(text, report) : yamlNodes(text, report);
  if (root === undefined) return undefined;
  if (root.type !== 'map') {
    return report.problem(root.at, `the file is ${describeNode(root)}; write a mapping that begins with "version: 1"`);
  }
  const fields = readPolicyFileFields(root, 'a policy file', report);
  if (fields === undefined) return undefined;
  if (!fields.entries.has('version')) report.problem(root.at, 'the version is missing; begin with "version: 1"');
  const { file } = report;
  const policyFile = { file, version: 1, extends: [], tools: [], rules: [], tests: [], ...fields.values } as const;
  checkNames(policyFile, report);
  return policyFile;
}

const readVersion: NodeReader<1> = (node, name, report) => {
  if (node.type === 'scalar' && node.value === 1 && node.raw === '1') return 1;
  if (node.type !== 'scalar' || typeof node.value !== 'number')
    return reportWrongKind(node, name, report)('"version: 1"');
  return report.problem(node.at, `version ${node.raw} is not supported; this version of Bridle reads version 1`);
};

type PolicyFileFields = Omit<PolicyFile, 'file'>;

const readPolicyFileFields = readFields<PolicyFileFields>({
  version: readVersion,
  default: readChoice<Effect>('allow', 'ask', 'deny'),
  strict: readBoolean,
  extends: readOneOrMore(readLocatedPath),
  workspaces: readOneOrMore(readLocatedPath),
  servers: readList(readServer, 200),
  tools: readTools,
  rules: readList(readRule),
  tests: readList(readTest),
});
