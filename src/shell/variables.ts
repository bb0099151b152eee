/** Variables that decide what is run, or how bash reads a line. Names, and what begins so where a name ends in `*`. */

/**
 * `code`: its value is run by a shell. `script`: bash expands its value and runs the file. `reading`: bash reads, or
 * means, something else afterwards. `programs`: other programs are run, or they do other things. `folder`: `cd`, or
 * git, goes elsewhere.
 */
export type VariableEffect = 'code' | 'script' | 'reading' | 'programs' | 'folder';

const effects: Readonly<Record<VariableEffect, string>> = {
  code:
    'BROWSER CVS_RSH DIFFPROG EDITOR FCEDIT GIT_ASKPASS GIT_CONFIG_PARAMETERS GIT_CONFIG_VALUE_* GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND ' +
    'GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND LESSCLOSE LESSOPEN MANPAGER MANROFFOPT PAGER PSQL_EDITOR PSQL_PAGER ' +
    'RSYNC_RSH SHELL SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR SYSTEMD_PAGER VISUAL',
  script: 'BASH_ENV ENV',
  reading:
    'BASHOPTS BASH_ALIASES BASH_CMDS BASH_COMPAT BASH_FUNC_* BASH_LOADABLES_PATH EXECIGNORE POSIXLY_CORRECT ' +
    'PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 SHELLOPTS SIMPLE_BACKUP_SUFFIX',
  programs:
    'AWKPATH AWS_* BAT_* BUNDLE_* BUN_* CARGO* CC CLASSPATH COMPOSER_* CURL_HOME CXX DENO_* DOCKER_* DYLD_* FZF_* ' +
    'GCONV_PATH GEM_* GIT_* GNUMAKEFLAGS GNUPGHOME GOFLAGS GOPROXY GRADLE_OPTS HGRCPATH INPUTRC JAVA_OPTS ' +
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS KUBECONFIG LD_* LESS LESSKEY* LOCPATH MAKEFILES MAKEFLAGS MANOPT ' +
    'MAVEN_OPTS NODE_* NPM_CONFIG_* OPENSSL_* PATH PERL* PHPRC PHP_* PIP_* PYTHON* RIPGREP_CONFIG_PATH RUBY* ' +
    'RUSTC* RUSTFLAGS TAR_OPTIONS VIMINIT WGETRC XDG_* YARN_* ZDOTDIR _JAVA_OPTIONS npm_*',
  folder: 'CDPATH GIT_DIR GIT_WORK_TREE HOME OLDPWD PWD',
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
