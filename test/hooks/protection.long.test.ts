/** Files that switch a hook off, or run before it, cannot be written in a session of a host (C08, D11). */

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostName } from '../../src/hosts/host.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { proves } from '../contract/cite.ts';
import { HookRig, letsRun, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(): HookRig {
  const made = new HookRig().policy('version: 1\ndefault: allow\n');
  rigs.push(made);
  return made;
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

const names = testedHosts.map(({ name }) => name);

/** The command, in a session that was started in this folder. */
async function runs(at: HookRig, host: HostName, { command, start = at.project }: Command): Promise<boolean> {
  const text = JSON.stringify(at.payload(host, command)).replaceAll(JSON.stringify(at.project), JSON.stringify(start));
  const env = Object.fromEntries(
    Object.entries(at.env(host)).map(([name, value]) => [name, value === at.project ? start : value]),
  );
  return letsRun(await at.hook(host, JSON.parse(text) as JsonObject, ['--limit', '7'], { cwd: start, env }));
}

interface Command {
  readonly command: string;
  readonly start?: string;
}

/** A file of a repository that switches the hook off, or runs code in the host. */
const switches: Readonly<Record<HostName, string>> = {
  claude: '.claude/settings.local.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  copilot: '.github/copilot/settings.json',
  opencode: 'opencode.json',
};

describe.each(names)('a session of %s', (host) => {
  it.each([true, false])(
    proves('C08', 'D11')('that starts below the folder of the policy cannot write settings there (repository: %s)'),
    async (isRepository) => {
      const at = rig();
      if (isRepository) mkdirSync(join(at.project, '.git'));
      const start = join(at.project, 'a/b');
      mkdirSync(start, { recursive: true });
      for (const folder of [start, dirname(start), at.project]) {
        const command = `echo x > ${join(folder, switches[host])}`;
        expect(await runs(at, host, { command, start }), command).toBe(false);
        expect(await runs(at, host, { command: `cat ${join(folder, switches[host])}`, start })).toBe(true);
      }
      expect(await runs(at, host, { command: 'echo x > notes.txt', start })).toBe(true);
    },
  );

  it(proves('C08', 'D11')('can read startup files of shells, and cannot write them'), async () => {
    const at = rig();
    const home = join(at.folder, 'home');
    for (const file of ['.zshenv', '.bash_profile', '.bashrc', '.profile', '.zshrc', '.zprofile']) {
      expect(await runs(at, host, { command: `echo x >> ${join(home, file)}` }), file).toBe(false);
    }
    expect(await runs(at, host, { command: 'echo x >> ~/.zshenv' })).toBe(false);
    expect(await runs(at, host, { command: 'echo x > /etc/profile.d/x.sh' })).toBe(false);
    const harmless = ['cat ~/.zshenv', 'grep alias ~/.bashrc', 'echo x > .profile.json', 'echo x > profile'];
    for (const command of [...harmless, "node -e 'console.log(user.profile.data)'"])
      expect(await runs(at, host, { command }), command).toBe(true);
  });

  it(proves('C08', 'D11')('cannot write plugins and settings of opencode in the home folder'), async () => {
    const at = rig();
    for (const file of ['plugin/x.js', 'plugins/x.js', 'tool/x.js', 'opencode.json', 'opencode.jsonc'])
      expect(await runs(at, host, { command: `echo x > ~/.opencode/${file}` }), file).toBe(false);
    expect(await runs(at, host, { command: 'echo x > ~/.opencode-notes' })).toBe(true);
  });

  it(proves('C08', 'D11')('can write .env, unless the host takes the variables of its hooks from it'), async () => {
    const at = rig();
    const start = join(at.project, 'sub');
    mkdirSync(start);
    const isRead = host === 'gemini';
    for (const file of [join(start, '.env'), join(at.project, '.env'), join(at.folder, 'home/.env')])
      expect(await runs(at, host, { command: `echo A=b >> ${file}`, start }), file).toBe(!isRead);
    expect(await runs(at, host, { command: 'cat .env', start })).toBe(true);
    expect(await runs(at, host, { command: 'echo A=b >> .env.example', start })).toBe(true);
    expect(await runs(at, host, { command: 'echo A=b >> other/.env', start })).toBe(true);
  });
});

describe('variables of the host', () => {
  it(proves('C08', 'D11')('name more startup files'), async () => {
    const at = rig();
    const write = async (file: string, env: NodeJS.ProcessEnv): Promise<boolean> => {
      const payload = { ...at.payload('claude', ''), tool_name: 'Write', tool_input: { file_path: file, content: '' } };
      return letsRun(await at.hook('claude', payload, [], { env: { ...at.env('claude'), ...env } }));
    };
    const file = join(at.folder, 'dots/.zshenv');
    expect(await write(file, {})).toBe(true);
    expect(await write(file, { ZDOTDIR: dirname(file) })).toBe(false);
    expect(await write(file, { BASH_ENV: file })).toBe(false);
  });
});
