/** What an agent must not touch because it holds it back (D11): policies, Bridle's own state and keys, hooks of hosts. */

import { dirname, join } from 'node:path';
import { homeFolder } from '../files/home-folder.ts';
import { lazy } from '../kernel/lazy.ts';
import { protectFiles } from '../facts/paths/protection/protect-files.ts';
import type { ToolCall } from '../kernel/call.ts';
import type { Rule, Rules } from '../kernel/policy/rules/rule.ts';
import { runsFact } from '../facts/shell/conditions/call-facts.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';

export interface OwnFilesOptions {
  /** Absolute: the policy files that were loaded. */
  readonly files: readonly string[];
  /** Absolute: the folder the agent works in. */
  readonly cwd: string;
  /** Bridle's own folder; `~/.bridle` if not given. */
  readonly home?: string | undefined;
}

/** The names under which a policy is found in a folder. */
export const policyFileNames = ['bridle.yaml', 'bridle.yml', 'bridle.json'] as const;

/** Where hosts keep which hooks and permissions they have, in a project or in the home of the user. */
const hostFiles = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor/hooks.json',
  '.cursor/cli.json',
  '.gemini/settings.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.github/copilot/hooks.json',
  '.windsurf/hooks.json',
];

/** The code that is running: whoever can write it needs no policy. */
const installFolder = lazy(() => dirname(import.meta.dirname));

/** Rules that forbid writing those files, whether they exist or not, and reading keys; reading the others is no harm. */
export function ownFileRules({ files, cwd, home = join(homeFolder(), '.bridle') }: OwnFilesOptions): Rules {
  const all = lazy(() => {
    const found = policyFileNames.map((name) => join(cwd, name));
    const hosts = [cwd, homeFolder()].flatMap((folder) => hostFiles.map((file) => join(folder, file)));
    const protectedPaths = [...new Set([...files, ...found, ...hosts, home, '/etc/bridle'])];
    return [...protectedPaths, { path: installFolder(), expendable: true }];
  });
  return [protectFiles(all), keyRule(join(home, 'keys')), peopleOnlyRule];
}

/** What a store keeps on the disk. */
export interface StoreFiles {
  /** Absolute: the files of the store. */
  readonly files: readonly string[];
  /** Absolute: the folder of its keys. */
  readonly keys: string;
}

/** The rules of an agent that has a store: it neither writes it nor reads its keys, and leaves to people what is theirs. */
export function storeRules({ files, keys }: StoreFiles): Rules {
  const all = lazy(() => [...new Set([...files, keys])]);
  return [protectFiles(all), keyRule(keys), peopleOnlyRule];
}

/**
 * Forbids what is seen to read keys. Where that cannot be told nothing is asked: half of all lines read something by a
 * name that is not literal, and a question about each would be one too many.
 */
function keyRule(folder: string): Rule {
  const [forbidRule] = protectFiles(lazy(() => [{ path: folder, secret: true }])) as readonly [Rule, ...Rule[]];
  return Object.freeze<Rule>({ ...forbidRule, name: 'keys_are_for_people' });
}

/** What decides about agents is not for them to say: to loosen a policy, to answer, to resume a run. */
const peopleOnlyCommands = ['bridle trust', 'bridle approvals', 'bridle runs', 'bridle worker', 'bridle journal'];

const runsPeopleOnlyCommand = lazy(() => runsFact(peopleOnlyCommands));

/** As far as a line shows it; the commands themselves refuse an agent, too. */
const peopleOnlyRule = Object.freeze<Rule>({
  type: 'rule',
  effect: 'forbid',
  target: { type: 'all' as const },
  name: 'commands_for_people',
  reason: 'This command is for people, not for the agents it is about',
  check: (call: ToolCall, tool: ToolDeclaration) => ({ matched: runsPeopleOnlyCommand()(call, tool) === true }),
  concerns: ({ touches }: ToolDeclaration) => (touches?.bash ?? []).length > 0,
  fingerprint: 'people',
});
