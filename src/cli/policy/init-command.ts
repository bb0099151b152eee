/** `bridle init`: writes a starter policy for a folder, and prints what it found and the next steps. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { isPresetName, presetNames } from '../../policy-files/init/presets.ts';
import type { Project } from '../../policy-files/init/project/project.ts';
import { type StarterFile, starterFile, starterName } from '../../policy-files/init/starter-file.ts';
import { writePolicyFile } from '../../policy-files/init/write-policy-file.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { policyFilesIn, readCwd } from '../command/policy-options.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

interface InitOptions {
  readonly preset?: string | undefined;
  readonly cwd?: string | undefined;
  readonly force?: boolean | undefined;
  /** Print the policy instead of writing it. */
  readonly stdout?: boolean | undefined;
}

export function initPolicy({ options }: Invocation<InitOptions>): CommandReport {
  const { preset = 'balanced', force = false, stdout = false } = options;
  if (!isPresetName(preset))
    throw usageError(`--preset must be one of ${presetNames.join(', ')}, not ${JSON.stringify(preset)}`);
  const folder = readCwd(options.cwd);
  if (!force && !stdout) refuseOtherPolicy(folder);
  const starter = starterFile(folder, preset);
  const file = join(folder, starterName);
  if (!stdout) writePolicyFile(file, starter.text, { force });
  return {
    code: exitCodes.ok,
    data: reportData(starter, stdout ? undefined : file),
    lines: () => (stdout ? [starter.text.replace(/\n$/, '')] : summary(starter).map(escapeControls)),
  };
}

/** The first file name found is used, so a new file could silently replace an existing policy. */
function refuseOtherPolicy(folder: string): void {
  const other = policyFilesIn(folder).find((name) => name !== starterName);
  if (other === undefined) return;
  const problem = `${other} already exists, and ${starterName} would be used instead of it`;
  throw new BridleError('POLICY_FILE', `${problem}; to write it anyway, add --force`);
}

function reportData({ project, preset, policyFile, text }: StarterFile, file: string | undefined): object {
  const { languages, managers, commands, folders, git, mcp, hosts, bareSecrets, notes } = project;
  return {
    file: file ?? null,
    preset,
    found: { languages, managers, commands: commands.map(({ line }) => line), folders, git, mcp, hosts, bareSecrets },
    notes,
    rules: policyFile.rules.length,
    ...(file === undefined ? { policy: text } : {}),
  };
}

function summary(starter: StarterFile): string[] {
  return [
    `Wrote ${starterName} (preset ${starter.preset}).`,
    '',
    'Found:',
    ...foundLines(starter).map((line) => `  ${line}`),
    ...warnings(starter.project).flatMap((line) => ['', line]),
    '',
    'Next: read the file. Then:',
    '  bridle test          runs the tests at the end of the file',
    '  bridle lint          finds problems in it',
    '  bridle trust         trusts it; until then, it cannot allow calls with side effects',
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
