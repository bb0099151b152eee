/** The configuration files of GitHub Copilot CLI. */

import { join } from 'node:path';
import { isJsonObject } from '../../kernel/json.ts';
import type { EventKind, HookCommand, HostSettings, Level, Places } from '../settings/host-settings.ts';
import { jsonSwitch, shellCommand } from '../settings/hook-list-file.ts';
import { ownFile } from '../settings/own-file.ts';

const events: Readonly<Record<string, EventKind>> = {
  preToolUse: 'gate',
  postToolUse: 'gate',
  postToolUseFailure: 'gate',
  userPromptSubmitted: 'gate',
  sessionStart: 'note',
  sessionEnd: 'note',
  agentStop: 'note',
  preCompact: 'note',
};

/** Without a matcher, a hook gets the calls of all tools; the matcher `*` would match none. */
function content(hook: HookCommand): string {
  const hooks = Object.fromEntries(
    Object.entries(events).map(([event, kind]) => [
      event,
      [{ type: 'command', bash: shellCommand(hook, kind), timeoutSec: hook.limitSeconds }],
    ]),
  );
  return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`;
}

function userFolder({ home, env }: Places): string {
  return env['COPILOT_HOME'] ?? join(home, '.copilot');
}

function pathOf(level: Level, places: Places): string {
  const paths = {
    user: join(userFolder(places), 'hooks/bridle.json'),
    project: join(places.project, '.github/hooks/bridle.json'),
    managed: join(places.root, 'etc/github-copilot/policy.d/bridle.json'),
  };
  return paths[level];
}

export const copilotSettings: HostSettings = {
  host: 'copilot',
  program: 'copilot',
  file: (level, places) => ownFile(pathOf(level, places), content),
  switches: (places) => [
    ...[
      join(userFolder(places), 'settings.json'),
      join(places.project, '.github/copilot/settings.json'),
      join(places.project, '.claude/settings.json'),
    ].map((path) =>
      jsonSwitch(path, (settings) =>
        settings['disableAllHooks'] === true
          ? ['"disableAllHooks" is true: hooks outside the managed level do not run']
          : [],
      ),
    ),
    ...(['user', 'project', 'managed'] as const).map((level) =>
      jsonSwitch(pathOf(level, places), (settings) => {
        const { version, hooks } = settings;
        return [
          ...(version === 1 ? [] : ['"version" is not 1, so Copilot ignores the file']),
          ...(settings['disableAllHooks'] === true ? ['"disableAllHooks" is true, so Copilot ignores the file'] : []),
          ...(hooks !== undefined && isJsonObject(hooks) && JSON.stringify(hooks).includes('"matcher":"*"')
            ? ['the matcher "*" matches no tool: leave "matcher" out']
            : []),
        ];
      }),
    ),
  ],
  notes: (level) => [
    level === 'managed'
      ? 'It survives "disableAllHooks" of a repository, and runs before other hooks.'
      : 'It does not survive "disableAllHooks" in the .github/copilot/settings.json or .claude/settings.json of a trusted repository. Only the managed level does.',
    ...(level === 'project' ? ['Copilot runs hooks of a project only in a trusted folder.'] : []),
  ],
  wayOut: 'Delete the file bridle.json from the folder with the hooks.',
};
