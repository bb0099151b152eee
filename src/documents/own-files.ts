/** The files an agent must not write because they hold it back (D11): policies, Bridle's own state, hooks of hosts. */

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

/** Rules that forbid writing those files, whether they exist or not; reading them is no harm. */
export function ownFileRules({ files, cwd, home = join(homeFolder(), '.bridle') }: OwnFiles): Rules {
  const all = lazy(() => {
    const found = policyNames.map((name) => join(cwd, name));
    const hosts = [cwd, homeFolder()].flatMap((folder) => hostFiles.map((file) => join(folder, file)));
    const kept = [...new Set([...files, ...found, ...hosts, home, '/etc/bridle'])];
    return [...kept, { path: installation(), expendable: true }];
  });
  return [protectFiles(all), trustRule];
}

const runsTrust = lazy(() => runsFact(['bridle trust']));

/** Trusting is for people: a policy could loosen itself through the agent it holds back. */
const trustRule = Object.freeze<Rule>({
  type: 'rule',
  effect: 'forbid',
  target: { type: 'all' as const },
  name: 'trust_is_for_people',
  reason: 'Policies are trusted by people, not by the agents they hold back',
  check: (call: ToolCall, tool: ToolDeclaration) => ({ matched: runsTrust()(call, tool) === true }),
  concerns: ({ touches }: ToolDeclaration) => (touches?.bash ?? []).length > 0,
  fingerprint: 'trust',
});
