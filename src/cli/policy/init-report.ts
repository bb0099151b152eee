/** What `bridle init` prints: what it found, what the policy allows, asks about and forbids, and the next steps. */

import type { PresetName } from '../../policy-files/init/presets.ts';
import type { Project, ProjectCommand } from '../../policy-files/init/project/project.ts';
import type { CallGroup, RecordedCalls } from '../../policy-files/init/recorded-calls.ts';
import { type StarterFile, starterName } from '../../policy-files/init/starter-file.ts';
import { countText } from '../command/call-text.ts';

/** Five lines. */
export function choiceLines({ project, preset }: StarterFile): readonly string[] {
  return [
    `Wrote ${starterName} (preset ${preset}) for ${projectText(project)}.`,
    `  allows   ${allowedText(project, preset)}`,
    `  asks     ${askedText(project, preset)}`,
    `  forbids  ${forbiddenText(preset)}`,
    `  next     read it, then: npx bridle trust · npx bridle install ${installName(project)} · npx bridle chat --model anthropic/<id>`,
  ];
}

function projectText({ languages, managers, git, folders }: Project): string {
  const kind = languages.length === 0 ? 'a folder without a known kind of project' : languages.join(', ');
  const tools = managers.length === 0 ? '' : ` with ${managers.join(', ')}`;
  const parts = folders.length === 0 ? '' : ` and ${countText(folders.length, 'part')} (${shortList(folders)})`;
  return `${kind}${tools}${parts}, ${git ? 'in a git repository' : 'not in a git repository'}`;
}

function allowedText({ commands, starts, bareSecrets }: Project, preset: PresetName): string {
  const files = [
    'reading',
    ...(bareSecrets.length === 0 ? ['searching'] : []),
    ...(preset === 'strict' ? [] : ['changing']),
  ];
  const work = `${listText(files)} files in this folder`;
  if (preset === 'strict') return work;
  const own = ownCommands(preset === 'trusting' ? [...commands, ...starts] : commands);
  const others =
    preset === 'trusting' ? ['commands that visibly stay in it', 'public web pages'] : ['read-only commands'];
  const hint = ' (no commands of the project were found: add yours to the rule "commands")';
  return own.length === 0 ? `${[work, ...others].join(', ')}${hint}` : [work, ...others, shortList(own)].join(', ');
}

/** One line per script: `npm test` stands for `npm run test`, too. */
function ownCommands(commands: readonly ProjectCommand[]): readonly string[] {
  const byScript = new Map<string, string>();
  for (const { line, runs = line, folder = '.' } of commands) {
    const key = JSON.stringify([folder, runs]);
    if (!byScript.has(key)) byScript.set(key, line);
  }
  return [...byScript.values()];
}

function askedText({ mcp }: Project, preset: PresetName): string {
  const servers = [...new Set(mcp.flatMap((configuration) => configuration.servers))];
  const named = servers.length === 0 ? [] : [`MCP servers (${shortList(servers)})`];
  if (preset === 'strict') return `about ${listText([...named, 'everything else'])}`;
  const commands =
    preset === 'trusting' ? ['commands that reach outside or cannot be undone'] : ['other commands', 'the web'];
  const files = ['files that run things (manifests, CI)', 'files outside this folder'];
  return `about ${listText([...commands, ...files, ...named, 'everything else'])}`;
}

function forbiddenText(preset: PresetName): string {
  const network = preset === 'strict' ? ', the network' : '';
  return `secrets (.env, keys), changing .git or agent settings, deleting outside this folder, force pushes${network}`;
}

const installNames: readonly (readonly [file: string, name: string])[] = [
  ['.claude/', 'claude'],
  ['.codex/', 'codex'],
  ['.gemini/', 'gemini'],
  ['opencode', 'opencode'],
];

function installName({ hosts }: Project): string {
  const found = installNames.find(([file]) => hosts.some((host) => host.startsWith(file)));
  return found?.[1] ?? '<coding agent>';
}

export function warningLines({ project, preset }: StarterFile): readonly string[] {
  const { bareSecrets, notes, git } = project;
  const gitHint =
    'Without a git repository, the policy asks about git commands. After git init, write it again: npx bridle init --force';
  const secrets = `Warning: git does not ignore ${bareSecrets.join(', ')}, so searches can show its content. The policy asks before each search.`;
  return [
    ...(git || preset !== 'balanced' ? [] : [gitHint]),
    ...(bareSecrets.length === 0 ? [] : [secrets]),
    ...notes.map((note) => `Left out: ${note}.`),
  ];
}

/** What the policy would have decided about the calls in the journal. */
export function journalLines({
  recorded,
  added,
}: {
  readonly recorded: RecordedCalls;
  readonly added: readonly string[];
}): readonly string[] {
  const { calls, cannotTell, unreadable, inOtherFolders } = recorded;
  const leftOut = [
    ...(cannotTell === 0 ? [] : [`${cannotTell} with masked values or session state`]),
    ...(inOtherFolders === 0 ? [] : [`${inOtherFolders} in other folders`]),
    ...(unreadable === 0 ? [] : [`${unreadable} not readable`]),
  ];
  return [
    `The journal has ${countText(calls, 'call')} in this folder. With this policy: ${sharesText(recorded)}.`,
    ...(leftOut.length === 0 ? [] : [`Not counted: ${leftOut.join(', ')}.`]),
    ...(added.length === 0 ? [] : [`Added to the rule "commands": ${shortList(added)}`]),
    ...groupLines('Asked about', recorded, 'ask'),
    ...groupLines('Denied', recorded, 'deny'),
  ];
}

/** What the policy decides about the last commands of the user and of coding agents. */
export function historyLines(tried: RecordedCalls, sources: readonly string[]): readonly string[] {
  if (tried.calls === 0)
    return [`There are no commands to try: ${sources.length === 0 ? 'no history was found' : sources.join(', ')}.`];
  const shown = { ...tried, groups: tried.groups.map((group) => ({ ...group, call: exampleText(group) })) };
  return [
    `Your last ${countText(tried.calls, 'command')} (${sources.join(', ')}), as if an agent ran them here: ${sharesText(tried)}.`,
    ...groupLines('Asked about', shown, 'ask'),
    ...groupLines('Denied', shown, 'deny'),
  ];
}

function exampleText({ call, example = '' }: CallGroup): string {
  const commands = call.replace(/^run_command: /, '');
  return commands === example ? commands : `${commands}  such as: ${example.replaceAll(/\s+/g, ' ')}`;
}

/** `4 allowed (57 %), 2 asked about (29 %), 1 denied (14 %)`. */
function sharesText({ calls, decisions: { allow, ask, deny } }: RecordedCalls): string {
  const share = (count: number): string => (calls === 0 ? '' : ` (${Math.round((100 * count) / calls)} %)`);
  return `${allow} allowed${share(allow)}, ${ask} asked about${share(ask)}, ${deny} denied${share(deny)}`;
}

const maxGroups = 12;

function groupLines(title: string, { groups: all }: RecordedCalls, effect: CallGroup['effect']): readonly string[] {
  const groups = all.filter((group) => group.effect === effect);
  if (groups.length === 0) return [];
  const left = groups.slice(maxGroups).reduce((sum, { count }) => sum + count, 0);
  return [
    `${title}:`,
    ...groups.slice(0, maxGroups).map(({ count, call, rule }) => {
      return `${String(count).padStart(6)}  ${call}${rule === undefined ? '' : `  (rule "${rule}")`}`;
    }),
    ...(left === 0 ? [] : [`${String(left).padStart(6)}  others`]),
  ];
}

const maxShown = 6;

function shortList(names: readonly string[]): string {
  const left = names.length - maxShown;
  return `${names.slice(0, maxShown).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** `a, b and c`. */
function listText(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
