/** The configuration files of Codex CLI. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { HookCommand, HostSettings, Places, SettingsFile } from '../settings/host-settings.ts';
import { hookListFile, shellCommand } from '../settings/hook-list-file.ts';
import { blockIn, withBlock, withoutBlock } from '../settings/marked-block.ts';

const events = {
  PreToolUse: 'gate',
  PostToolUse: 'gate',
  UserPromptSubmit: 'gate',
  SessionStart: 'note',
  SessionEnd: 'note',
  Stop: 'note',
  PreCompact: 'note',
  PostCompact: 'note',
} as const;

/** Without a matcher, a hook gets the calls of all tools. Codex ignores a file that has other keys than `hooks`. */
function groupOf(event: string, kind: 'gate' | 'note', hook: HookCommand) {
  return { hooks: [{ type: 'command', command: shellCommand(hook, kind), timeout: secondsOf(event, hook) }] };
}

/** Codex gives hooks at the end of a session 3 seconds, and warns about a longer limit. */
function secondsOf(event: string, { limitSeconds }: HookCommand): number {
  return event === 'SessionEnd' ? Math.min(limitSeconds, 3) : limitSeconds;
}

function unknownKeys(settings: JsonObject): readonly string[] {
  const others = Object.keys(settings).filter((key) => key !== 'hooks');
  return others.length === 0 ? [] : [`Codex ignores the whole file because of the key "${others.join('", "')}"`];
}

/** The folder of Codex. */
export function codexHome({ home, env }: Places): string {
  return env['CODEX_HOME'] ?? join(home, '.codex');
}

/** The managed level is TOML. Its hooks need no trust, and survive `--disable hooks`. */
function requirementsFile(path: string): SettingsFile {
  return {
    path,
    add: (text, hook) => {
      const next = withBlock(text ?? '', requirements(hook));
      const twice = tablesTwice(next);
      if (twice === undefined) return next;
      throw new BridleError(
        'OPTION_INVALID',
        `${path} has a table "${twice}" already, and TOML allows it only once. Move its lines to another place first`,
      );
    },
    remove: (text) => withoutBlock(text),
    inspect: (text, wrapper) => {
      const block = blockIn(text);
      if (block === undefined || !block.includes(tomlText(wrapper).slice(1, -1))) return undefined;
      const twice = tablesTwice(text);
      return twice === undefined ? [] : [`the table "${twice}" is in the file twice, so Codex cannot read it`];
    },
  };
}

/** A table that the block has, and the rest of the file as well. */
function tablesTwice(text: string): string | undefined {
  return ['features', 'hooks'].find((name) => (text.match(new RegExp(`^\\s*\\[${name}\\]`, 'gm')) ?? []).length > 1);
}

function requirements(hook: HookCommand): string {
  const lists = Object.entries(events).map(
    ([event, kind]) => `[[hooks.${event}]]
[[hooks.${event}.hooks]]
type = "command"
command = ${tomlText(shellCommand(hook, kind))}
timeout = ${secondsOf(event, hook)}`,
  );
  return `[features]
hooks = true

[hooks]
managed_dir = ${tomlText(join(hook.wrapper, '..'))}

${lists.join('\n\n')}`;
}

/** A basic string of TOML has the escapes of JSON. */
function tomlText(text: string): string {
  return JSON.stringify(text);
}

export const codexSettings: HostSettings = {
  host: 'codex',
  program: 'codex',
  file: (level, places) => {
    if (level === 'managed') return requirementsFile(join(places.root, 'etc/codex/requirements.toml'));
    const folder = level === 'user' ? codexHome(places) : join(places.project, '.codex');
    return hookListFile({ path: join(folder, 'hooks.json'), events, groupOf, problems: unknownKeys });
  },
  switches: (places) =>
    [codexHome(places), join(places.project, '.codex')].map((folder) => ({
      path: join(folder, 'config.toml'),
      problems: (text) =>
        /^\s*\[features\](?:(?!^\s*\[)[^])*?^\s*hooks\s*=\s*false/m.test(text) ||
        /^\s*features\.hooks\s*=\s*false/m.test(text)
          ? ['the feature "hooks" is switched off: hooks outside the managed level do not run']
          : [],
    })),
  notes: (level) =>
    level === 'managed'
      ? ['It needs no trust, and survives --disable hooks.']
      : [
          'It does not survive --disable hooks. Only the managed level does.',
          'Codex skips hooks that are not trusted, without a message. Trust ends when the command or the time limit changes.',
        ],
  wayOut: 'Delete hooks.json, or the entries with "bridle" in their command, or start codex with --disable hooks.',
};
