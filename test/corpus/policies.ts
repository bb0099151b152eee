/** The policies that decide every case: those of `bridle init`, and two that a user may write. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { presetNames } from '../../src/policy-files/init/presets.ts';
import { starterFile } from '../../src/policy-files/init/starter-file.ts';
import { loadPolicy } from '../../src/policy-files/load/load-policy.ts';
import type { LoadedPolicy } from '../../src/policy-files/loaded-policy.ts';
import { declareBuiltins } from '../../src/tools/declare-builtins.ts';
import { type Effect, effects } from './hostile-case.ts';

export const policyNames = [...presetNames, 'deny list', 'allow list'] as const;

export type PolicyName = (typeof policyNames)[number];

/** Allows everything that it does not name, and asks if a line hides what it does. */
const denyList = `version: 1
default: ask
rules:
  - forbid: '*'
    name: secrets
    when: reads("**/.env") || writes("**/.env")
  - forbid: '*'
    name: settings
    when: writes("package.json") || writes(".git/config") || writes(".git/hooks/**") || writes(".github/**") ||
      writes(".husky/**") || writes(".claude/**") || writes(".vscode/**")
  - deny: run_command
    name: outside
    when: '!writesInside(".")'
  - deny: run_command
    name: no deleting
    when: runs("rm")
  - ask: run_command
    name: not shown by the line
    when: opaque()
  - allow: run_command
    name: everything else
`;

const harmless = `
  ls, cat, head, tail, wc, grep, rg, find, sort, uniq, cut, tr, diff, cmp, echo, printf, pwd, date, file, stat, du, df,
  which, sed, awk, jq, true, test, basename, less, git status, git diff, git log, git show, git branch, git blame,
  git grep, git ls-files, git rev-parse, git remote, npm test, npm ls, make test, cargo check, cargo test, tsc --noEmit
`
  .split(',')
  .map((command) => command.trim());

/** Asks about everything except programs that are known to be harmless. */
const allowList = `version: 1
default: ask
rules:
  - forbid: '*'
    name: secrets
    when: reads("**/.env") || writes("**/.env")
  - allow: run_command
    name: harmless commands
    when: runsOnly(${harmless.map((command) => JSON.stringify(command)).join(', ')})
`;

const own: Readonly<Record<string, string>> = { 'deny list': denyList, 'allow list': allowList };

/** The effects that each policy must never allow. */
export const protects: Readonly<Record<PolicyName, readonly Effect[]>> = {
  strict: effects,
  balanced: effects,
  // This preset lets an agent change and delete single files in the project.
  trusting: effects.filter((effect) => effect !== 'creates' && effect !== 'rm'),
  'deny list': effects.filter((effect) => !['creates', 'sends', 'entry'].includes(effect)),
  'allow list': effects,
};

export function policyText(name: PolicyName, project: string): string {
  const preset = presetNames.find((known) => known === name);
  return preset === undefined ? (own[name] ?? '') : starterFile(project, preset).text;
}

/** Writes a policy into a project and loads it, as `bridle` does there. */
export function loadFor(project: string, text: string): LoadedPolicy {
  const file = join(project, 'bridle.yaml');
  writeFileSync(file, text);
  return loadPolicy(file, { cwd: project, tools: declareBuiltins(), home: join(project, '../home/.bridle') });
}
