import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { HostEnv } from '../host.ts';
import { confirmsBash } from './shell.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bridle-claude-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const bash = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/bash';
const zsh = ['/bin/zsh', '/usr/bin/zsh'].find((path) => existsSync(path));
const complex = 'for f in *.ts; do cat "$f"; done';

function confirms(line: string, env: HostEnv = {}): boolean {
  const all = { HOME: home, PATH: '/usr/bin:/bin', SHELL: bash, ...env };
  return confirmsBash(line, { env: all, project: join(home, 'project'), session: 's1' }) === true;
}

function writeSnapshot(text: string, name = 'snapshot-bash-1-a.sh'): void {
  mkdirSync(join(home, '.claude', 'shell-snapshots'), { recursive: true });
  writeFileSync(join(home, '.claude', 'shell-snapshots', name), text);
}

describe('confirmsBash', () => {
  it('confirms lines in bash', () => {
    writeSnapshot('# Snapshot file\n');
    expect([confirms('ls'), confirms(complex)]).toEqual([true, true]);
  });

  it.each<HostEnv>([
    { CLAUDE_CODE_SHELL_PREFIX: 'env' },
    { CLAUDE_CODE_SHELL: '/bin/fish' },
    { CLAUDE_CODE_SHELL: '/none/bash' },
    { BASH_ENV: '/x' },
    { 'BASH_FUNC_ls%%': '() { x; }' },
    { LD_PRELOAD: './x.so' },
  ])(proves('C04')('confirms nothing with %j'), (env) => {
    writeSnapshot('# Snapshot file\n');
    expect(confirms('ls', env)).toBe(false);
  });

  it.skipIf(zsh === undefined)(proves('C04')('confirms only portable lines in zsh'), () => {
    writeSnapshot('# Snapshot file\n', 'snapshot-zsh-1-a.sh');
    for (const env of [{ SHELL: zsh }, { CLAUDE_CODE_SHELL: zsh }, { SHELL: '/bin/sh' }, { SHELL: undefined }]) {
      expect([confirms('ls -l', env), confirms(complex, env)]).toEqual([true, false]);
    }
  });

  it(proves('C04')('looks names up in every snapshot'), () => {
    writeSnapshot('# Snapshot file\n');
    writeSnapshot("alias -- cat='bat'\n", 'snapshot-bash-2-b.sh');
    expect([confirms('ls'), confirms('cat x'), confirms(complex)]).toEqual([true, false, false]);
    expect(confirms('cat x', { CLAUDE_CONFIG_DIR: join(home, 'other') })).toBe(true);
  });

  it.each([
    ["export FOO='x y'\n# comment\nexport BAR=1\n", true],
    ['ls() { rm x; }\n', false],
    ['export PATH="./bin:$PATH"\n', false],
    ['export PATH=/x\n', false],
    ['export BASH_ENV=/x\n', false],
    ['export FOO=$(date)\n', false],
    ['export A=1; alias ls=rm\n', false],
  ])(proves('C04')('reads what hooks add to the environment of a session: %j'), (text, isConfirmed) => {
    writeSnapshot('# Snapshot file\n');
    mkdirSync(join(home, '.claude', 'session-env', 's1'), { recursive: true });
    expect(confirms('ls')).toBe(true);
    writeFileSync(join(home, '.claude', 'session-env', 's1', 'sessionstart-hook-0.sh'), text);
    expect(confirms('ls')).toBe(isConfirmed);
  });

  it('confirms nothing if there are too many snapshots, or they are too large', () => {
    writeSnapshot('#'.repeat(5 * 1024 * 1024));
    expect(confirms('ls')).toBe(false);
    for (let n = 0; n < 70; n++) writeSnapshot('#', `snapshot-bash-${n}-a.sh`);
    expect(confirms('ls')).toBe(false);
  });

  it(proves('C04')('asks the shell before there is a snapshot'), () => {
    expect([confirms('ls'), confirms('cat x'), confirms('date')]).toEqual([true, true, true]);
    writeFileSync(join(home, '.bashrc'), "alias cat=bat\nalias ls='ls -F'\ndate() { rm x; }\nshopt -s dotglob\n");
    expect([confirms('ls'), confirms('cat x'), confirms('date'), confirms('ls *')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    writeFileSync(join(home, '.bashrc'), 'exit 0\n');
    expect(confirms('ls')).toBe(false);
  });

  it(proves('C02')('never runs a shell or a program of the project'), () => {
    const bin = join(home, 'project', 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['bash', 'dircolors']) {
      writeFileSync(join(bin, name), `#!/bin/sh\ntouch '${join(home, 'ran')}'\n`, { mode: 0o755 });
    }
    writeFileSync(join(home, '.bashrc'), 'dircolors\n');
    expect(confirms('ls', { SHELL: join(bin, 'bash') })).toBe(false);
    expect(confirms('ls', { CLAUDE_CODE_SHELL: join(bin, 'bash') })).toBe(false);
    expect(confirms('ls', { PATH: `${bin}:bin:/usr/bin:/bin` })).toBe(true);
    expect(existsSync(join(home, 'ran'))).toBe(false);
  });

  it.skipIf(zsh === undefined)('asks zsh, too', () => {
    writeFileSync(join(home, '.zshrc'), "alias cat=bat\nalias ls='ls -F'\ndate() { rm x; }\nsetopt globdots\n");
    const env = { SHELL: zsh };
    const lines = ['ls', 'cat x', 'date', 'ls *'];
    expect(lines.map((line) => confirms(line, env))).toEqual([true, false, false, false]);
  });
});
