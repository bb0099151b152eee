/**
 * From the text of a policy file to data. A file is taken whole or refused whole, with every problem at its place;
 * reading is bounded in size, depth and parts whatever the text is.
 */

import type { Effect } from '../call.ts';
import { BridleError, messageOf } from '../errors.ts';
import type { PolicyDocument } from './document.ts';
import { checkCharacters } from './document-characters.ts';
import { checkNames } from './document-names.ts';
import { readFields } from './document-fields.ts';
import { jsonNodes } from './document-json.ts';
import { DocumentReport } from './document-report.ts';
import { readRule } from './document-rule.ts';
import { readServer, readTools } from './document-server.ts';
import { readTest } from './document-test.ts';
import {
  kindOfNode,
  readChoice,
  readFlag,
  readList,
  readPlaced,
  readSome,
  wrongKind,
  type Read,
} from './document-values.ts';
import { yamlNodes } from './yaml-nodes.ts';

/** Reads YAML, or strict JSON where `file` ends in `.json`. Throws `POLICY_FILE` with every problem. */
export function readDocument(text: string, file: string): PolicyDocument {
  // A byte order mark is no character of the first line.
  const given = text.startsWith('\ufeff') ? text.slice(1) : text;
  const report = new DocumentReport(file, given);
  let document: PolicyDocument | undefined;
  try {
    if (checkCharacters(given, report)) document = documentOf(given, report);
  } catch (error) {
    // Whatever goes wrong while reading, a stack overflow included, refuses the file.
    report.problem(0, `the file cannot be read: ${messageOf(error)}`);
  }
  report.refuse();
  if (document !== undefined) return document;
  throw new BridleError('POLICY_FILE', `${file}:1:1: the file cannot be read`);
}

function documentOf(text: string, report: DocumentReport): PolicyDocument | undefined {
  const root = report.file.endsWith('.json') ? jsonNodes(text, report) : yamlNodes(text, report);
  if (root === undefined) return undefined;
  if (root.type !== 'map') {
    return report.problem(root.at, `the file is ${kindOfNode(root)}; write a mapping that begins with "version: 1"`);
  }
  const fields = readDocumentFields(root, 'a policy file', report);
  if (fields === undefined) return undefined;
  if (!fields.entries.has('version')) report.problem(root.at, 'the version is missing; begin with "version: 1"');
  const { file } = report;
  const document = { file, version: 1, extends: [], tools: [], rules: [], tests: [], ...fields.values } as const;
  checkNames(document, report);
  return document;
}

const readVersion: Read<1> = (node, name, report) => {
  if (node.type === 'scalar' && node.value === 1 && node.raw === '1') return 1;
  if (node.type !== 'scalar' || typeof node.value !== 'number') return wrongKind(node, name, report)('"version: 1"');
  return report.problem(node.at, `version ${node.raw} is not known; this Bridle reads version 1`);
};

type DocumentFields = Omit<PolicyDocument, 'file'>;

const readDocumentFields = readFields<DocumentFields>({
  version: readVersion,
  default: readChoice<Effect>('allow', 'ask', 'deny'),
  strict: readFlag,
  extends: readSome(readPlaced),
  workspaces: readSome(readPlaced),
  servers: readList(readServer, 200),
  tools: readTools,
  rules: readList(readRule),
  tests: readList(readTest),
});
