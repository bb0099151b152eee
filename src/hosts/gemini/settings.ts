/** The configuration files of Gemini CLI. */

import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { HookCommand, HostSettings, Level, Places } from '../settings/host-settings.ts';
import { hookListFile, jsonSwitch, shellCommand } from '../settings/hook-list-file.ts';
import { harmfulIn } from './run-text.ts';

const events = {
  BeforeTool: 'gate',
  AfterTool: 'gate',
  BeforeAgent: 'gate',
  AfterAgent: 'note',
  SessionStart: 'note',
  SessionEnd: 'note',
  PreCompress: 'note',
} as const;

const hookName = 'bridle';

/** Time limits of Gemini CLI are in milliseconds. */
function groupOf(event: string, kind: 'gate' | 'note', hook: HookCommand) {
  const command = shellCommand(hook, kind);
  const handler = { type: 'command', name: hookName, command, timeout: hook.limitSeconds * 1000 };
  return { ...(event.endsWith('Tool') ? { matcher: '*' } : {}), hooks: [handler] };
}

function pathOf(level: Level, { home, project, root, env }: Places): string {
  const paths = {
    user: join(env['GEMINI_CLI_HOME'] ?? home, '.gemini/settings.json'),
    project: join(project, '.gemini/settings.json'),
    managed: join(root, 'etc/gemini-cli/settings.json'),
  };
  return paths[level];
}

function switchesOff({ hooksConfig }: JsonObject): readonly string[] {
  if (hooksConfig === undefined || !isJsonObject(hooksConfig)) return [];
  const { enabled, disabled } = hooksConfig;
  return [
    ...(enabled === false ? ['"hooksConfig.enabled" is false: no hook runs'] : []),
    ...(Array.isArray(disabled) && disabled.includes(hookName)
      ? [`"hooksConfig.disabled" lists "${hookName}": this hook does not run`]
      : []),
  ];
}

function foldersAbove(project: string): readonly string[] {
  const all = [project];
  for (let folder = project; folder !== dirname(folder);) all.push((folder = dirname(folder)));
  return all;
}

/** Gemini CLI starts hooks in bash, with the variables of this file. */
function runsBeforeHook(text: string): readonly string[] {
  return harmfulIn(text)
    .filter((name) => /^(?:BASH_|LD_|DYLD_|SHELLOPTS$)/.test(name))
    .map((name) => `it sets ${name}, so other code runs before the hook and can answer instead of it`);
}

export const geminiSettings: HostSettings = {
  host: 'gemini',
  program: 'gemini',
  file: (level, places) => hookListFile({ path: pathOf(level, places), events, groupOf }),
  switches: (places) => [
    ...(['user', 'project', 'managed'] as const).map((level) => jsonSwitch(pathOf(level, places), switchesOff)),
    ...foldersAbove(places.project).flatMap((folder) =>
      ['.gemini/.env', '.env'].map((file) => ({ path: join(folder, file), problems: runsBeforeHook })),
    ),
  ],
  notes: (level) => [
    'No level survives a trusted repository whose .gemini/settings.json sets "hooksConfig.enabled" to false, or lists "bridle" in "hooksConfig.disabled". Read that file before you trust a folder.',
    ...(level === 'project' ? ['Hooks of a project run only in a trusted folder, and not with --skip-trust.'] : []),
  ],
  wayOut:
    'Delete the hooks with the name "bridle" from the settings file, or set "hooksConfig.enabled" to false in it.',
};
