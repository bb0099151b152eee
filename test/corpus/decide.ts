/** Decides every case of the hostile corpus under every policy. */

import { join } from 'node:path';
import type { LoadedPolicy } from '../../src/policy-files/loaded-policy.ts';
import { makeFolders, plant } from './folders.ts';
import { groupBy } from './group-by.ts';
import type { HostileCase } from './hostile-case.ts';
import { loadFor, policyNames, type PolicyName, policyText, protects } from './policies.ts';

type Answer = 'allow' | 'ask' | 'deny';
type NamedPolicy = readonly [PolicyName, LoadedPolicy];

export interface DecidedCase {
  readonly item: HostileCase;
  readonly answers: Readonly<Record<PolicyName, Answer>>;
  /** The policies that allow the line although they should protect against it. */
  readonly wrong: readonly PolicyName[];
}

export async function decideCases(cases: readonly HostileCase[]): Promise<DecidedCase[]> {
  const folders = makeFolders({ complete: false });
  try {
    const texts = policyNames.map((name) => [name, policyText(name, join(folders.base, 'project'))] as const);
    const decided = new Map<string, DecidedCase>();
    for (const group of groupBy(cases, ({ files = {} }) => JSON.stringify(files)).values()) {
      const project = join(folders.copy('decide'), 'project');
      plant(project, group[0]?.files);
      const policies = texts.map(([name, text]): NamedPolicy => [name, loadFor(project, text)]);
      for (const item of group) decided.set(item.id, await decideCase(item, policies));
      folders.removeCopy('decide');
    }
    return cases.flatMap((item) => decided.get(item.id) ?? []);
  } finally {
    folders.remove();
  }
}

async function decideCase(item: HostileCase, policies: readonly NamedPolicy[]): Promise<DecidedCase> {
  const call = { tool: 'run_command', args: { command_line: item.line } };
  const answers: Partial<Record<PolicyName, Answer>> = {};
  for (const [name, policy] of policies) answers[name] = (await policy.decide(call)).effect;
  const all = answers as Record<PolicyName, Answer>;
  const isWrong = (name: PolicyName): boolean =>
    all[name] === 'allow' && item.does.some((effect) => protects[name].includes(effect));
  return { item, answers: all, wrong: policyNames.filter(isWrong) };
}
