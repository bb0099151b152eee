import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { changesLine, runsProjectPrograms } from './startup-changes.ts';

/** The form of Claude Code's snapshots for bash. */
const snapshot = [
  '# Snapshot file',
  'unalias -a 2>/dev/null || true',
  'shopt -u dotglob',
  '# Functions',
  'eval $\'git () \\n{ \\n    command git -c x=y "$@"\\n}\' > /dev/null 2>&1',
  '# Shell Options',
  'set -o monitor',
  '# Aliases',
  "alias -- cat='bat'",
  "alias -- gs='git status'",
  "alias -- ls='ls --color=auto'",
  "alias -- rm='rm -i'",
  "alias -- sudo='sudo '",
  "alias -- cp='cp -t /x'",
  "alias -- tail='tail -f",
  "x'",
  'function find {',
  '  command find ${1+"$@"}',
  '}',
].join('\n');

describe('changesLine', () => {
  it.each(['ls -l', 'rm x', 'find . -name x', 'echo cat', 'sudo true', 'grep -r cat .', 'npm test', 'cd sub && ls *'])(
    'is false for %j',
    (line) => {
      expect(changesLine(snapshot, line)).toBe(false);
    },
  );

  it.each([
    'cat x',
    'git status',
    'ls && cat x',
    'sudo cat x',
    "c''at x",
    "$'cat' x",
    'echo $(cat x)',
    'gs',
    'cp a b',
    'tail x',
    'FOO=1 cat x',
    'if true; then cat x; fi',
  ])(proves('C04')('is true for %j'), (line) => {
    expect(changesLine(snapshot, line)).toBe(true);
  });

  it('knows the other forms of snapshots', () => {
    expect(changesLine('cat () {\n\tx\n}', 'cat x')).toBe(true);
    expect(changesLine('alias cat=bat', 'cat x')).toBe(true);
    expect(changesLine("alias -g cat='| x'", 'cat x')).toBe(true);
    expect(changesLine('eval "$(echo "Y2F0" | base64 -d)"', 'ls')).toBe(true);
  });

  it.each([
    ['shopt -s dotglob', 'ls *'],
    ['shopt -s globstar', 'ls **'],
    ['set -o noglob', 'ls a?'],
    ['setopt globdots', 'ls [a]'],
    ['shopt -s cdable_vars', 'cd x && ls'],
    ['setopt chaselinks', 'cd x'],
  ])('with %s, does not trust %j', (option, line) => {
    expect([changesLine(`x\n${option}\ny`, line), changesLine(`x\n${option}\ny`, 'ls x')]).toEqual([true, false]);
  });
});

describe('runsProjectPrograms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-path-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'ls'), '');
  chmodSync(join(bin, 'ls'), 0o755);

  it(proves('C04')('finds programs of the project in PATH'), () => {
    const env = { PATH: `${bin}:/usr/bin` };
    expect(runsProjectPrograms('ls', env, folder)).toBe(true);
    expect(runsProjectPrograms('echo x | ls', env, folder)).toBe(true);
    expect(runsProjectPrograms('cat ls', env, folder)).toBe(false);
    expect(runsProjectPrograms('ls', { PATH: 'node_modules/.bin:/bin' }, folder)).toBe(true);
    expect(runsProjectPrograms('ls', { PATH: '/usr/bin:/bin' }, folder)).toBe(false);
    expect(runsProjectPrograms('ls', {}, folder)).toBe(false);
  });

  it('finds libraries of the project', () => {
    expect(runsProjectPrograms('ls', { LD_PRELOAD: join(folder, 'x.so') }, folder)).toBe(true);
    expect(runsProjectPrograms('ls', { LD_PRELOAD: '/usr/lib/x.so' }, folder)).toBe(false);
  });
});
