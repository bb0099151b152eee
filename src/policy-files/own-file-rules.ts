/**
 * Rules that protect the files that control an agent (D11): policies, Bridle's own state and keys, and the hooks of
 * hosts.
 */

import { dirname, join } from 'node:path';
import { homeFolder } from '../files/home-folder.ts';
import { lazy } from '../kernel/lazy.ts';
import { protectFiles } from '../facts/paths/protection/protect-files.ts';
import type { ToolCall } from '../kernel/call.ts';
import type { Rule, Rules } from '../kernel/policy/rules/rule.ts';
import { hostFiles } from './host-files.ts';
import { runsFact } from '../facts/shell/conditions/call-facts.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';

export interface OwnFilesOptions {
  /** Absolute paths of the policy files that were loaded. */
  readonly files: readonly string[];
  /** Absolute path of the folder the agent works in. */
  readonly cwd: string;
  /** Bridle's own folder. Default: `~/.bridle`. */
  readonly home?: string | undefined;
}

/** The file names that Bridle looks for in a folder. */
export const policyFileNames = ['bridle.yaml', 'bridle.yml', 'bridle.json'] as const;

/** The folder of the running code. An agent that can write to it can bypass any policy. */
const installFolder = lazy(() => dirname(import.meta.dirname));

/**
 * Rules that forbid writing these files, even if they do not exist yet, and reading keys. Reading the other files is
 * harmless.
 */
export function ownFileRules({ files, cwd, home = join(homeFolder(), '.bridle') }: OwnFilesOptions): Rules {
  const all = lazy(() => {
    const found = policyFileNames.map((name) => join(cwd, name));
    const protectedPaths = [...new Set([...files, ...found, ...hostFiles(cwd), home, '/etc/bridle', '/opt/bridle'])];
    return [...protectedPaths, { path: installFolder(), expendable: true }];
  });
  return [protectFiles(all), keyRule(join(home, 'keys')), peopleOnlyRule];
}

/** The files of a store on disk. */
export interface StoreFiles {
  /** Absolute paths of the store's files. */
  readonly files: readonly string[];
  /** Absolute path of the folder with its keys. */
  readonly keys: string;
}

/**
 * Rules for an agent with a store: the agent cannot write to the store, read its keys or run commands that are for
 * people.
 */
export function storeRules({ files, keys }: StoreFiles): Rules {
  const all = lazy(() => [...new Set([...files, keys])]);
  return [protectFiles(all), keyRule(keys), peopleOnlyRule];
}

/**
 * Forbids calls that visibly read keys. If Bridle cannot tell, it does not ask: half of all command lines read files
 * whose names are not literal, and asking about each of them would be too much.
 */
function keyRule(folder: string): Rule {
  const [forbidRule] = protectFiles(lazy(() => [{ path: folder, secret: true }])) as readonly [Rule, ...Rule[]];
  return Object.freeze<Rule>({ ...forbidRule, name: 'keys_are_for_people' });
}

/**
 * Commands that control agents, so agents must not run them: they trust a policy, change hooks, answer an approval or
 * resume a run. The journal shows an agent what other sessions did. A test keeps this equal to the table of commands.
 */
export const peopleOnlyCommands = [
  'bridle trust',
  'bridle install',
  'bridle uninstall',
  'bridle approvals',
  'bridle runs',
  'bridle worker',
  'bridle journal',
];

const runsPeopleOnlyCommand = lazy(() => runsFact(peopleOnlyCommands));

/** Covers what a command line shows. The commands themselves also refuse to run for an agent. */
const peopleOnlyRule = Object.freeze<Rule>({
  type: 'rule',
  effect: 'forbid',
  target: { type: 'all' as const },
  name: 'commands_for_people',
  reason: 'Only people may run this command, not agents',
  check: (call: ToolCall, tool: ToolDeclaration) => ({ matched: runsPeopleOnlyCommand()(call, tool) === true }),
  concerns: ({ touches }: ToolDeclaration) => (touches?.bash ?? []).length > 0,
  fingerprint: 'people',
});
