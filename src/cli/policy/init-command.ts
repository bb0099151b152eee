/** `bridle init`: writes a starter policy or a project template, and explains it. */

import { join } from 'node:path';
import { writeTo } from '../../files/blocking-io.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { BridleError } from '../../kernel/errors.ts';
import { type CommandHistory, findHistories } from '../../policy-files/init/history/command-history.ts';
import { quoteWord } from '../../policy-files/init/history/history-formats.ts';
import { isPresetName, type PresetName, presetNames } from '../../policy-files/init/presets.ts';
import type { ProposedPolicy } from '../../policy-files/init/propose-policy.ts';
import type { RecordedCalls } from '../../policy-files/init/recorded-calls.ts';
import { type StarterFile, starterFile, starterName } from '../../policy-files/init/starter-file.ts';
import { writePolicyFile } from '../../policy-files/init/write-policy-file.ts';
import { driverProblem } from '../../store/sqlite/sqlite-drivers.ts';
import { askYesNo } from '../../terminal/dialogs/blocking-prompts.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { countText } from '../command/call-text.ts';
import { writeNote } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { policyFilesIn, readCwd } from '../command/policy-options.ts';
import { refuseAgents } from '../command/refuse-agents.ts';
import { recordLines, type StoreFlags, withStore } from '../command/store-options.ts';
import { choiceLines, historyLines, journalLines, warningLines } from './init-report.ts';
import { isTemplateName, localSource, templates, writeTemplate } from './write-template.ts';

interface InitOptions extends StoreFlags {
  readonly preset?: string | undefined;
  readonly template?: string | undefined;
  readonly cwd?: string | undefined;
  readonly json?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** Print the policy instead of writing it. */
  readonly stdout?: boolean | undefined;
  /** Propose a policy from the recorded calls of the store. */
  readonly fromJournal?: boolean | undefined;
  /** Decide the last commands of the user with the policy, without asking first. */
  readonly tryHistory?: boolean | undefined;
}

interface InitResult {
  readonly starter: StarterFile;
  /** The calls that the policy was proposed from. */
  readonly proposed?: ProposedPolicy | undefined;
}

export async function initCommand(invocation: Invocation<InitOptions>): Promise<CommandReport> {
  const { options } = invocation;
  const { force = false, stdout = false, fromJournal = false } = options;
  const folder = readCwd(options.cwd);
  if (options.template !== undefined) return initTemplate(options.template, folder, invocation);
  const preset = readPreset(options.preset);
  if (!force && !stdout) refuseOtherPolicy(folder);
  // A policy needs no store, but the hooks and chats that use it do.
  const problem = driverProblem();
  if (problem !== undefined) writeNote(`Before npx bridle install: ${problem}`);
  if (!fromJournal && (options.store ?? options.namespace) !== undefined)
    throw usageError('--store and --namespace need --from-journal');
  // Before anything is written.
  if (options.tryHistory === true) refuseAgents(invocation.env);
  const proposed = fromJournal ? await proposeFromStore(invocation, { folder, preset }) : undefined;
  const result: InitResult = { starter: proposed?.starter ?? starterFile(folder, preset), proposed };
  if (stdout) return printedReport(result, folder, invocation);
  const file = join(folder, starterName);
  writePolicyFile(file, result.starter.text, { force });
  const explained = [
    ...choiceLines(result.starter),
    ...warningLines(result.starter),
    ...(proposed === undefined ? [] : ['', ...journalLines(proposed)]),
  ].map(escapeControls);
  const histories = historiesToTry(folder, invocation, explained);
  const tried = histories && (await decideHistories(result.starter, histories, { folder, invocation }));
  const isShown = histories !== undefined && options.tryHistory !== true;
  return {
    code: exitCodes.ok,
    data: { ...reportData(result), file, ...(tried === undefined ? {} : { history: tried }) },
    lines: () => [...(isShown ? [] : explained), ...triedLines(tried, isShown ? [] : [''])],
  };
}

function readPreset(preset = 'balanced'): PresetName {
  if (isPresetName(preset)) return preset;
  throw usageError(`--preset must be one of ${presetNames.join(', ')}, not ${JSON.stringify(preset)}`);
}

/** The policy goes to stdout, so that it can be redirected, and everything else to stderr. */
async function printedReport(
  result: InitResult,
  folder: string,
  invocation: Invocation<InitOptions>,
): Promise<CommandReport> {
  const { starter, proposed } = result;
  const tried =
    invocation.options.tryHistory === true
      ? await decideHistories(starter, historiesOf(folder, invocation), { folder, invocation })
      : undefined;
  const notes = [...(proposed === undefined ? [] : journalLines(proposed)), ...triedLines(tried)];
  if (invocation.options.json !== true) for (const line of notes) writeNote(escapeControls(line));
  return {
    code: exitCodes.ok,
    data: {
      ...reportData(result),
      file: null,
      policy: starter.text,
      ...(tried === undefined ? {} : { history: tried }),
    },
    lines: () => [starter.text.replace(/\n$/, '')],
  };
}

function initTemplate(name: string, folder: string, { options, version }: Invocation<InitOptions>): CommandReport {
  const names = Object.keys(templates).join(', ');
  if (!isTemplateName(name)) throw usageError(`--template must be one of ${names}, not ${JSON.stringify(name)}`);
  const others = ['preset', 'stdout', 'fromJournal', 'tryHistory', 'store', 'namespace'] as const;
  if (others.some((option) => options[option] !== undefined))
    throw usageError('--template brings its own policy: only --cwd, --force and --json go with it');
  const force = options.force ?? false;
  if (!force) refuseOtherPolicy(folder);
  const { files, keptScripts, isBridleAdded } = writeTemplate(name, { folder, force, version });
  const source = isBridleAdded ? localSource() : undefined;
  const install = source === undefined ? 'npm install' : `npm install ${quoteWord(source)}`;
  return {
    code: exitCodes.ok,
    data: { template: name, folder, files, keptScripts },
    lines: () => [
      `Wrote ${templates[name]}: ${files.join(', ')}.`,
      ...keptScripts.map((script) => `Your package.json keeps its own script "${script}"; README.md says what to run.`),
      `Next: ${install}, then npm start and npm test. README.md explains the files.`,
    ],
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
  const hint = 'record some first with npx bridle install <host> --observe, or leave out --from-journal';
  throw usageError(`the journal has no calls in ${where.folder}${others}; ${hint}`);
}

/** The first file name found is used, so a new file could silently replace an existing policy. */
function refuseOtherPolicy(folder: string): void {
  const other = policyFilesIn(folder).find((name) => name !== starterName);
  if (other === undefined) return;
  const problem = `${other} already exists, and ${starterName} would be used instead of it`;
  throw new BridleError('POLICY_FILE', `${problem}; to write it anyway, add --force`);
}

interface TriedHistory extends RecordedCalls {
  readonly sources: readonly string[];
}

function historiesOf(folder: string, { env }: Invocation<InitOptions>): readonly CommandHistory[] {
  return findHistories({ home: homeFolder(), folder, env });
}

/** With `--try-history` all of them; otherwise those that the user agrees to at the terminal, after reading `explained`. */
function historiesToTry(
  folder: string,
  invocation: Invocation<InitOptions>,
  explained: readonly string[],
): readonly CommandHistory[] | undefined {
  const { options, streams, env } = invocation;
  if (options.tryHistory === true) return historiesOf(folder, invocation);
  if (options.json === true || terminalOf(streams) === undefined || isStartedByAgent(env)) return undefined;
  const found = historiesOf(folder, invocation);
  if (found.length === 0) return undefined;
  writeTo(1, `${explained.join('\n')}\n\n`);
  const names = escapeControls(found.map(({ name }) => name).join(', '));
  const isYes = askYesNo(`Try the policy on your last commands? This reads ${names}, and stores nothing.`);
  return isYes ? found : [];
}

function isStartedByAgent(env: Invocation['env']): boolean {
  try {
    refuseAgents(env);
    return false;
  } catch (error) {
    if (error instanceof BridleError) return true;
    throw error;
  }
}

async function decideHistories(
  starter: StarterFile,
  histories: readonly CommandHistory[],
  { folder, invocation }: { readonly folder: string; readonly invocation: Invocation<InitOptions> },
): Promise<TriedHistory | undefined> {
  const isRefused = histories.length === 0 && invocation.options.tryHistory !== true;
  if (isRefused) return undefined;
  const [{ policyOf }, { decideHistory }, { maskSecrets }] = await Promise.all([
    import('../../policy-files/init/propose-policy.ts'),
    import('../../policy-files/init/recorded-calls.ts'),
    import('../../redact/mask-secrets.ts'),
  ]);
  const policy = policyOf(starter, { folder, home: bridleHome(invocation.env) });
  const commands = histories.flatMap((history) => history.read());
  const tried = await decideHistory(commands, policy, maskSecrets());
  return { ...tried, sources: histories.map(({ name }) => name) };
}

function triedLines(tried: TriedHistory | undefined, before: readonly string[] = []): readonly string[] {
  return tried === undefined ? [] : [...before, ...historyLines(tried, tried.sources).map(escapeControls)];
}

function reportData({ starter, proposed }: InitResult): object {
  const { project, preset, policyFile } = starter;
  const { languages, managers, commands, folders, git, mcp, hosts, bareSecrets, notes } = project;
  return {
    preset,
    found: { languages, managers, commands: commands.map(({ line }) => line), folders, git, mcp, hosts, bareSecrets },
    notes,
    rules: policyFile.rules.length,
    ...(proposed === undefined ? {} : { journal: { ...proposed.recorded, commands: proposed.added } }),
  };
}
