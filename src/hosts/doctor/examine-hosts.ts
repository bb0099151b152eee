/**
 * Finds the hosts on this machine and checks their hooks (C07): what is installed where, paths that no longer exist, and
 * settings that switch a hook off. Nothing is changed, and no hook is run.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installCommand } from '../../files/own-packages.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { canonicalText, type JsonValue } from '../../kernel/json.ts';
import { codexHooks } from '../codex/trust.ts';
import type { HostName } from '../host.ts';
import { allHostSettings } from '../install/all-settings.ts';
import { nativeFile } from '../install/handler-files.ts';
import { findHostProgram, type HostProgram, isProgram } from '../install/host-program.ts';
import { defaultLimitSeconds } from '../install/install-host.ts';
import { hostFolder, type Installation, readManifest } from '../install/manifest.ts';
import { type HookCommand, type HostSettings, type Level, levels, type Places } from '../settings/host-settings.ts';
import { unquoted } from '../settings/shell-quote.ts';
import { describedBy, pointsWithoutEvent } from './all-records.ts';

export interface ExamineOptions {
  readonly places: Places;
  readonly dataOf: (level: Level) => string;
}

/** A hook in a settings file. */
interface InstalledHook {
  readonly level: Level;
  readonly path: string;
  /** True if it only records. */
  readonly observes: boolean;
}

export interface HostExamination {
  readonly host: HostName;
  readonly title: string;
  readonly program: HostProgram | undefined;
  /** False if Bridle was not measured with this version: it then gives the strictest answers. */
  readonly measured: boolean;
  /** True if this version itself was measured, and not only an earlier one whose record is used before `usedBefore`. */
  readonly isExact: boolean;
  readonly usedBefore: string;
  readonly measuredVersions: { readonly from: string; readonly to: string };
  readonly hooks: readonly InstalledHook[];
  /** What keeps a hook from working. */
  readonly problems: readonly string[];
  /** What people should know about the levels in force. */
  readonly notes: readonly string[];
  readonly pointsWithoutEvent: readonly string[];
  readonly unhooked: readonly { readonly path: string; readonly instead: string }[];
  readonly gaps: readonly string[];
  /** How to remove the hook without Bridle. */
  readonly wayOut: string;
}

/** The hosts that are on PATH, have settings, or have a hook of Bridle. */
export async function examineHosts(options: ExamineOptions): Promise<readonly HostExamination[]> {
  const all = await Promise.all(allHostSettings.map((settings) => examineHost(settings, options)));
  return all.filter((each) => each !== undefined);
}

async function examineHost(settings: HostSettings, options: ExamineOptions): Promise<HostExamination | undefined> {
  const { places, dataOf } = options;
  const program = findHostProgram(settings.program, places.env);
  const files = levels.flatMap((level) => examineFile(settings, level, options));
  const hooks = files.flatMap(({ hook }) => hook ?? []);
  const known = levels.flatMap((level) => readManifest(dataOf(level), settings.host));
  const hasSettings = files.some(({ exists }) => exists);
  if (program === undefined && !hasSettings && known.length === 0) return undefined;
  const { record, measured, isExact } = describedBy(settings.host, program?.version);
  const isManaged = hooks.some(({ level }) => level === 'managed') && settings.host !== 'gemini';
  const switches = hooks.length === 0 ? [] : switchProblems(settings, places);
  const problems = [
    ...files.flatMap((file) => file.problems),
    ...(isManaged ? [] : switches),
    ...removedHooks(
      known.flatMap(({ files: [file] }) => file?.path ?? []),
      hooks,
    ),
    ...(await trustProblems(settings, { ...options, hooks, program })),
    ...(settings.host === 'opencode' && hooks.length > 0 && places.env['OPENCODE_PURE'] !== undefined
      ? ['OPENCODE_PURE is set: opencode does not load plugins']
      : []),
  ];
  return {
    host: settings.host,
    title: record.title,
    program,
    measured,
    isExact,
    usedBefore: record.usedBefore,
    measuredVersions: record.versions,
    hooks,
    problems: [...new Set(problems)],
    notes: [
      ...new Set([
        ...updatedSince(settings.host, known, program),
        ...hooks.flatMap(({ level }) => settings.notes(level)),
        ...(isManaged ? switches : []),
      ]),
    ],
    pointsWithoutEvent: pointsWithoutEvent(record),
    unhooked: record.unhooked,
    gaps: record.gaps,
    wayOut: settings.wayOut,
  };
}

/** The hook knows the version of the host only from the installation, unless the host reports it. */
function updatedSince(
  host: HostName,
  known: readonly Installation[],
  program: HostProgram | undefined,
): readonly string[] {
  const earlier = known.map(({ hostVersion }) => hostVersion).filter((version) => version !== program?.version);
  if (program?.version === undefined || earlier.length === 0) return [];
  return [`The hook was installed for version ${earlier[0] ?? 'unknown'}: run "npx bridle install ${host}" again.`];
}

interface ExaminedFile {
  readonly exists: boolean;
  readonly hook?: InstalledHook;
  readonly problems: readonly string[];
}

function examineFile(
  settings: HostSettings,
  level: Level,
  { places, dataOf }: ExamineOptions,
): readonly ExaminedFile[] {
  const file = settings.file(level, places);
  if (file === undefined || !existsSync(file.path)) return [];
  try {
    const text = readFileSync(file.path, 'utf8');
    const base = join(hostFolder(dataOf(level), settings.host), 'hook');
    const problems = file.inspect(text, base);
    if (problems === undefined) return [{ exists: true, problems: [] }];
    const wrapper = wrapperIn(text, base);
    const command = commandOf(wrapper);
    const hook = { level, path: file.path, observes: command.observe };
    const isChanged = problems.length === 0 && !hasSameContent(file.add(text, command), text);
    const changed = `the hook is not as it was installed, so it may not run or not block: run npx bridle install ${settings.host} again`;
    const found = isChanged ? [changed] : problems;
    const all = [...found.map((problem) => `${file.path}: ${problem}`), ...wrapperProblems(wrapper)];
    return [{ exists: true, hook, problems: all }];
  } catch (error) {
    return [
      { exists: true, problems: [error instanceof BridleError ? error.message : `${file.path}: ${messageOf(error)}`] },
    ];
  }
}

/** The path of the wrapper as the file has it, with the ending of its options. */
function wrapperIn(text: string, base: string): string {
  const plain = unquoted(text);
  const at = plain.indexOf(unquoted(base));
  return `${base}${/^[-\w]*/.exec(plain.slice(at + unquoted(base).length))?.[0] ?? ''}`;
}

/** The options with which the wrapper was installed, from its name: `hook`, `hook-observe`, `hook-30`. */
function commandOf(wrapper: string): HookCommand {
  const [, observe, limit] = /hook(-observe)?(?:-(\d+))?$/.exec(wrapper) ?? [];
  return {
    wrapper,
    observe: observe !== undefined,
    limitSeconds: limit === undefined ? defaultLimitSeconds : Number(limit),
  };
}

/** JSON may have another layout. */
function hasSameContent(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return canonicalText(JSON.parse(one) as JsonValue) === canonicalText(JSON.parse(other) as JsonValue);
  } catch {
    return false;
  }
}

/** A host runs the call if the program of its hook does not exist. */
function wrapperProblems(wrapper: string): readonly string[] {
  if (!isProgram(wrapper)) return [`${wrapper} is missing or cannot be run: install the hook again`];
  const text = readFileSync(wrapper, 'utf8');
  const valueOf = (name: string): string => unquoted(new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '');
  const [node, handler, sleep] = [valueOf('node'), valueOf('handler'), valueOf('sleep')];
  return [
    ...[node, sleep]
      .filter((path) => !isProgram(path))
      .map((path) => `${path} does not exist any more, so every call is blocked: install the hook again`),
    ...(existsSync(handler)
      ? driverProblems(node, dirname(handler))
      : [`${handler} does not exist any more, so every call is blocked: install the hook again`]),
  ];
}

/** A hook without SQLite cannot open its store. */
function driverProblems(node: string, handlerFolder: string): readonly string[] {
  if (!isProgram(node) || existsSync(join(handlerFolder, nativeFile)) || hasSqlite(node)) return [];
  const repair = `${installCommand('libsql')}, then install the hook again`;
  return [`the hook has no SQLite, which ${node} does not include, so every call is blocked: ${repair}`];
}

function hasSqlite(node: string): boolean {
  const script = "process.exit(process.getBuiltinModule?.('node:sqlite') === undefined ? 1 : 0)";
  return spawnSync(node, ['-e', script], { env: {}, stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function switchProblems(settings: HostSettings, places: Places): readonly string[] {
  return settings.switches(places).flatMap((file) => {
    const { path } = file;
    if (!existsSync(path)) return [];
    try {
      return file
        .problems(readFileSync(path, 'utf8'))
        .map((problem) => (problem.startsWith(path) ? problem : `${path}: ${problem}`));
    } catch (error) {
      return [`${path}: ${messageOf(error)}`];
    }
  });
}

function removedHooks(installed: readonly string[], hooks: readonly InstalledHook[]): readonly string[] {
  const found = new Set(hooks.map(({ path }) => path));
  return installed
    .filter((path) => !found.has(path) && existsSync(path) && !isLinked(path, found))
    .map((path) => `${path}: the hook was installed here, but it is not in the file any more`);
}

function isLinked(path: string, found: ReadonlySet<string>): boolean {
  const text = readFileSync(path, 'utf8');
  return [...found].some((each) => readFileSync(each, 'utf8') === text);
}

interface TrustOptions extends ExamineOptions {
  readonly hooks: readonly InstalledHook[];
  readonly program: HostProgram | undefined;
}

/** Codex skips hooks that are not trusted, without a message. */
async function trustProblems(
  settings: HostSettings,
  { places, dataOf, hooks, program }: TrustOptions,
): Promise<readonly string[]> {
  const own = hooks.filter(({ level }) => level !== 'managed');
  if (settings.host !== 'codex' || own.length === 0 || program === undefined) return [];
  try {
    const wrapper = join(hostFolder(dataOf('user'), 'codex'), 'hook');
    const listed = await codexHooks({ program: program.path, cwd: places.project, env: places.env }, wrapper);
    const untrusted = listed.filter(({ status }) => status !== 'trusted' && status !== 'managed');
    return [
      ...(listed.length === 0 ? ['Codex does not list the hooks, so it does not run them'] : []),
      ...(untrusted.length === 0
        ? []
        : [
            `Codex does not trust ${untrusted.length} of ${listed.length} hooks, and skips them: run npx bridle install codex again`,
          ]),
    ];
  } catch (error) {
    return [`Codex could not be asked whether it trusts the hooks: ${messageOf(error)}`];
  }
}
