/** Creates the starter policy of a folder and parses it again to verify it. */

import { BridleError } from '../../kernel/errors.ts';
import type { PolicyFile } from '../policy-file.ts';
import { parsePolicyFile } from '../read/parse-policy-file.ts';
import { type PresetName, ruleSections } from './presets.ts';
import { viewFolder } from './project/folder-view.ts';
import { inspectProject } from './project/inspect-project.ts';
import type { Project } from './project/project.ts';
import { yamlText } from './starter-text.ts';
import { testLines } from './starter-tests.ts';

export const starterName = 'bridle.yaml';

export interface StarterFile {
  readonly project: Project;
  readonly preset: PresetName;
  readonly text: string;
  /** The text, parsed. */
  readonly policyFile: PolicyFile;
}

/** Inspects a folder and creates a policy for it, without writing it. */
export function starterFile(folder: string, preset: PresetName): StarterFile {
  return starterText(inspectProject(viewFolder(folder)), preset);
}

/** {@link starterFile} for a project that was already inspected. */
export function starterText(project: Project, preset: PresetName): StarterFile {
  const text = render(project, preset);
  const policyFile = parsePolicyFile(text, starterName);
  // Names found in a folder must not be able to inject anything into the policy: they may change only the conditions
  // and tests that contain them.
  const plain = { ...project, commands: [], starts: [], manifests: [], folders: [] };
  const expected = parsePolicyFile(render(plain, preset), starterName);
  if (JSON.stringify(outline(policyFile)) !== JSON.stringify(outline(expected)))
    throw new BridleError('POLICY_FILE', 'the generated policy does not parse as intended');
  return { project, preset, text, policyFile };
}

/** Everything but conditions and tests. */
function outline({ rules, servers, workspaces, tools, extends: bases, default: effect }: PolicyFile): unknown {
  return [
    effect,
    servers?.map(({ name }) => name),
    workspaces?.map(({ text }) => text),
    tools.length,
    bases.length,
    rules.map(({ effect: own, targets, name, reason, when, unknown, grant, shadow, expires }) => [
      [own, targets.map(({ text }) => text), name, reason, when === undefined],
      [unknown, grant, shadow, expires],
    ]),
  ];
}

function render(found: Project, preset: PresetName): string {
  const commands = preset === 'trusting' ? [...found.commands, ...found.starts] : found.commands;
  const project = { ...found, commands };
  const servers = [...new Set(found.mcp.flatMap((configuration) => configuration.servers))];
  return `${project.hasSchema ? '# yaml-language-server: $schema=./node_modules/bridle/policy.schema.json\n' : ''}\
# What an agent may do in this folder. Written by "bridle init" (preset ${preset}); change it as you like.
#
#   forbid             always wins
#   deny, ask, allow   a rule for a tool by name comes before one for server/*, and that before one for *;
#                      at the same level deny comes before ask, and ask before allow
#   when               a condition in CEL: yes, no, or unknown if Bridle cannot tell
#   unknown: ask       if the condition of a forbid or deny is unknown, ask (without this line: deny);
#                      an allow whose condition is unknown does not count
#
#   bridle test        runs the tests at the end of this file
#   bridle explain     shows which rule decides a call, and why
#   bridle trust       trusts this file; until then, it cannot allow calls with side effects

version: 1

# The decision about a call that no rule matches.
default: ask

# No tool gets a path outside these folders, regardless of the rules. Paths are relative to this file.
workspaces: ['.']

${renderServers(project, servers)}rules:
${ruleSections(project, preset, servers)}
# What the rules above must decide: "bridle test" runs these.
tests:
${testLines(project, preset, servers).join('\n')}
`;
}

function renderServers({ mcp }: Project, servers: readonly string[]): string {
  if (servers.length === 0) return '';
  return [
    `# MCP servers, as named in ${mcp.map(({ file }) => file).join(', ')}.`,
    'servers:',
    ...servers.map((name) => `  - ${yamlText(name)}`),
    '\n',
  ].join('\n');
}
