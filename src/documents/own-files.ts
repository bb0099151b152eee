/** What an agent must not touch because it holds it back (D11): policies, Bridle's own state and keys, hooks of hosts. */

import { dirname, join } from 'node:path';
import { homeFolder } from '../home-folder.ts';
import { lazy } from '../lazy.ts';
import { protectFiles } from '../paths/protected-files.ts';
import type { ToolCall } from '../call.ts';
import type { Rule, Rules } from '../policy/rule.ts';
import { runsFact } from '../shell/call-facts.ts';
import type { ToolDeclaration } from '../tool.ts';

export interface OwnFiles {
  /** Absolute: the policy files that were loaded. */
  readonly files: readonly string[];
  /** Absolute: the folder the agent works in. */
  readonly cwd: string;
  /** Bridle's own folder; `~/.bridle` if not given. */
  readonly home?: string | undefined;
}

/** The names under which a policy is found in a folder. */
export const policyNames = ['bridle.yaml', 'bridle.yml', 'bridle.json'] as const;

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
const installation = lazy(() => dirname(import.meta.dirname));

/** Rules that forbid writing those files, whether they exist or not, and reading keys; reading the others is no harm. */
export function ownFileRules({ files, cwd, home = join(homeFolder(), '.bridle') }: OwnFiles): Rules {
  const all = lazy(() => {
    const found = policyNames.map((name) => join(cwd, name));
    const hosts = [cwd, homeFolder()].flatMap((folder) => hostFiles.map((file) => join(folder, file)));
    const kept = [...new Set([...files, ...found, ...hosts, home, '/etc/bridle'])];
    return [...kept, { path: installation(), expendable: true }];
  });
  return [protectFiles(all), keyRule(join(home, 'keys')), peopleRule];
}

/** What a store keeps on the disk. */
export interface StoredFiles {
  /** Absolute: the files of the store. */
  readonly files: readonly string[];
  /** Absolute: the folder of its keys. */
  readonly keys: string;
}

/** The rules of an agent that has a store: it neither writes it nor reads its keys, and leaves to people what is theirs. */
export function storeRules({ files, keys }: StoredFiles): Rules {
  const all = lazy(() => [...new Set([...files, keys])]);
  return [protectFiles(all), keyRule(keys), peopleRule];
}

/**
 * Forbids what is seen to read keys. Where that cannot be told nothing is asked: half of all lines read something by a
 * name that is not literal, and a question about each would be one too many.
 */
function keyRule(folder: string): Rule {
  const [forbids] = protectFiles(lazy(() => [{ path: folder, secret: true }])) as readonly [Rule, ...Rule[]];
  return Object.freeze<Rule>({ ...forbids, name: 'keys_are_for_people' });
}

/** What decides about agents is not for them to say: to loosen a policy, to answer, to resume a run. */
const forPeople = ['bridle trust', 'bridle approvals', 'bridle runs', 'bridle worker', 'bridle journal'];

const runsForPeople = lazy(() => runsFact(forPeople));

/** As far as a line shows it; the commands themselves refuse an agent, too. */
const peopleRule = Object.freeze<Rule>({
  type: 'rule',
  effect: 'forbid',
  target: { type: 'all' as const },
  name: 'commands_for_people',
  reason: 'This command is for people, not for the agents it is about',
  check: (call: ToolCall, tool: ToolDeclaration) => ({ matched: runsForPeople()(call, tool) === true }),
  concerns: ({ touches }: ToolDeclaration) => (touches?.bash ?? []).length > 0,
  fingerprint: 'people',
});
