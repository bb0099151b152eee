/** The starter policy of a folder: looked at, written down, and read back before anybody gets it. */

import { BridleError } from '../../errors.ts';
import { type JsonObject, mustCopyJson } from '../../json.ts';
import type { DocumentRule, DocumentTest, PolicyDocument } from '../document.ts';
import { readDocument } from '../read-document.ts';
import { viewFolder } from './folder-view.ts';
import { inspectProject } from './inspect-project.ts';
import { type PresetName, starterFor } from './presets.ts';
import type { Project } from './project.ts';
import { renderStarter } from './render-starter.ts';
import { decidedName, type StarterPolicy, type StarterRule, type StarterTest } from './starter-policy.ts';

export const starterName = 'bridle.yaml';

export interface StarterFile {
  readonly project: Project;
  readonly policy: StarterPolicy;
  readonly text: string;
}

/** Looks at a folder and makes a policy for it; nothing is written. */
export function starterFile(folder: string, preset: PresetName): StarterFile {
  return starterText(inspectProject(viewFolder(folder)), preset);
}

/** {@link starterFile} for a project that is known. */
export function starterText(project: Project, preset: PresetName): StarterFile {
  const policy = starterFor(project, preset);
  const text = renderStarter(policy, project);
  const problem = differsFrom(policy, readDocument(text, starterName));
  // What was found in a folder must not be able to say anything in the policy but its own name.
  if (problem !== undefined)
    throw new BridleError('POLICY_FILE', `the policy would not be read as it is meant: ${problem}`);
  return { project, policy, text };
}

function differsFrom(policy: StarterPolicy, document: PolicyDocument): string | undefined {
  const rules = policy.sections.flatMap((section) => section.rules);
  const meant = {
    default: policy.default,
    servers: policy.servers,
    workspaces: ['.'],
    extends: [],
    tools: [],
    rules: rules.map(meantRule),
    tests: [
      ...rules.flatMap((rule) => rule.tests.map((test) => meantTest(test, rule))),
      ...policy.undecided.map((test) => meantTest(test)),
    ],
  };
  const read = {
    default: document.default,
    servers: (document.servers ?? []).map(({ name }) => name),
    workspaces: (document.workspaces ?? []).map(({ text }) => text),
    extends: document.extends,
    tools: document.tools,
    rules: document.rules.map(readRule),
    tests: document.tests.map(readTest),
  };
  const keys = Object.keys(meant) as (keyof typeof meant)[];
  return keys.find((key) => JSON.stringify(meant[key]) !== JSON.stringify(read[key]));
}

function meantRule({ effect, targets, name, reason, when, unknown }: StarterRule): unknown {
  return [effect, targets, name, reason ?? null, when?.join('\n') ?? null, unknown ?? null];
}

function readRule({ effect, targets, name, reason, when, unknown, ...more }: DocumentRule): unknown {
  const { grant, shadow, expires } = more;
  const extra = [grant, shadow, expires].filter((value) => value !== undefined);
  const texts = targets.map(({ text }) => text);
  return [effect, texts, name, reason ?? null, when?.text ?? null, unknown ?? null, ...extra];
}

function meantTest(test: StarterTest, rule?: StarterRule): unknown {
  const name = rule === undefined ? undefined : decidedName(rule, test);
  return [test.call, canonical(test.args), test.expect, name ?? null];
}

function readTest({ server, tool, args, expect, rule }: DocumentTest): unknown {
  return [server === undefined ? tool : `${server}/${tool}`, canonical(args), expect, rule ?? null];
}

/** With its keys in one order. */
function canonical(args: JsonObject): unknown {
  return mustCopyJson(args, { bytes: 64 * 1024, depth: 16 }, 'a test');
}
