/** `bridle init`: writes a starter policy for a folder, and prints what it found and the next steps. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isPresetName, presetNames } from '../../policy-files/init/presets.ts';
import type { Project } from '../../policy-files/init/project/project.ts';
import { type StarterFile, starterFile, starterName } from '../../policy-files/init/starter-file.ts';
import { writePolicyFile } from '../../policy-files/init/write-policy-file.ts';
import { type PolicyExitCode, policyExitCodes } from '../exit/policy-exit-codes.ts';
import { policyFileNames, readCwd } from '../options/policy-options.ts';
import type { Streams } from '../../terminal/output/streams.ts';
import { safeJson, escapeControls } from '../../terminal/output/safe-text.ts';

/** Options as commander parses them. */
export interface InitOptions {
  readonly preset?: string | undefined;
  readonly cwd?: string | undefined;
  readonly force?: boolean | undefined;
  /** Print the policy instead of writing it. */
  readonly stdout?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export function runInit(options: InitOptions, { stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>): PolicyExitCode {
  try {
    const preset = options.preset ?? 'balanced';
    if (!isPresetName(preset)) {
      throw new BridleError(
        'OPTION_INVALID',
        `--preset must be one of ${presetNames.join(', ')}, not ${JSON.stringify(preset)}`,
      );
    }
    const folder = readCwd(options.cwd ?? '.');
    refuseOtherPolicy(folder, options);
    const starter = starterFile(folder, preset);
    const file = join(folder, starterName);
    if (options.stdout !== true) writePolicyFile(file, starter.text, { force: options.force === true });
    const written = options.stdout === true ? undefined : file;
    if (options.json === true) stdout.write(`${safeJson(reportData(starter, written))}\n`);
    else if (written === undefined) stdout.write(starter.text);
    else stdout.write(`${escapeControls(summary(starter).join('\n'))}\n`);
    return policyExitCodes.ok;
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    if (options.json === true) stdout.write(`${safeJson({ error: error.message, code: error.code })}\n`);
    stderr.write(`bridle: ${escapeControls(messageOf(error))}\n`);
    return policyExitCodes.invalid;
  }
}

/** The first file name found is used, so a new file could silently replace an existing policy. */
function refuseOtherPolicy(folder: string, options: InitOptions): void {
  if (options.force === true || options.stdout === true) return;
  const other = policyFileNames.find((name) => name !== starterName && existsSync(join(folder, name)));
  if (other === undefined) return;
  const problem = `${other} already exists, and ${starterName} would be used instead of it`;
  throw new BridleError('POLICY_FILE', `${problem}; to write it anyway, add --force`);
}

function reportData({ project, policy, text }: StarterFile, file: string | undefined): object {
  const { languages, managers, commands, folders, git, mcp, hosts, bareSecrets, notes } = project;
  return {
    file: file ?? null,
    preset: policy.preset,
    found: { languages, managers, commands: commands.map(({ line }) => line), folders, git, mcp, hosts, bareSecrets },
    notes,
    rules: policy.sections.flatMap(({ rules }) => rules).length,
    ...(file === undefined ? { policy: text } : {}),
  };
}

function summary({ project, policy }: StarterFile): string[] {
  return [
    `Wrote ${starterName} (preset ${policy.preset}).`,
    '',
    'Found:',
    ...foundLines(project, policy).map((line) => `  ${line}`),
    ...warnings(project).flatMap((line) => ['', line]),
    '',
    'Next: read the file. Then:',
    '  bridle test          runs the tests at the end of the file',
    '  bridle lint          finds problems in it',
    '  bridle trust         trusts it; until then, it cannot allow calls with side effects',
    '  bridle chat          starts a chat with an agent that follows it',
  ];
}

function foundLines(
  { languages, managers, commands: usual, starts, folders, git, mcp, hosts }: Project,
  { sections, preset }: StarterFile['policy'],
): string[] {
  const commands = preset === 'trusting' ? [...usual, ...starts] : usual;
  const hasCommandsRule = sections.some(({ rules }) => rules.some(({ name }) => name === 'commands'));
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
