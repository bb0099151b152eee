/** Creates the starter policy of a folder and parses it again to verify it. */

import { BridleError } from '../../kernel/errors.ts';
import { type JsonObject, requireJson } from '../../kernel/json.ts';
import type { PolicyFileRule, PolicyFileTest, PolicyFile } from '../policy-file.ts';
import { parsePolicyFile } from '../read/parse-policy-file.ts';
import { viewFolder } from './project/folder-view.ts';
import { inspectProject } from './project/inspect-project.ts';
import { type PresetName, starterFor } from './presets.ts';
import type { Project } from './project/project.ts';
import { renderStarter } from './render-starter.ts';
import { decidingRuleName, type StarterPolicy, type StarterRule, type StarterTest } from './rules/starter-policy.ts';

export const starterName = 'bridle.yaml';

export interface StarterFile {
  readonly project: Project;
  readonly policy: StarterPolicy;
  readonly text: string;
}

/** Inspects a folder and creates a policy for it, without writing it. */
export function starterFile(folder: string, preset: PresetName): StarterFile {
  return starterText(inspectProject(viewFolder(folder)), preset);
}

/** {@link starterFile} for a project that was already inspected. */
export function starterText(project: Project, preset: PresetName): StarterFile {
  const policy = starterFor(project, preset);
  const text = renderStarter(policy, project);
  const problem = firstDifference(policy, parsePolicyFile(text, starterName));
  // Names found in a folder must not be able to inject anything into the policy.
  if (problem !== undefined)
    throw new BridleError('POLICY_FILE', `the generated policy does not parse as intended: ${problem}`);
  return { project, policy, text };
}

function firstDifference(policy: StarterPolicy, policyFile: PolicyFile): string | undefined {
  const rules = policy.sections.flatMap((section) => section.rules);
  const intended = {
    default: policy.default,
    servers: policy.servers,
    workspaces: ['.'],
    extends: [],
    tools: [],
    rules: rules.map(intendedRule),
    tests: [
      ...rules.flatMap((rule) => rule.tests.map((test) => intendedTest(test, rule))),
      ...policy.undecided.map((test) => intendedTest(test)),
    ],
  };
  const read = {
    default: policyFile.default,
    servers: (policyFile.servers ?? []).map(({ name }) => name),
    workspaces: (policyFile.workspaces ?? []).map(({ text }) => text),
    extends: policyFile.extends,
    tools: policyFile.tools,
    rules: policyFile.rules.map(readRule),
    tests: policyFile.tests.map(readTest),
  };
  const keys = Object.keys(intended) as (keyof typeof intended)[];
  return keys.find((key) => JSON.stringify(intended[key]) !== JSON.stringify(read[key]));
}

function intendedRule({ effect, targets, name, reason, when, unknown }: StarterRule): unknown {
  return [effect, targets, name, reason ?? null, when?.join('\n') ?? null, unknown ?? null];
}

function readRule({ effect, targets, name, reason, when, unknown, ...more }: PolicyFileRule): unknown {
  const { grant, shadow, expires } = more;
  const extra = [grant, shadow, expires].filter((value) => value !== undefined);
  const texts = targets.map(({ text }) => text);
  return [effect, texts, name, reason ?? null, when?.text ?? null, unknown ?? null, ...extra];
}

function intendedTest(test: StarterTest, rule?: StarterRule): unknown {
  const name = rule === undefined ? undefined : decidingRuleName(rule, test);
  return [test.call, sortedArgs(test.args), test.expect, name ?? null];
}

function readTest({ server, tool, args, expect, rule }: PolicyFileTest): unknown {
  return [server === undefined ? tool : `${server}/${tool}`, sortedArgs(args), expect, rule ?? null];
}

/** With sorted keys. */
function sortedArgs(args: JsonObject): unknown {
  return requireJson(args, { bytes: 64 * 1024, depth: 16 }, 'a test');
}
