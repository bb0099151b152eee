/** `bridle init`: writes a starter policy for a folder, and prints what it found and the next steps. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { isPresetName, type PresetName, presetNames } from '../../policy-files/init/presets.ts';
import type { Project } from '../../policy-files/init/project/project.ts';
import type { ProposedPolicy } from '../../policy-files/init/propose-policy.ts';
import type { CallGroup } from '../../policy-files/init/recorded-calls.ts';
import { type StarterFile, starterFile, starterName } from '../../policy-files/init/starter-file.ts';
import { writePolicyFile } from '../../policy-files/init/write-policy-file.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { countText } from '../command/call-text.ts';
import { writeNote } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { refuseAgents } from '../command/refuse-agents.ts';
import { recordLines, type StoreFlags, withStore } from '../command/store-options.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { policyFilesIn, readCwd } from '../command/policy-options.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

interface InitOptions extends StoreFlags {
  readonly preset?: string | undefined;
  readonly cwd?: string | undefined;
  readonly force?: boolean | undefined;
  /** Print the policy instead of writing it. */
  readonly stdout?: boolean | undefined;
  /** Propose a policy from the recorded calls of the store. */
  readonly fromJournal?: boolean | undefined;
}

interface InitResult {
  readonly starter: StarterFile;
  /** The calls that the policy was proposed from. */
  readonly proposed?: ProposedPolicy | undefined;
}

export async function initPolicy(invocation: Invocation<InitOptions>): Promise<CommandReport> {
  const { options } = invocation;
  const { preset = 'balanced', force = false, stdout = false, fromJournal = false } = options;
  if (!isPresetName(preset))
    throw usageError(`--preset must be one of ${presetNames.join(', ')}, not ${JSON.stringify(preset)}`);
  const folder = readCwd(options.cwd);
  if (!force && !stdout) refuseOtherPolicy(folder);
  if (!fromJournal && (options.store ?? options.namespace) !== undefined)
    throw usageError('--store and --namespace need --from-journal');
  const proposed = fromJournal ? await proposeFromStore(invocation, { folder, preset }) : undefined;
  const result: InitResult = { starter: proposed?.starter ?? starterFile(folder, preset), proposed };
  const { starter } = result;
  const file = join(folder, starterName);
  if (!stdout) writePolicyFile(file, starter.text, { force });
  // The policy goes to stdout, so that it can be redirected.
  else if (proposed !== undefined) for (const line of journalSummary(proposed)) writeNote(escapeControls(line));
  return {
    code: exitCodes.ok,
    data: reportData(result, stdout ? undefined : file),
    lines: () => (stdout ? [starter.text.replace(/\n$/, '')] : summary(result).map(escapeControls)),
  };
}

/** The journal shows what agents did in other sessions, so this is for people. */
async function proposeFromStore(
  invocation: Invocation<InitOptions>,
  where: { readonly folder: string; readonly preset: PresetName },
): Promise<ProposedPolicy> {
  refuseAgents(invocation.env);
  const { proposePolicy } = await import('../../policy-files/init/propose-policy.ts');
  const home = bridleHome(invocation.env);
  const proposed = await withStore(invocation, ({ journal }) =>
    proposePolicy(() => recordLines(journal), { ...where, home }),
  );
  const { calls, cannotTell, inOtherFolders } = proposed.recorded;
  if (calls + cannotTell > 0) return proposed;
  const others = inOtherFolders === 0 ? '' : ` (it has ${countText(inOtherFolders, 'call')} in other folders)`;
  const hint = 'record some first with bridle install <host> --observe, or leave out --from-journal';
  throw usageError(`the journal has no calls in ${where.folder}${others}; ${hint}`);
}

/** The first file name found is used, so a new file could silently replace an existing policy. */
function refuseOtherPolicy(folder: string): void {
  const other = policyFilesIn(folder).find((name) => name !== starterName);
  if (other === undefined) return;
  const problem = `${other} already exists, and ${starterName} would be used instead of it`;
  throw new BridleError('POLICY_FILE', `${problem}; to write it anyway, add --force`);
}

function reportData({ starter, proposed }: InitResult, file: string | undefined): object {
  const { project, preset, policyFile, text } = starter;
  const { languages, managers, commands, folders, git, mcp, hosts, bareSecrets, notes } = project;
  return {
    file: file ?? null,
    preset,
    found: { languages, managers, commands: commands.map(({ line }) => line), folders, git, mcp, hosts, bareSecrets },
    notes,
    rules: policyFile.rules.length,
    ...(file === undefined ? { policy: text } : {}),
    ...(proposed === undefined ? {} : { journal: { ...proposed.recorded, commands: proposed.added } }),
  };
}

function summary({ starter, proposed }: InitResult): string[] {
  return [
    `Wrote ${starterName} (preset ${starter.preset}).`,
    '',
    'Found:',
    ...foundLines(starter).map((line) => `  ${line}`),
    ...warnings(starter.project).flatMap((line) => ['', line]),
    ...(proposed === undefined ? [] : ['', ...journalSummary(proposed)]),
    '',
    'Next: read the file. Then:',
    '  bridle test          runs the tests at the end of the file',
    '  bridle lint          finds problems in it',
    '  bridle trust         trusts it; until then, it cannot allow calls with side effects',
    '  bridle install       makes a coding agent follow it: bridle install claude',
    '  bridle chat          starts a chat with an agent that follows it',
  ];
}

function foundLines({ project, preset, policyFile }: StarterFile): string[] {
  const { languages, managers, commands: usual, starts, folders, git, mcp, hosts } = project;
  const commands = preset === 'trusting' ? [...usual, ...starts] : usual;
  const hasCommandsRule = policyFile.rules.some(({ name }) => name === 'commands');
  const kinds = languages.length === 0 ? 'no known project type' : languages.join(', ');
  return [
    managers.length === 0 ? kinds : `${kinds}, with ${managers.join(', ')}`,
    commands.length === 0
      ? `no commands to test, build or check it${hasCommandsRule ? ': add yours to the rule "commands"' : ''}`
      : `commands: ${shortList(commands.map(({ line }) => line))}`,
    ...(folders.length === 0 ? [] : [`project folders: ${shortList(folders)}`]),
    git ? 'a git repository' : 'no git repository',
    ...mcp.map(({ file, servers }) => `MCP servers in ${file}: ${servers.join(', ')}`),
    ...hosts.map((file) => `agent settings: ${file}`),
  ];
}

/** What the policy would have decided about the recorded calls. */
function journalSummary({ recorded, added }: ProposedPolicy): string[] {
  const { calls, decisions, cannotTell, unreadable, inOtherFolders, groups } = recorded;
  const leftOut = [
    ...(cannotTell === 0 ? [] : [`${cannotTell} with masked values or session state`]),
    ...(inOtherFolders === 0 ? [] : [`${inOtherFolders} in other folders`]),
    ...(unreadable === 0 ? [] : [`${unreadable} not readable`]),
  ];
  return [
    `The journal has ${countText(calls, 'call')} in this folder. With this policy: ${decisions.allow} allowed, ${decisions.ask} asked about, ${decisions.deny} denied.`,
    ...(leftOut.length === 0 ? [] : [`Not counted: ${leftOut.join(', ')}.`]),
    ...(added.length === 0 ? [] : [`Added to the rule "commands": ${shortList(added)}`]),
    ...groupLines('Asked about', groups, 'ask'),
    ...groupLines('Denied', groups, 'deny'),
  ];
}

const maxGroups = 20;

function groupLines(title: string, all: readonly CallGroup[], effect: CallGroup['effect']): string[] {
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

const maxShown = 12;

function shortList(names: readonly string[]): string {
  const left = names.length - maxShown;
  return `${names.slice(0, maxShown).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function warnings({ bareSecrets, notes }: Project): string[] {
  const secretWarning =
    bareSecrets.length === 0
      ? []
      : [
          `Warning: git does not ignore ${bareSecrets.join(', ')}, so searches can show its content. The policy asks before each search.`,
        ];
  return [...secretWarning, ...notes.map((note) => `Left out: ${note}.`)];
}
