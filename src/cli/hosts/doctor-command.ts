/** `bridle doctor`: checks the hooks of the coding agents on this machine. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type HostExamination, examineHosts } from '../../hosts/doctor/examine-hosts.ts';
import { HostPolicy } from '../../hosts/handler/host-policy.ts';
import { hosts as allHosts } from '../../hosts/handler/hosts.ts';
import { type HostName, hostNames } from '../../hosts/host.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { messageOf } from '../../kernel/errors.ts';
import { readPolicyFiles } from '../../policy-files/read/read-policy-files.ts';
import { driverProblem } from '../../store/sqlite/sqlite-drivers.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { dataFolder, type HostOptions, placesOf } from './host-options.ts';

export async function doctorCommand(invocation: Invocation<HostOptions>): Promise<CommandReport> {
  const places = placesOf(invocation);
  const hosts = await examineHosts({ places, dataOf: (level) => dataFolder(invocation.env, level) });
  const isInstalled = hosts.some(({ hooks }) => hooks.length > 0);
  const driver = driverProblem();
  const general = [
    ...(driver === undefined ? [] : [driver]),
    ...(isInstalled ? projectProblems(hosts, places.project, bridleHome(invocation.env)) : []),
  ];
  const notes = isInstalled ? unappliedLimits(places.project, bridleHome(invocation.env)) : [];
  const isWrong = !isInstalled || general.length > 0 || hosts.some((host) => problemsOf(host).length > 0);
  return {
    code: isWrong ? exitCodes.negative : exitCodes.ok,
    data: {
      ok: !isWrong,
      problems: general,
      notes,
      hosts: hosts.map((host) => ({ ...host, problems: problemsOf(host) })),
    },
    lines: (paint) => [
      ...hosts.flatMap((host) => hostLines(host, { paint, verbose: invocation.options.verbose === true })),
      ...general.map((problem) => field(paint('bad', 'problem'), safeText(problem))),
      ...notes.map((note) => field('note', safeText(note))),
      ...summary(hosts, { isInstalled, general: general.length }),
      ...(isInstalled && invocation.options.verbose !== true
        ? ['What each coding agent cannot enforce: npx bridle doctor --verbose']
        : []),
    ],
  };
}

/** What is wrong with the policy of the folder, or missing to answer questions. */
function projectProblems(hosts: readonly HostExamination[], project: string, home: string): readonly string[] {
  const problems: string[] = [];
  try {
    const { place, isTrusted } = new HostPolicy({ project }, { home, cache: undefined, observes: false });
    if (place.file === undefined)
      problems.push(`there is no policy for ${place.root}, so every tool call there is blocked: npx bridle init`);
    else if (!isTrusted) problems.push(`${place.file} is not trusted, so every call is asked about: npx bridle trust`);
  } catch (error) {
    problems.push(`the policy is invalid, so every tool call is blocked: ${messageOf(error)}`);
  }
  const asksInStore = hosts.some(({ host, hooks, measured }) => hooks.length > 0 && (usesStore(host) || !measured));
  if (asksInStore && !hasKey(join(home, 'keys')))
    problems.push('there is no key to answer questions with: npx bridle approvals key <name>');
  return problems;
}

/** Coding agents run the calls themselves, so nothing limits their time and output. */
function unappliedLimits(project: string, home: string): readonly string[] {
  try {
    const { place } = new HostPolicy({ project }, { home, cache: undefined, observes: false });
    const files = place.file === undefined ? [] : readPolicyFiles(place.file, { cwd: place.root });
    return files.flatMap(({ policyFile: { file, rules } }) =>
      rules
        .filter(({ grant }) => grant?.timeoutMs !== undefined || grant?.outputBytes !== undefined)
        .map(({ at }) => `${file}:${at.line}: coding agents do not apply the limits timeout and output of this grant`),
    );
  } catch {
    // The policy itself is reported as a problem.
    return [];
  }
}

function usesStore(name: HostName): boolean {
  return allHosts.find((host) => host.name === name)?.records[0]?.ask === 'store';
}

function hasKey(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => /^approver-.*\.key$/.test(name));
}

function summary(
  hosts: readonly HostExamination[],
  { isInstalled, general }: { readonly isInstalled: boolean; readonly general: number },
): readonly string[] {
  const problems = hosts.reduce((sum, host) => sum + problemsOf(host).length, general);
  if (problems > 0) return [`${problems} ${problems === 1 ? 'problem' : 'problems'} found`];
  if (isInstalled) return ['no problems found'];
  const name = hosts[0]?.host ?? '<host>';
  return [
    hosts.length === 0
      ? `none of these is on PATH or has settings: ${hostNames.join(', ')}`
      : 'no hook of Bridle is installed',
    `Install one with: npx bridle install ${name}`,
    `To try it first without blocking anything: npx bridle install ${name} --observe`,
  ];
}

interface HostLinesOptions {
  readonly paint: Paint;
  readonly verbose: boolean;
}

function hostLines(host: HostExamination, { paint, verbose }: HostLinesOptions): readonly string[] {
  const { title, program, hooks } = host;
  const problems = problemsOf(host);
  const version =
    program === undefined ? 'not on PATH' : `${program.version ?? 'unknown version'} at ${safeText(program.path)}`;
  const tone = problems.length > 0 ? 'bad' : hooks.length > 0 ? 'good' : 'dim';
  const state =
    hooks.length === 0
      ? `not installed: npx bridle install ${host.host}`
      : problems.length > 0
        ? 'installed, with problems'
        : `installed (${hooks.map(({ level, observes }) => `${level} level${observes ? ', only observes' : ''}`).join('; ')})`;
  const head = `${paint('strong', title)}  ${version}  ${paint(tone, state)}`;
  const problemLines = problems.map((problem) => field(paint('bad', 'problem'), safeText(problem)));
  const measured = host.measured && hooks.length > 0 ? `  ${recordText(host)}` : '';
  const unmeasured =
    host.measured || hooks.length === 0 || problems.includes(recordText(host))
      ? []
      : [field('record', recordText(host))];
  if (!verbose) return [`${head}${measured}`, ...unmeasured, ...problemLines, ...updateNotes(host)];
  return [
    head,
    ...hooks.map(({ level, path, observes }) =>
      field('level', `${level}: ${safeText(path)}${observes ? ' (only observes)' : ''}`),
    ),
    ...(host.measured || hooks.length === 0 ? [field('record', recordText(host))] : unmeasured),
    ...problemLines,
    ...(hooks.length === 0 ? [] : detailLines(host)),
    '',
  ];
}

/** An installed hook for a version that was not measured asks about most commands, which people must know. */
function problemsOf(host: HostExamination): readonly string[] {
  const isStrictest = !host.measured && host.program !== undefined && host.hooks.some(({ observes }) => !observes);
  return isStrictest ? [recordText(host), ...host.problems] : host.problems;
}

/** Notes that ask a person to do something. */
function updateNotes({ notes, host }: HostExamination): readonly string[] {
  return notes.filter((note) => note.includes(`bridle install ${host}`)).map((note) => field('note', safeText(note)));
}

function recordText({ host, measured, isExact, usedBefore, ...rest }: HostExamination): string {
  const {
    measuredVersions: { from, to },
    program,
  } = rest;
  const range = from === to ? from : `${from} to ${to}`;
  if (measured) return isExact ? `measured (${range})` : `as measured with ${range}, used before ${usedBefore}`;
  const version =
    program?.version === undefined
      ? 'the version is not known'
      : `this version was not measured (Bridle was measured with ${range})`;
  const asks = usesStore(host)
    ? ''
    : '; answer its questions with npx bridle approvals, because its prompt was not measured';
  return `${version}, so Bridle gives the strictest answers and asks about most commands${asks}`;
}

function detailLines({ notes, pointsWithoutEvent, unhooked, gaps, wayOut }: HostExamination): readonly string[] {
  return [
    ...notes.map((note) => field('note', safeText(note))),
    field('no event', `hooks at these points do not run: ${pointsWithoutEvent.join(', ')}`),
    ...unhooked.map(({ path, instead }) => field('unhooked', `${path} ${instead}`)),
    ...gaps.map((gap) => field('gap', gap)),
    field('way out', wayOut),
  ];
}

const indent = 11;

/** Pads by the visible width: colours take no place. */
function field(name: string, text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  const width = name.replaceAll(/\u001B\[\d+m/g, '').length;
  return `  ${name}${' '.repeat(Math.max(1, indent - width))}${text}`;
}
