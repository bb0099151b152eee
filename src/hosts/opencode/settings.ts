/** The plugin file of opencode. */

import { join } from 'node:path';
import type { HostSettings, Level, Places } from '../settings/host-settings.ts';
import { ownFile } from '../settings/own-file.ts';
import { pluginText } from './plugin.ts';

function pathOf(level: Level, { home, project, env }: Places): string | undefined {
  const paths = {
    user: join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode/plugin/bridle.js'),
    project: join(project, '.opencode/plugin/bridle.js'),
    managed: undefined,
  };
  return paths[level];
}

export const opencodeSettings: HostSettings = {
  host: 'opencode',
  program: 'opencode',
  file: (level, places) => {
    const path = pathOf(level, places);
    return path === undefined
      ? undefined
      : ownFile(path, ({ wrapper, ...hook }) => pluginText({ handler: wrapper, ...hook }));
  },
  switches: () => [],
  notes: () => [
    'It does not survive --pure and OPENCODE_PURE=1. opencode has no level that does.',
    'opencode does not load a plugin that is broken, without a message. It waits for the plugin without a time limit.',
  ],
  wayOut: 'Delete the file bridle.js from the folder with the plugins, or start opencode with --pure.',
};
