/** Variables that decide what is run, or how bash reads a line. Names, and what begins so where a name ends in `*`. */

/**
 * `code`: its value is run by a shell. `script`: bash expands its value and runs the file. `reading`: bash reads, or
 * means, something else afterwards. `programs`: other programs are run, or they do other things. `folder`: `cd` goes
 * elsewhere.
 */
export type VariableEffect = 'code' | 'script' | 'reading' | 'programs' | 'folder';

const effects: Readonly<Record<VariableEffect, string>> = {
  code:
    'BROWSER CVS_RSH DIFFPROG EDITOR FCEDIT GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND ' +
    'GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND LESSCLOSE LESSOPEN MANPAGER MANROFFOPT PAGER PSQL_EDITOR PSQL_PAGER ' +
    'RSYNC_RSH SHELL SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR SYSTEMD_PAGER VISUAL',
  script: 'BASH_ENV ENV',
  reading:
    'BASHOPTS BASH_ALIASES BASH_CMDS BASH_COMPAT BASH_FUNC_* BASH_LOADABLES_PATH EXECIGNORE POSIXLY_CORRECT ' +
    'PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 SHELLOPTS',
  programs:
    'AWKPATH BUNDLE_* CARGO* CC CLASSPATH CXX DOCKER_* DYLD_* GCONV_PATH GEM_* GIT_* GOFLAGS GOPROXY HGRCPATH ' +
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LD_* LESS LESSKEY* MAKEFILES MAKEFLAGS NODE_* NPM_CONFIG_* OPENSSL_* PATH ' +
    'PERL* PHPRC PHP_* PIP_* PYTHON* RUBY* RUSTC* RUSTFLAGS TAR_OPTIONS VIMINIT XDG_* YARN_* _JAVA_OPTIONS npm_*',
  folder: 'CDPATH HOME OLDPWD PWD',
};

const exact = new Map<string, VariableEffect>();
const prefixes: (readonly [string, VariableEffect])[] = [];
for (const [effect, names] of Object.entries(effects) as [VariableEffect, string][]) {
  for (const name of names.split(' ')) {
    if (name.endsWith('*')) prefixes.push([name.slice(0, -1), effect]);
    else exact.set(name, effect);
  }
}

export function variableEffect(name: string): VariableEffect | undefined {
  return exact.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
}

/** Short lower-case names are no environment of any program. */
const ownName = /^[a-z][a-z0-9]{0,15}$/;

/** True for the variable of a loop that changes nothing for the programs in it. */
export function isOwnVariable(name: string): boolean {
  return ownName.test(name);
}
