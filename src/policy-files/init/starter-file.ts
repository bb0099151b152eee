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
  if (JSON.stringify(outline(policyFile)) !== JSON.stringify(intendedOutline(project, preset)))
    throw new BridleError('POLICY_FILE', 'the generated policy does not parse as intended');
  return { project, preset, text, policyFile };
}

/** Everything but texts, conditions and tests. */
function outline({ rules, servers, workspaces, tools, extends: bases, default: effect }: PolicyFile) {
  return {
    file: [effect, workspaces?.map((workspace) => workspace.text), tools.length, bases.length],
    servers: (servers ?? []).map(({ name }) => name) as readonly string[],
    rules: rules.map(({ effect: own, targets, name, when, unknown, grant, shadow, expires }) => [
      [own, targets.map((target) => target.text), name, when !== undefined],
      [unknown, grant, shadow, expires],
    ]),
  };
}

/**
 * The outline without anything that was found in the folder, plus its servers: names found there must not be able to
 * inject anything into the policy.
 */
function intendedOutline(project: Project, preset: PresetName): ReturnType<typeof outline> {
  const servers = serversOf(project);
  const nothing = { commands: [], starts: [], manifests: [], folders: [], mcp: [], recorded: undefined };
  const { rules, ...rest } = outline(parsePolicyFile(render({ ...project, ...nothing }, preset), starterName));
  const serverRule = [['ask', servers.map((name) => `${name}/*`), 'MCP servers', false], Array(4).fill(undefined)];
  return { ...rest, servers, rules: servers.length === 0 ? rules : [...rules, serverRule] };
}

function serversOf({ mcp }: Project): readonly string[] {
  return [...new Set(mcp.flatMap((configuration) => configuration.servers))];
}

const confined = `\
# No tool gets a path outside these folders, regardless of the rules. Paths are relative to this file.
workspaces: ['.']`;
const resolved = `\
# Paths must lead to a file or folder. The rule "outside this folder" asks about those outside; to deny them, write ['.'].
workspaces: ['/']`;

function render(found: Project, preset: PresetName): string {
  const commands = preset === 'trusting' ? [...found.commands, ...found.starts] : found.commands;
  const project = { ...found, commands };
  const servers = serversOf(found);
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
#   npx bridle test        runs the tests at the end of this file
#   npx bridle explain     shows which rule decides a call, and why
#   npx bridle trust       trusts this file; until then, it can only make decisions stricter

version: 1

# The decision about a call that no rule matches.
default: ask

${preset === 'strict' ? confined : resolved}

${renderServers(project, servers)}rules:
${ruleSections(project, preset, servers)}
# What the rules above must decide: "npx bridle test" runs these.
tests:
${testLines(project, preset, servers)}
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
