import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../src/facts/truth.ts';
import { isLineOpaque } from '../../src/facts/shell/conditions/call-facts.ts';
import { analyseCommand } from '../../src/facts/index.ts';
import { variableEffect } from '../../src/facts/shell/words/variable-effects.ts';
import { proves } from '../contract/cite.ts';

/** Every way to set a variable for a program. */
const ways: readonly ((name: string, value: string, line: string) => string)[] = [
  (name, value, line) => `${name}=${value} ${line}`,
  (name, value, line) => `${name}=${value}; ${line}`,
  (name, value, line) => `${name}+=${value}; ${line}`,
  (name, value, line) => `export ${name}=${value}; ${line}`,
  (name, value, line) => `export "${name}=${value}" && ${line}`,
  (name, value, line) => `declare -x ${name}=${value}; ${line}`,
  (name, value, line) => `readonly ${name}=${value}; ${line}`,
  (name, value, line) => `${name}=${value}; export ${name}; ${line}`,
  (name, value, line) => `env ${name}=${value} ${line}`,
  (name, value, line) => `env -i ${name}=${value} ${line}`,
  (name, value, line) => `sudo ${name}=${value} ${line}`,
  (name, value, line) => `printf -v ${name} %s ${value}; ${line}`,
  (name, value, line) => `read -r ${name} <<< ${value}; ${line}`,
  (name, value, line) => `for ${name} in ${value}; do ${line}; done`,
  (name, value, line) => `: "\${${name}:=${value}}"; ${line}`,
  (name, value, line) => `mapfile -t ${name} <<< ${value}; ${line}`,
  (name, value, line) => `f() { local ${name}=${value}; ${line}; }; f`,
];

/** A variable that changes what a program reads or runs, with a line that shows nothing of it. */
const steering: readonly (readonly [name: string, value: string, line: string])[] = [
  ['HOME', '.', 'git status'],
  ['XDG_CONFIG_HOME', '.', 'git status'],
  ['GIT_CONFIG_GLOBAL', './x', 'git status'],
  ['GIT_CONFIG_COUNT', '1', 'git status'],
  ['GIT_DIR', './x', 'git status'],
  ['GIT_EXEC_PATH', '.', 'git status'],
  ['GIT_TRACE', '/tmp/x', 'git status'],
  ['BASH_ENV', './f', 'bash -c ls'],
  ['ENV', './f', 'sh -c ls'],
  ['PATH', '.', 'ls'],
  ['LD_PRELOAD', './x.so', 'ls'],
  ['LD_LIBRARY_PATH', '.', 'ls'],
  ['GCONV_PATH', '.', 'iconv x'],
  ['PAGER', './x', 'git log'],
  ['GIT_PAGER', './x', 'git log'],
  ['LESSOPEN', './x', 'less a'],
  ['MANPAGER', './x', 'man ls'],
  ['EDITOR', './x', 'git commit'],
  ['VISUAL', './x', 'git commit'],
  ['RIPGREP_CONFIG_PATH', './x', 'rg a'],
  ['GREP_OPTIONS', '-r', 'grep a b'],
  ['TAR_OPTIONS', '--to-command=./x', 'tar tf a.tar'],
  ['GZIP', '-c', 'gzip -l a'],
  ['PERL5OPT', '-Mx', 'ls'],
  ['RUBYOPT', '-rx', 'ls'],
  ['PYTHONPATH', '.', 'ls'],
  ['PYTHONSTARTUP', './x', 'ls'],
  ['NODE_OPTIONS', '--require=./x', 'ls'],
  ['RUSTFMT', './x', 'cargo fmt'],
  ['RUSTC_WRAPPER', './x', 'cargo check'],
  ['CARGO_BUILD_RUSTC', './x', 'cargo check'],
  ['MAKEFLAGS', '--eval=x', 'make -n'],
  ['CC', './x', 'make -n'],
  ['npm_config_script_shell', './x', 'npm ls'],
  ['NPM_CONFIG_USERCONFIG', './x', 'npm ls'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:x', 'ls'],
  ['SSH_ASKPASS', './x', 'ls'],
  ['https_proxy', 'http://a.test', 'curl https://example.com/'],
  ['AWKPATH', '.', 'ls'],
  ['TERMINFO', '.', 'ls'],
  ['DBUS_SESSION_BUS_ADDRESS', 'unixexec:path=x', 'ls'],
];

const harmless = [
  'CI',
  'DEBUG',
  'FORCE_COLOR',
  'GIT_AUTHOR_NAME',
  'LANG',
  'LC_ALL',
  'NODE_ENV',
  'NO_COLOR',
  'PORT',
  'RUST_BACKTRACE',
  'TZ',
  'VERSION',
];

describe('a variable of the environment', () => {
  it(proves('X13')('makes a line opaque if it changes what a program reads or runs, for every way to set it'), () => {
    const shown = steering.flatMap(([name, value, line]) =>
      ways.map((way) => way(name, value, line)).filter((text) => isLineOpaque(text) === false),
    );
    expect(shown).toEqual([]);
  });

  it(proves('X13')('has no effect if no program reads it'), () => {
    for (const name of harmless) {
      expect([undefined, 'locale', 'zone'], name).toContain(variableEffect(name));
      for (const way of ways.filter((_, index) => [0, 1, 3, 4, 8].includes(index))) {
        const value = { L: 'C.UTF-8', T: 'Europe/Berlin' }[name.charAt(0)] ?? '1';
        const line = way(name, value, 'ls src');
        expect(isUnknown(isLineOpaque(line)) || isLineOpaque(line), line).toBe(false);
      }
    }
  });

  it.each([
    ['BASH_ENV=.env bash -c ls', 'read .env'],
    ['env BASH_ENV=.env bash -c ls', 'read .env'],
    ['export RIPGREP_CONFIG_PATH=.env; rg x src', 'read .env'],
    ['GIT_CONFIG_GLOBAL=.env git status', 'read .env'],
    ['TZ=:.env date', 'read .env'],
    ['TAPE=/etc/x tar c src', 'write /etc/x'],
    ['MAGIC=.env file src', 'read .env'],
    ['TMPDIR=/etc sort x', 'write /etc'],
    ['HISTFILE=/etc/x; history -w', 'write /etc/x'],
  ])(proves('X13')('counts the file that a program reads or writes because of it: %s'), (line, file) => {
    expect(analyseCommand(line).files.map(({ mode, path }) => `${mode} ${path}`)).toContain(file);
  });

  it.each([
    'RANDOM=1',
    'SECONDS=0',
    'OPTIND=1',
    'unset OPTIND',
    'local OPTIND',
    'unset TMPDIR HISTFILE LC_ALL',
    'LANG=de_DE.UTF-8@euro ls',
    'LC_ALL=zh_CN.UTF-8 ls',
  ])('is understood in %s', (line) => {
    expect(analyseCommand(line).unknown).toBeUndefined();
  });

  it.each(['LC_ALL=zh_CN.GB18030; ls', 'LC_ALL=zh_TW; ls', 'LANG+=x; ls', 'PAGER=r; PAGER+=m; git log'])(
    'leaves open what bash or a program reads in %s',
    (line) => {
      expect(analyseCommand(line).unknown).toMatch(/LC_ALL|LANG|PAGER/);
    },
  );
});
