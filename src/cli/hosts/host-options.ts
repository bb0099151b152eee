/** Reads the arguments that the commands about coding agents share, and asks before they change files. */

import { resolve } from 'node:path';
import { bridleHome } from '../../files/bridle-home.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { hostNames } from '../../hosts/host.ts';
import { allHostSettings } from '../../hosts/install/all-settings.ts';
import { type HostSettings, type Level, levels, type Places } from '../../hosts/settings/host-settings.ts';
import { askYesNo } from '../../terminal/dialogs/blocking-prompts.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { type CommandEnv, type Invocation, usageError } from '../command/command-row.ts';

export interface HostOptions {
  readonly level?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly json?: boolean | undefined;
}

export function readHost(name: string | undefined): HostSettings {
  const settings = allHostSettings.find(({ host }) => host === name);
  if (settings === undefined) throw usageError(`unknown coding agent "${name ?? ''}": use ${hostNames.join(', ')}`);
  return settings;
}

export function readLevel(text: string): Level {
  const level = levels.find((each) => each === text);
  if (level === undefined) throw usageError(`unknown level "${text}": use ${levels.join(', ')}`);
  return level;
}

export function placesOf({ options, env }: { readonly options: HostOptions; readonly env: CommandEnv }): Places {
  return { home: homeFolder(), project: resolve(options.cwd ?? '.'), env, root: '/' };
}

/** The managed level belongs to the machine, the other ones to the user. */
export function dataFolder(env: CommandEnv, level: Level): string {
  return level === 'managed' ? '/opt/bridle' : bridleHome(env);
}

const stdout = 1;

/** Shows the changes and asks at the terminal, unless `--yes` is given. */
export function isConfirmed(
  changes: readonly string[],
  { question, invocation }: { readonly question: string; readonly invocation: Invocation<HostOptions> },
): boolean {
  const { options, streams } = invocation;
  if (options.yes === true) return true;
  if (options.json === true || terminalOf(streams) === undefined)
    throw usageError('there is no terminal to ask for confirmation: look at the change with --dry-run, then add --yes');
  writeTo(stdout, `${changes.map((line) => safeText(line)).join('\n')}\n`);
  return askYesNo(question);
}
