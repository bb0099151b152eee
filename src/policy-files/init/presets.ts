/**
 * The three presets, as the text of their rules. All of them forbid the same things and allow reading. They differ in
 * what else runs without asking: nothing (strict), daily work (balanced), everything that visibly stays inside the
 * folder (trusting).
 */

import { commandSection, networkPrograms, trustingCommandSection } from './command-sections.ts';
import type { Project } from './project/project.ts';
import { celCall, comments, commentText, section, when, yamlTexts } from './starter-text.ts';

export const presetNames = ['strict', 'balanced', 'trusting'] as const;

export type PresetName = (typeof presetNames)[number];

export function isPresetName(text: string): text is PresetName {
  return (presetNames as readonly string[]).includes(text);
}

const presets: Readonly<Record<PresetName, (project: Project) => readonly string[]>> = {
  strict: (project) => [readSection(project), denyNetwork],
  balanced: (project) => [
    outsideSection,
    readSection(project),
    changeSection(project),
    commandSection(project),
    askNetwork,
    subagentSection,
  ],
  trusting: (project) => [
    outsideSection,
    readSection(project),
    changeSection(project),
    trustingCommandSection(project),
    allowNetwork,
    subagentSection,
  ],
};

/** The rules of a preset, as YAML. */
export function ruleSections(project: Project, preset: PresetName, servers: readonly string[]): string {
  return [neverSection, ...presets[preset](project), ...serverSection(servers), ...journalSection(project)].join('\n');
}

/** A condition: one of these files is written, in any folder, also outside the workspace. */
function writes(...groups: readonly (readonly string[])[]): string {
  const globs = groups.filter((names) => names.length > 0);
  return globs
    .map((names) => celCall('writes', [names.length === 1 ? `**/${names[0] ?? ''}` : `**/{${names.join(',')}}`]))
    .join('\n|| ');
}

/**
 * No other rule overrides these. Secrets: common names of such files; `.env.example` stays readable, and an agent may
 * list a folder that contains a secret. Protected files limit an agent, or control what git and agent hosts run. Agents
 * keep their own files in the temporary folders, so deleting there asks instead.
 */
const neverSection = section(
  'Never',
  `  # No other rule overrides these. If Bridle cannot tell whether a call does this, it asks.
  - forbid: '*'
    name: secrets
    reason: 'This file may contain secrets. Ask the user for the value you need, or use an example file.'
    when: |-
      !(call.server == "" && call.tool in ["list_directory", "find_file", "search_directory"]) && (
        reads("**/{.env,.envrc,.env.local,.env.*.local,.env.{dev,prod,stag,test,live,ci,secret,backup,bak,old}*}")
        || writes("**/{.env,.envrc,.env.local,.env.*.local,.env.{dev,prod,stag,test,live,ci,secret,backup,bak,old}*}")
        || reads("**/{*.{pem,key,p12,pfx,jks,keystore,kdbx},id_{rsa,dsa,ecdsa,ed25519}}")
        || writes("**/{*.{pem,key,p12,pfx,jks,keystore,kdbx},id_{rsa,dsa,ecdsa,ed25519}}")
        || reads("**/{.netrc,.npmrc,.pypirc,.pgpass,.git-credentials,.vault-token,.docker/config.json,.kube/config}")
        || writes("**/{.netrc,.npmrc,.pypirc,.pgpass,.git-credentials,.vault-token,.docker/config.json,.kube/config}")
        || reads("**/{{.ssh,.gnupg,.aws,.azure}/**,.config/{gh,gcloud}/**}")
        || writes("**/{{.ssh,.gnupg,.aws,.azure}/**,.config/{gh,gcloud}/**}")
      )
    unknown: ask

  - forbid: '*'
    name: protected files
    reason: 'Only people may change policies, files inside .git and agent settings. Ask the user to do it.'
    when: |-
      writes("**/{bridle.{yaml,yml,json},.bridle/**,.git,.git/**}")
      || writes("**/{.claude/settings{,.local}.json,.{cursor,windsurf}/{hooks,mcp,cli}.json,.gemini/{settings.json,.env},.codex/**}")
      || writes("**/{.github/{hooks,copilot}/**,opencode.{json,jsonc},.opencode/**,.mcp.json,.vscode/mcp.json}")
    unknown: ask

  - forbid: run_command
    name: delete outside this folder
    reason: 'Delete only what is inside this folder, and not the folder itself. Ask the user to delete anything else.'
    when: |-
      runs("rm", "rmdir", "unlink", "shred", "truncate", "find -delete", "git clean")
      && !writesInside(".", "/tmp", "/var/tmp")
    unknown: ask

  - forbid: run_command
    name: force push
    reason: This rewrites or deletes commits that others may use. Push new commits instead.
    when: 'runs("git push --force", "git push --force-with-lease", "git push --mirror", "git push --delete")'
    unknown: ask
`,
);

/** Coding agents keep plans, notes and screenshots in other folders, so a person may allow this. */
const outsideSection = section(
  'Outside this folder',
  `  # To allow a folder of your coding agent, add it here: readsInside(".", "~/.claude/plans")
  - ask: [view_file, list_directory, find_file, search_directory, create_file, edit_file]
    name: outside this folder
    reason: 'This is outside the folder of the policy. May the agent use it?'
    when: '!readsInside(".") || !writesInside(".")'
`,
);

/**
 * Searches: a pattern with a folder also finds files that .gitignore hides; one for a file extension does not, except
 * for files with that extension: `*.local` finds `.env.local`.
 */
const searchRule = `  - allow: search_directory
    name: search files
    when: |-
      !has(args.include) || args.include.matches("^([*][*]/)?[*][.]([A-Za-z0-9]+|[{][A-Za-z0-9]+(,[A-Za-z0-9]+)*[}])$")
      && !args.include.matches("(?i)[.{,](env|envrc|pem|key|p12|pfx|jks|keystore|kdbx|netrc|npmrc|pypirc|pgpass)([,}]|$)")
      && !args.include.matches("(?i)[.{,](local|dev|prod|stag|test|live|ci|secret|backup|bak|old)[A-Za-z0-9]*([,}]|$)")

`;

function readSection({ bareSecrets }: Project): string {
  return section(
    'Read files and talk to the user',
    comments(
      'The rules "secrets" and "outside this folder", or the workspaces, limit what these tools read.',
      'A search reads every file that .gitignore does not list, so list your files with secrets there.',
      ...(bareSecrets.length === 0
        ? []
        : [commentText(`It does not list ${bareSecrets.join(', ')}, so this policy asks about searches.`)]),
    ),
    `  - allow: [view_file, list_directory, find_file]
    name: read files

${bareSecrets.length === 0 ? searchRule : ''}  - allow: [ask_question, finish, update_plan]
    name: talk to the user
`,
  );
}

/**
 * Files that make other programs run something later: continuous integration, hooks, editors, installed packages, and
 * files that control what an install downloads. Configurations of test runners and linters are not included: like
 * tests, they are code of the project.
 */
const filesRunLater = [
  '.github/** .gitlab-ci.yml .circleci/** .husky/** .pre-commit-config.yaml .gitattributes .gitmodules',
  '{.vscode,.idea,.devcontainer}/** {node_modules,.venv,venv}/** .cargo/** .yarnrc.yml .pnpmfile.cjs',
  '{package-lock,npm-shrinkwrap}.json {yarn,bun,deno,poetry,uv,pdm,composer,Cargo,Gemfile,Pipfile}.{lock,lockb} pnpm-{lock,workspace}.yaml',
  'go{,.work}.sum requirements*.txt {.yarnrc,bunfig.toml,pip.conf,uv.toml} {.yarn,.bundle,.mvn}/**',
].map((names) => names.split(' '));
/** make has built-in rules that create a makefile from these files. */
const makefileSources =
  '{GNUm,M,m}akefile.* {GNUm,M,m}akefile,v s.{GNUm,M,m}akefile {RCS,SCCS}/*{GNUm,M,m}akefile* *.mk'.split(' ');

function changeSection({ manifests }: Project): string {
  const generated = manifests.includes('Makefile') ? makefileSources : [];
  return section(
    'Change files',
    `  # Your tests and builds run what an agent writes. If that is a risk for you, use a sandbox as well.
  - ask: [create_file, edit_file, run_command]
    name: files that run things
    reason: 'This file decides what other programs run. May the agent change it?'
${when(writes(manifests, generated, ...filesRunLater))}

  - allow: [create_file, edit_file]
    name: write files
`,
  );
}

const denyNetwork = section(
  'Network',
  `  # Bridle does not see what a script does. Only a sandbox keeps scripts off the network.
  - deny: [read_url_content, search_web]
    name: no web
    reason: This policy keeps the agent off the network. Ask the user for what you need.

  - deny: run_command
    name: no network programs
    reason: This policy keeps the agent off the network. Ask the user for what you need.
${when(celCall('runs', networkPrograms))}
    unknown: ask
`,
);

const askNetwork = section(
  'Network',
  `  # Commands that reach the network are not in the list above, so they are asked about too.
  - ask: [read_url_content, search_web]
    name: web
    reason: 'This goes to the network, and the answer may try to instruct the agent. May it run?'
`,
);

const allowNetwork = section(
  'Network',
  `  # Reading only, and only public addresses. An address or a search can still carry data out.
  - allow: read_url_content
    name: public pages
    when: 'isPublicHost()'

  - allow: search_web
    name: web search
`,
);

const subagentSection = section(
  'Subagents',
  `  # This policy also decides every call of a subagent.
  - allow: start_subagent
    name: subagents
`,
);

/** Only the project's own developers know which tools of a server are read-only. */
function serverSection(servers: readonly string[]): readonly string[] {
  const [first] = servers;
  if (first === undefined) return [];
  const rule = section(
    'MCP servers',
    comments(
      'Each call is asked about. Bridle does not trust what a tool says about itself. Allow harmless tools by name:',
      commentText(`  - allow: ${first}/some_tool`),
    ),
    `  - ask: ${yamlTexts(servers.map((name) => `${name}/*`))}
    name: MCP servers
    reason: 'This MCP tool may have side effects. May it run?'
`,
  );
  return [rule];
}

/** Only the user knows which of these calls are harmless. */
function journalSection({ recorded }: Project): readonly string[] {
  if (recorded === undefined || recorded.asked.length === 0) return [];
  const lines = comments(
    'This policy would have asked about these recorded calls. If they are harmless, add commands to the list of a rule',
    'above, or allow the tool by name:',
    ...recorded.asked.map(commentText),
  );
  return [section('From the journal', `${lines}\n`)];
}
