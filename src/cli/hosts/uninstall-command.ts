/** `bridle uninstall`: removes the hook from the settings of a coding agent. */

import { lineDiff } from '../../hosts/install/line-diff.ts';
import { applyUninstall, planUninstall, type Removal } from '../../hosts/install/uninstall-host.ts';
import type { Level } from '../../hosts/settings/host-settings.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { dataFolder, type HostOptions, isConfirmed, placesOf, readHost, readLevel } from './host-options.ts';

export function uninstallCommand(invocation: Invocation<HostOptions>): CommandReport {
  const { positionals, options, env } = invocation;
  const settings = readHost(positionals[0]);
  const level = options.level === undefined ? undefined : readLevel(options.level);
  const dataOf = (each: Level): string => dataFolder(env, each);
  const request = { settings, places: placesOf(invocation), dataOf, level };
  const removals = planUninstall(request);
  const changes = removals.flatMap(({ path, before, after }) => lineDiff(path, before, after));
  const data = { host: settings.host, files: removals.map(describe) };
  if (removals.length === 0)
    return {
      code: exitCodes.negative,
      data: { ...data, state: 'not installed' },
      lines: () => [`${settings.host}: no hook of Bridle is installed`],
    };
  const shown = changes.map((line) => safeText(line));
  if (options.dryRun === true) return { code: exitCodes.ok, data: { ...data, state: 'planned' }, lines: () => shown };
  const question = `Remove the hook of ${settings.host}?`;
  if (!isConfirmed(changes, { question, invocation }))
    return { code: exitCodes.negative, data: { ...data, state: 'kept' }, lines: () => ['nothing was changed'] };
  applyUninstall(removals, request);
  return {
    code: exitCodes.ok,
    data: { ...data, state: 'removed' },
    lines: () => [
      ...(options.yes === true ? shown : []),
      ...removals.map((removal) => `${settings.host}: removed from ${safeText(removal.path)}`),
      'Running sessions may keep the hook until they end.',
    ],
  };
}

function describe({ level, path, after }: Removal): object {
  return { level, path, removed: after === undefined };
}
