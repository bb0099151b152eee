/** Checks that names are unique, and that servers in targets are declared. */

import { didYouMean, quoteName } from '../../../kernel/names.ts';
import type { FilePosition, PolicyFile } from '../../policy-file.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { targetOrProblem } from './read-target.ts';

/** Limits the time for comparing names. */
const maxCompared = 50;

export function checkNames(policyFile: PolicyFile, report: FileReport): void {
  const { servers, rules, tools } = policyFile;
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
