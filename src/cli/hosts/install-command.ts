/** `bridle install`: adds the hook to the settings of a coding agent. */

import { hosts } from '../../hosts/handler/hosts.ts';
import { recordFor } from '../../hosts/host-records.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { codexHome } from '../../hosts/codex/settings.ts';
import { trustCodexHooks } from '../../hosts/codex/trust.ts';
import { findHostProgram, isForAllUsers } from '../../hosts/install/host-program.ts';
import {
  applyInstall,
  defaultLimitSeconds,
  type InstallPlan,
  minLimitSeconds,
  planInstall,
} from '../../hosts/install/install-host.ts';
import { lineDiff } from '../../hosts/install/line-diff.ts';
import { noteTrust } from '../../hosts/install/manifest.ts';
import { findDriver } from '../../store/sqlite/sqlite-drivers.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { dataFolder, type HostOptions, isConfirmed, placesOf, readHost, readLevel } from './host-options.ts';

interface InstallCommandOptions extends HostOptions {
  readonly observe?: boolean | undefined;
  readonly limit?: string | undefined;
}

export async function installCommand(invocation: Invocation<InstallCommandOptions>): Promise<CommandReport> {
  const { positionals, options, env } = invocation;
  const settings = readHost(positionals[0]);
  const level = readLevel(options.level ?? 'user');
  if (level === 'managed' && !isForAllUsers(process.execPath))
    throw usageError(`other users cannot run ${process.execPath}: use a node that is installed for all users`);
  // A hook without a driver would block every call.
  findDriver();
  const program = findHostProgram(settings.program, env);
  const plan = planInstall({
    settings,
    level,
    places: placesOf(invocation),
    data: dataFolder(env, level),
    limitSeconds: readLimit(options.limit),
    observe: options.observe === true,
    program,
  });
  const changes = changeLines(plan, options.dryRun === true || options.verbose === true ? undefined : shownDiffLines);
  if (options.dryRun === true)
    return report(plan, { state: plan.hasChanges ? 'planned' : 'already installed', changes });
  const question = `Install the hook of ${settings.host}?`;
  const isAsked = plan.hasChanges && options.yes !== true;
  // Before the question, because it concerns every other folder of the user.
  const warned = blockNotes(plan).map((note) => `Note: ${note}`);
  if (plan.hasChanges && !isConfirmed([...changes, ...warned], { question, invocation }))
    return report(plan, { state: 'not installed', changes: [] });
  const backup = plan.hasChanges ? applyInstall(plan).backup : undefined;
  const trust = settings.host === 'codex' && level !== 'managed' ? await trustHook(plan) : undefined;
  const state = plan.hasChanges ? 'installed' : 'already installed';
  return report(plan, { state, changes: isAsked ? [] : changes, isWarned: isAsked, backup, trust });
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimitSeconds;
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < minLimitSeconds || seconds > 600)
    throw usageError(`--limit must be a whole number of seconds from ${minLimitSeconds} to 600`);
  return seconds;
}

/** A screenful, with the lines around it. */
const shownDiffLines = 20;

/** `most`: longer diffs are cut. */
function changeLines({ named, before, after, wrapper, handler }: InstallPlan, most?: number): readonly string[] {
  const diff = after === before.text ? [] : lineDiff(before.path, before.text, after);
  return [
    ...(before.path === named ? [] : [`${named} leads to ${before.path} through a link, and that file is changed.`]),
    ...(most === undefined || diff.length <= most ? diff : [...diff.slice(0, most), diffSummary(diff, most)]),
    ...(wrapper.isNew ? [`writes ${wrapper.path}, which the coding agent runs`] : []),
    ...(handler.exists ? [] : [`copies the handler to ${handler.folder}`]),
  ];
}

function diffSummary(diff: readonly string[], most: number): string {
  const count = (mark: string): number => diff.slice(2).filter((line) => line.startsWith(mark)).length;
  return `… ${diff.length - most} more lines: ${count('+')} lines are added and ${count('-')} removed (all of them: --dry-run or --verbose)`;
}

interface TrustResult {
  readonly isTrusted: boolean;
  readonly note: string;
}

/** Codex skips hooks that are not trusted, so an installation without trust enforces nothing. */
async function trustHook({ options, wrapper, before }: InstallPlan): Promise<TrustResult> {
  const { program, places, data } = options;
  const how =
    'Start codex, open /hooks and trust the hooks of Bridle; or run this command again when codex is on PATH.';
  if (program === undefined)
    return { isTrusted: false, note: `Codex does not run the hook yet, because it is not trusted. ${how}` };
  const config = join(codexHome(places), 'config.toml');
  const earlier = textIn(config);
  try {
    const hooks = await trustCodexHooks({ program: program.path, cwd: places.project, env: places.env }, wrapper.path);
    const own = hooks.filter(({ file }) => file === before.path);
    noteTrust(data, before.path, { config, before: earlier, after: textIn(config), keys: own.map(({ key }) => key) });
    const isTrusted = own.length > 0 && own.every(({ status }) => status === 'trusted');
    return {
      isTrusted,
      note: isTrusted ? 'Codex trusts the hook.' : `Codex does not list the hook as trusted. ${how}`,
    };
  } catch (error) {
    return { isTrusted: false, note: `The hook could not be trusted: ${messageOf(error)}. ${how}` };
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

interface Result {
  readonly state: 'planned' | 'installed' | 'already installed' | 'not installed';
  readonly changes: readonly string[];
  /** The user has read what is blocked. */
  readonly isWarned?: boolean;
  readonly backup?: string | undefined;
  readonly trust?: TrustResult | undefined;
}

/** Where a person answers the questions of this version, and a note if that is not where people expect it. */
function questionsOf(name: string, version: string | undefined): { usesStore: boolean; note: readonly string[] } {
  const host = hosts.find((each) => each.name === name);
  const record = host && recordFor(host, version);
  const note = `Bridle was not measured with this version of ${record?.title}, so it does not rely on its prompt: answer questions with npx bridle approvals.`;
  return { usesStore: record?.ask === 'store', note: record?.unmeasuredPrompt === true ? [note] : [] };
}

function blockNotes({ options: { level, observe } }: InstallPlan): readonly string[] {
  const text =
    'In folders without a policy, every tool call is blocked: run npx bridle init there, or install with --observe.';
  return level === 'project' || observe ? [] : [text];
}

function report(plan: InstallPlan, { state, changes, isWarned, backup, trust }: Result): CommandReport {
  const { settings, level, program, observe, limitSeconds } = plan.options;
  const isDone = state === 'installed' || state === 'already installed';
  const found =
    program === undefined
      ? `${settings.program} is not on PATH`
      : `found ${program.path}, version ${program.version ?? 'unknown'}`;
  const blocks = blockNotes(plan);
  const { usesStore, note } = questionsOf(settings.host, program?.version);
  const notes = [...settings.notes(level), ...note, ...blocks, ...(trust === undefined ? [] : [trust.note])];
  const next = [
    'npx bridle init      writes a policy for a project',
    'npx bridle trust     trusts it',
    ...(usesStore
      ? ['npx bridle approvals key <name>   makes your key: questions of this agent are answered with it']
      : []),
    'npx bridle doctor    checks the installation',
    `npx bridle uninstall ${settings.host}   removes the hook`,
  ];
  return {
    code: state === 'not installed' || trust?.isTrusted === false ? exitCodes.negative : exitCodes.ok,
    data: {
      host: settings.host,
      level,
      state,
      file: plan.before.path,
      backup,
      wrapper: plan.wrapper.path,
      handler: plan.handler.folder,
      node: plan.node,
      program,
      observe,
      limitSeconds,
      changes: state === 'not installed' ? [] : changeLines(plan),
      trusted: trust?.isTrusted,
      notes,
    },
    lines: () =>
      [
        found,
        ...changes,
        `${settings.host}: ${state} at the ${level} level${observe ? ', only observing' : ''}`,
        ...(backup === undefined ? [] : [`backup of the settings file: ${backup}`]),
        ...(isDone || state === 'planned'
          ? notes.filter((note) => isWarned !== true || !blocks.includes(note)).map((note) => `Note: ${note}`)
          : []),
        ...(isDone ? ['Next:', ...next.map((line) => `  ${line}`)] : []),
      ].map((line) => safeText(line)),
  };
}
