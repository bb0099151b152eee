/** `bridle doctor`: checks the hooks of the coding agents on this machine. */

import { type HostExamination, examineHosts } from '../../hosts/doctor/examine-hosts.ts';
import { hostNames } from '../../hosts/host.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { dataFolder, type HostOptions, placesOf } from './host-options.ts';

export async function doctorCommand(invocation: Invocation<HostOptions>): Promise<CommandReport> {
  const places = placesOf(invocation);
  const hosts = await examineHosts({ places, dataOf: (level) => dataFolder(invocation.env, level) });
  const isInstalled = hosts.some(({ hooks }) => hooks.length > 0);
  const isWrong = !isInstalled || hosts.some(({ problems }) => problems.length > 0);
  return {
    code: isWrong ? exitCodes.negative : exitCodes.ok,
    data: { ok: !isWrong, hosts },
    lines: (paint) => [...hosts.flatMap((host) => [...hostLines(host, paint), '']), ...summary(hosts, isInstalled)],
  };
}

function summary(hosts: readonly HostExamination[], isInstalled: boolean): readonly string[] {
  const problems = hosts.reduce((sum, host) => sum + host.problems.length, 0);
  if (problems > 0) return [`${problems} ${problems === 1 ? 'problem' : 'problems'} found`];
  if (isInstalled) return ['no problems found'];
  const [first] = hosts;
  return [
    hosts.length === 0
      ? `none of these is on PATH or has settings: ${hostNames.join(', ')}`
      : 'no hook of Bridle is installed',
    `Install one with: bridle install ${first?.host ?? '<host>'}`,
    'Try it without blocking anything first: add --observe',
  ];
}

function hostLines(host: HostExamination, paint: Paint): readonly string[] {
  const { title, program, hooks, problems } = host;
  const version =
    program === undefined ? 'not on PATH' : `${program.version ?? 'unknown version'} at ${safeText(program.path)}`;
  const tone = problems.length > 0 ? 'bad' : hooks.length > 0 ? 'good' : 'dim';
  const state =
    hooks.length === 0
      ? `not installed: bridle install ${host.host}`
      : problems.length > 0
        ? 'installed, with problems'
        : 'installed';
  return [
    `${paint('strong', title)}  ${version}  ${paint(tone, state)}`,
    ...hooks.map(({ level, path, observes }) =>
      field('level', `${level}: ${safeText(path)}${observes ? ' (only observes)' : ''}`),
    ),
    field('record', recordText(host)),
    ...problems.map((problem) => field(paint('bad', 'problem'), safeText(problem))),
    ...(hooks.length === 0 ? [] : detailLines(host)),
  ];
}

function recordText({ measured, measuredVersions: { from, to }, program }: HostExamination): string {
  const range = from === to ? from : `${from} to ${to}`;
  if (measured) return `measured (${range})`;
  const version =
    program?.version === undefined ? 'the version is not known' : `not measured (Bridle was measured with ${range})`;
  return `${version}: Bridle gives the strictest answers`;
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
