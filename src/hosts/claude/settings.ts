/** The configuration files of Claude Code. */

import { join } from 'node:path';
import type { HookCommand, HostSettings, Level, Places } from '../settings/host-settings.ts';
import { hookListFile, jsonSwitch } from '../settings/hook-list-file.ts';

const events = {
  PreToolUse: 'gate',
  PostToolUse: 'gate',
  PostToolUseFailure: 'gate',
  UserPromptSubmit: 'gate',
  ConfigChange: 'gate',
  SessionStart: 'note',
  SessionEnd: 'note',
  Stop: 'note',
  SubagentStop: 'note',
  PreCompact: 'note',
} as const;

/** With `args`, Claude Code starts the program without a shell. Its time limits are in seconds. */
function groupOf(event: string, kind: 'gate' | 'note', { wrapper, limitSeconds, observe }: HookCommand) {
  const failClosed = kind === 'gate' && !observe ? { onFailure: 'block' } : {};
  const hook = { type: 'command', command: wrapper, args: [kind], timeout: limitSeconds, ...failClosed };
  return { ...(event.includes('ToolUse') ? { matcher: '*' } : {}), hooks: [hook] };
}

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
  file: (level, places) => hookListFile({ path: pathOf(level, places), events, groupOf }),
  switches: (places) =>
    [
      pathOf('user', places),
      join(places.project, '.claude/settings.json'),
      pathOf('project', places),
      pathOf('managed', places),
    ].map((path) =>
      jsonSwitch(path, (settings) =>
        settings['disableAllHooks'] === true
          ? ['"disableAllHooks" is true: hooks outside the managed level do not run']
          : [],
      ),
    ),
  notes: (level) =>
    level === 'managed'
      ? ['It survives --bare, --safe-mode, --setting-sources and "disableAllHooks" of a repository.']
      : [
          'It does not survive "disableAllHooks" in the .claude/settings.json of a repository, --bare, --safe-mode or --setting-sources. Only the managed level does.',
        ],
  wayOut: 'Delete the entries with "bridle" in their command from the settings file, or start claude with --safe-mode.',
};
