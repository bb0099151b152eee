/**
 * Parses the text of a policy file. A file is accepted or rejected as a whole; an error lists every problem with its
 * position. Size, nesting and the number of parts are bounded for any input.
 */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import { didYouMean, quoteName } from '../../kernel/names.ts';
import type { FilePosition, PolicyFile } from '../policy-file.ts';
import { migrate, type Migration, migrations } from './migrations.ts';
import { policyFileShape } from './policy-schema.ts';
import { targetOrProblem } from './shapes/name-shapes.ts';
import { describeNode } from './shapes/shape.ts';
import { checkCharacters } from './syntax/check-characters.ts';
import { FileReport } from './syntax/file-report.ts';
import { jsonNodes } from './syntax/json-nodes.ts';
import { yamlNodes } from './syntax/yaml-nodes.ts';

/** Parses YAML, or strict JSON if `file` ends in `.json`. Throws `POLICY_FILE` with every problem. */
export function parsePolicyFile(text: string, file: string): PolicyFile {
  return parseWithMigrations(text, file, migrations);
}

/** {@link parsePolicyFile} with the migrations of another version of Bridle. */
export function parseWithMigrations(text: string, file: string, steps: readonly Migration[]): PolicyFile {
  // A byte order mark does not count as a character of the first line.
  const content = text.startsWith('\ufeff') ? text.slice(1) : text;
  const report = new FileReport(file, content);
  let policyFile: PolicyFile | undefined;
  try {
    if (checkCharacters(content, report)) policyFile = parseRoot(content, steps, report);
  } catch (error) {
    // Any error, including a stack overflow, rejects the file.
    report.problem(0, `the file cannot be read: ${messageOf(error)}`);
  }
  report.throwIfAny();
  if (policyFile !== undefined) return policyFile;
  throw new BridleError('POLICY_FILE', `${file}:1:1: the file cannot be read`);
}

function parseRoot(text: string, steps: readonly Migration[], report: FileReport): PolicyFile | undefined {
  const { file } = report;
  const root = file.endsWith('.json') ? jsonNodes(text, report) : yamlNodes(text, report);
  if (root === undefined) return undefined;
  if (root.type !== 'map') {
    return report.problem(root.at, `the file is ${describeNode(root)}; write a mapping that begins with "version: 1"`);
  }
  const migrated = migrate(root, steps, report);
  const read = migrated && policyFileShape.read(migrated.root, 'a policy file', report);
  if (read === undefined) return undefined;
  const { migratedFrom } = migrated ?? {};
  const empty = { version: 1, extends: [], tools: [], rules: [], tests: [] } as const;
  const policyFile = { file, ...empty, ...read.values, ...(migratedFrom !== undefined && { migratedFrom }) };
  checkNames(policyFile, report);
  return policyFile;
}

/** Limits the time for comparing names. */
const maxCompared = 50;

/** Checks that names are unique, and that servers in targets are declared. */
function checkNames({ servers, rules, tools }: PolicyFile, report: FileReport): void {
  // Decisions name their rule, so a name must belong to one rule.
  checkUnique('two rules are named', rules, report);
  if (servers === undefined) return;
  checkUnique('two servers are named', servers, report);
  const names = new Set(servers.map((server) => server.name));
  for (const { text, at } of [...rules.flatMap((rule) => rule.targets), ...tools.map((tool) => tool.target)]) {
    const target = targetOrProblem(text);
    const server = typeof target === 'string' || target.type === 'all' ? undefined : target.server;
    if (server === undefined || names.has(server)) continue;
    report.problem(at, () => {
      const near = names.size > maxCompared ? '' : didYouMean(server, names);
      return `the server ${quoteName(server)} is not in servers${near || '; add it there, or remove servers'}`;
    });
  }
}

interface Named {
  readonly name?: string | undefined;
  readonly at: FilePosition;
}

function checkUnique(what: string, list: readonly Named[], report: FileReport): void {
  const first = new Map<string, FilePosition>();
  for (const { name, at } of list) {
    const other = name === undefined ? undefined : first.get(name);
    if (other !== undefined) report.problem(at, `${what} ${quoteName(name)}; the other one is on line ${other.line}`);
    else if (name !== undefined) first.set(name, at);
  }
}
