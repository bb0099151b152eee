/** The configuration files of Claude Code. */

import { join } from 'node:path';
import { isJsonObject } from '../../kernel/json.ts';
import type { HostSettings, Level, Places } from '../settings/host-settings.ts';
import { hookListFile, jsonSwitch } from '../settings/hook-list-file.ts';
import { claudeEntry, claudeEvents } from './hook-entries.ts';

function userFolder({ home, env }: Places): string {
  return env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude');
}

function pathOf(level: Level, places: Places): string {
  const paths = {
    user: join(userFolder(places), 'settings.json'),
    project: join(places.project, '.claude/settings.local.json'),
    managed: join(places.root, 'etc/claude-code/managed-settings.json'),
  };
  return paths[level];
}

export const claudeSettings: HostSettings = {
  host: 'claude',
  program: 'claude',
  file: (level, places) => hookListFile({ path: pathOf(level, places), events: claudeEvents, groupOf: claudeEntry }),
  switches: (places) =>
    [
      pathOf('user', places),
      join(places.project, '.claude/settings.json'),
      pathOf('project', places),
      pathOf('managed', places),
    ].map((path) =>
      jsonSwitch(path, ({ disableAllHooks, env = null }) => [
        ...(disableAllHooks === true ? ['"disableAllHooks" is true: hooks outside the managed level do not run'] : []),
        ...Object.keys(isJsonObject(env) ? env : {})
          .filter((name) => /^(?:LD|DYLD)_/.test(name))
          .map((name) => `"env" sets ${name}, so a library can answer instead of a hook outside the managed level`),
      ]),
    ),
  notes: (level) =>
    level === 'managed'
      ? ['It survives --bare, --safe-mode, --setting-sources and "disableAllHooks" of a repository.']
      : [
          'It does not survive "disableAllHooks" in the .claude/settings.json of a repository, --bare, --safe-mode or --setting-sources. Only the managed level does.',
        ],
  wayOut: 'Delete the entries with "bridle" in their command from the settings file, or start claude with --safe-mode.',
};
