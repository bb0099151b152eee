import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { HostEnv } from '../host.ts';
import { serverTools } from './mcp-servers.ts';
import { confirmsBash } from './shell.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bridle-codex-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
}

function confirms(line: string, env: HostEnv = {}): boolean {
  const all = { HOME: home, PATH: '/usr/bin:/bin', ...env };
  return confirmsBash(line, { env: all, project: join(home, 'project'), session: 's1' }) === true;
}

function writeSnapshot(): void {
  write('.codex/shell_snapshots/s1.1.sh', "# Snapshot file\nfoo () \n{ \n    x\n}\nalias rm='trash'\n");
}

/** As a session that starts later. */
async function restart(): Promise<void> {
  await sleep(20);
  writeSnapshot();
}

describe.skipIf(!/\/(?:bash|zsh|dash|sh)$/.test(userInfo().shell ?? ''))('confirmsBash', () => {
  beforeEach(writeSnapshot);

  it(proves('C04')('confirms portable lines only, because the model may choose another shell'), () => {
    const lines = ['ls -l', 'cd sub && npm test 2>&1 | tail -5', 'echo $HOME', 'ls {a,b}', 'foo', 'rm x'];
    const isZsh = userInfo().shell?.endsWith('/zsh') === true;
    // Only zsh expands the alias.
    expect(lines.map((line) => confirms(line))).toEqual([true, true, false, false, false, !isZsh]);
  });

  it('needs the snapshot of the session', () => {
    rmSync(join(home, '.codex'), { recursive: true });
    expect(confirms('ls')).toBe(false);
    write('.codex/shell_snapshots/s2.1.sh', '#');
    expect(confirms('ls')).toBe(false);
    write('elsewhere/shell_snapshots/s1.1.sh', '#');
    expect(confirms('ls', { CODEX_HOME: join(home, 'elsewhere') })).toBe(true);
  });

  it.skipIf(!/\/(?:bash|sh|dash)$/.test(userInfo().shell ?? ''))('reads what zsh would read', async () => {
    write('.zshenv', '. "$HOME/.cargo/env"\n  function ls { x; }\nalias cat=bat\ndate() { x; }\n');
    await restart();
    expect(['ls', 'cat x', 'date', 'pwd'].map((line) => confirms(line))).toEqual([false, false, false, true]);
  });

  it.each([
    '[shell_environment_policy.set]\nBASH_ENV = "x"\n',
    '["shell_environment_polic\\u0079".set]\nBASH_ENV = "x"\n',
    '"shell_environment_\\U00000070olicy" . set = { BASH_ENV = "x" }\n',
    'model = \'"\'\n"\\x73hell_environment_policy".set.BASH_ENV = "x"\n',
  ])(proves('C04')('confirms nothing if the project sets variables for commands: %s'), (text) => {
    expect(confirms('ls')).toBe(true);
    write('project/.codex/config.toml', text);
    expect(confirms('ls')).toBe(false);
    write('project/.codex/config.toml', 'model = "x"\n[mcp_servers.a]\nargs = ["C:\\\\x", "b"]\n');
    expect(confirms('ls')).toBe(true);
  });

  it.each(['.bash_profile', '.profile', '.bashrc', '.zshenv', '.zprofile'])(
    proves('C04')('confirms nothing after %s has changed during the session'),
    async (name) => {
      write('lib/more.sh', '');
      write(name, 'if true; then . "$HOME/lib/more.sh"; fi\n');
      await restart();
      expect(confirms('ls')).toBe(true);
      await sleep(20);
      write(name, `ls() { touch x; }\n`);
      // The time of the content can be set to any value.
      utimesSync(join(home, name), 0, 0);
      expect(confirms('ls')).toBe(false);
    },
  );

  it(proves('C04')('follows links and files that a startup file reads'), async () => {
    write('lib/more.sh', '');
    write('lib/profile', 'export A=b; source ~/lib/more.sh\n');
    symlinkSync(join(home, 'lib/profile'), join(home, '.bash_profile'));
    await restart();
    expect(confirms('ls')).toBe(true);
    await sleep(20);
    write('lib/more.sh', 'PATH=~/evil:$PATH\n');
    expect(confirms('ls')).toBe(false);
  });

  it.each<HostEnv>([{ BASH_ENV: '/x' }, { CDPATH: '/usr' }, { LD_PRELOAD: './x.so' }])(
    'confirms nothing with %j',
    (env) => {
      expect(confirms('ls', env)).toBe(false);
    },
  );
});

function find(name: string): unknown {
  return serverTools(name, { HOME: home }, join(home, 'project'));
}

describe('serverTools', () => {
  it(proves('C04')('splits a name that can be read in one way'), () => {
    expect(find('mcp__lab__a_b')).toEqual([{ server: 'lab', tool: 'a_b' }]);
    expect([find('mcp__a_b__c'), find('mcp__a__b__c'), find('mcp__lab__'), find('mcp__')]).toEqual([[], [], [], []]);
  });

  it('finds the server in the configuration', () => {
    write('.codex/config.toml', '[mcp_servers.chrome-devtools]\ncommand = "x"\n[mcp_servers."a.b".env]\nX = "1"\n');
    write('project/.codex/config.toml', '[mcp_servers.a_b]\n');
    expect(find('mcp__chrome_devtools__click')).toEqual([{ server: 'chrome-devtools', tool: 'click' }]);
    expect(find('mcp__a_b__c')).toEqual([
      { server: 'a.b', tool: 'c' },
      { server: 'a_b', tool: 'c' },
    ]);
  });
});
