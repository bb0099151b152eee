/** Variables that decide what is run, or how bash reads a line. A name that ends in `*` is a prefix. */

/**
 * What setting a variable does:
 * - `code`: a shell runs its value.
 * - `script`: bash expands its value and runs the file it names.
 * - `reading`: bash reads the following text differently.
 * - `locale`: like `reading`, unless the value names a usual character set.
 * - `number`: bash evaluates the value as arithmetic on assignment, which runs `a[$(…)]`.
 * - `patterns`: glob patterns match other files.
 * - `zone`: programs read the file it names, unless the value is the name of a time zone.
 * - `programs`: other programs run, or programs behave differently.
 * - `config`: like `programs`, and programs read the file it names.
 * - `folder`: `cd` or git uses another folder.
 * - `home`: like `folder`, and programs load other settings from there.
 * - `writes`: programs write files there.
 */
export type VariableEffect =
  | 'code'
  | 'script'
  | 'reading'
  | 'locale'
  | 'zone'
  | 'number'
  | 'patterns'
  | 'programs'
  | 'config'
  | 'folder'
  | 'home'
  | 'writes';

const effects: Readonly<Record<VariableEffect, string>> = {
  code: `AWS_PAGER BAT_PAGER BROWSER CSCOPE_EDITOR CVSEDITOR CVS_RSH DELTA_PAGER DIFFPROG EDITOR FCEDIT GH_BROWSER GH_EDITOR GH_PAGER
    GIT_ASKPASS GIT_CONFIG_PARAMETERS GIT_CONFIG_VALUE_* GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND
    GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND HGEDITOR KUBE_EDITOR LESSCLOSE LESSEDIT LESSOPEN MANPAGER MANROFFOPT PAGER
    PSQL_EDITOR PSQL_PAGER RSYNC_CONNECT_PROG RSYNC_RSH SHELL SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR SVN_EDITOR SVN_SSH
    SYSTEMD_EDITOR SYSTEMD_PAGER VISUAL`,
  script: 'BASH_ENV ENV',
  reading: `BASHOPTS BASH_ALIASES BASH_CMDS BASH_COMPAT BASH_FUNC_* BASH_LOADABLES_PATH EXECIGNORE POSIXLY_CORRECT
    PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 SHELLOPTS SIMPLE_BACKUP_SUFFIX VERSION_CONTROL`,
  locale: 'LANG LANGUAGE LC_*',
  zone: 'TZ',
  number: 'BASHPID HISTCMD OPTIND RANDOM SECONDS SRANDOM',
  patterns: 'GLOBIGNORE',
  programs: `ACK_OPTIONS ALL_PROXY ANT_ARGS ANT_HOME ANT_OPTS ASAN_OPTIONS ASDF_* ASPELL_CONF AWKLIBPATH AWKPATH AWS_* BAT_* BUNDLE_* BUN_* BC_ENV_ARGS BIBINPUTS BZIP BZIP2 CABAL_*
    CARGO* CC CCACHE_* CFLAGS CGO_* CLASSPATH CMAKE_* COMPILER_PATH COMPOSER_* CORECLR_* CPATH CPLUS_INCLUDE_PATH CPP CPPFLAGS
    CURL_HOME CXX CXXFLAGS C_INCLUDE_PATH DBUS_* DC_ENV_ARGS DENO_* DIFF_OPTIONS DIRENV_* DOCKER_* DOTNET_* DPKG_* DYLD_* ELECTRON_* ELIXIR_* EMACSLOADPATH
    ERL_AFLAGS ERL_FLAGS ERL_LIBS ERL_ZFLAGS ESBUILD_* EXINIT FZF_* GCC_EXEC_PREFIX GCONV_PATH GEM_* GH_* GHC* GIO_* GIT_* GLIBC_TUNABLES GNUMAKEFLAGS GNUPGHOME
    GOBIN GOFLAGS GOPATH GOPROXY GOROOT GOTOOLCHAIN GRADLE_* GREP_OPTIONS GROFF_* GTK_* GUILE_* GZIP HGPLAIN HTTPS_PROXY HTTP_PROXY
    JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JULIA_* LDFLAGS LD_* LESS LESSKEY* LIBRARY_PATH LOCALDOMAIN LOCPATH
    LUA_* MAKE MAKEFILES MAKEFLAGS MAKESHELL MANOPT MANPATH MAVEN_* MFLAGS MISE_* MIX_* MSBUILD* MYSQL_* NIX_* NLSPATH NODE_* NPM_CONFIG_* NVIM_* NVM_*
    OCAML* OPENSSL_* PATH PERL* PHPRC PHP_* PIP_* PKG_CONFIG* PYENV_* PYTEST_* PYTHON* QT_* RAKE* RBENV_* RES_OPTIONS RSYNC_* RUBY* RUSTC* RUSTDOC*
    RUSTFLAGS RUSTFMT RUSTUP_* R_ENVIRON* R_HOME R_LIBS* R_PROFILE* SBT_OPTS SHELLCHECK_OPTS SSL_CERT_DIR SSLKEYLOGFILE STACK_ROOT STACK_YAML SUDO_* SYSTEMD_* TAR_OPTIONS
    TCLLIBPATH TEXINPUTS TEXMF* TERMCAP TERMINFO* TMUX* TOX_* TS_NODE_* TZDIR UNZIP UNZIPOPT UV_* VALGRIND_OPTS VIM VIMINIT VIMRUNTIME VOLTA_* W3M_* XDG_* XZ_DEFAULTS XZ_OPT
    YARN_* ZDOTDIR ZIP ZIPOPT ZIPINFO ZSTD_* _JAVA_OPTIONS all_proxy http_proxy https_proxy npm_*`,
  config: `ACKRC APT_CONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE BAT_CONFIG_PATH CURL_CA_BUNDLE GIT_CONFIG
    GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GOENV HGRCPATH HOSTALIASES INPUTRC IRBRC KUBECONFIG LYNX_CFG MAGIC MAILRC MLRRC MYVIMRC NETRC NODE_EXTRA_CA_CERTS
    NPM_CONFIG_GLOBALCONFIG NPM_CONFIG_USERCONFIG OPENSSL_CONF PGPASSFILE PGSERVICEFILE PIP_CONFIG_FILE PRYRC PSQLRC PYTHONSTARTUP
    REQUESTS_CA_BUNDLE RIPGREP_CONFIG_PATH SCREENRC SSL_CERT_FILE WGETRC npm_config_globalconfig npm_config_userconfig`,
  folder: 'CDPATH DIRSTACK GIT_DIR GIT_WORK_TREE OLDPWD PWD',
  home: 'HOME',
  writes: 'HISTFILE TAPE TMPDIR',
};

/** Variables under a listed prefix that only change how much is printed, or the author's name. */
const harmlessVariables: ReadonlySet<string> = new Set(
  `CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CARGO_TERM_VERBOSE CGO_ENABLED DOCKER_BUILDKIT GH_DEBUG GH_PROMPT_DISABLED GH_REPO GH_TOKEN GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME
  GIT_COMMITTER_DATE GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT MIX_ENV NODE_DISABLE_COLORS NODE_ENV
  NODE_NO_WARNINGS PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_COLOR PIP_NO_INPUT PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED`.split(
    /\s+/,
  ),
);

/** Variables that only change how much is printed, or the target of a build. */
const usualVariables: ReadonlySet<string> = new Set(
  `CI CLICOLOR CLICOLOR_FORCE COLUMNS DEBUG FORCE_COLOR GO111MODULE GOARCH GOOS LANG LANGUAGE LC_ALL LC_CTYPE LINES LOG_LEVEL
  NO_COLOR PORT RUST_BACKTRACE RUST_LOG TERM TZ VERBOSE`.split(/\s+/),
);

const exact = new Map<string, VariableEffect>();
/** By first letter. */
const prefixes = new Map<string, (readonly [string, VariableEffect])[]>();
for (const [effect, names] of Object.entries(effects) as [VariableEffect, string][]) {
  for (const name of names.split(/\s+/)) {
    if (!name.endsWith('*')) exact.set(name, effect);
    else prefixes.set(name.charAt(0), [...(prefixes.get(name.charAt(0)) ?? []), [name.slice(0, -1), effect]]);
  }
}

export function variableEffect(name: string): VariableEffect | undefined {
  const known = exact.get(name);
  if (known !== undefined || harmlessVariables.has(name)) return known;
  return prefixes.get(name.charAt(0))?.find(([prefix]) => name.startsWith(prefix))?.[1];
}

/** Values without effect, for variables that otherwise change programs. */
const harmlessValues: Readonly<Record<string, RegExp>> = {
  GIT_PAGER: /^cat$/,
  NODE_OPTIONS: /^--max-old-space-size=\d+$/,
  PAGER: /^cat$/,
};
/** Not a path and not code. */
const plainValue = /^(?!\.)[\w.,:*-]*$/;

/** True if the variable and its value do not change what the project's own code does. */
export function isHarmlessSetting(name: string, value: string): boolean {
  if (usualVariables.has(name) || harmlessVariables.has(name)) return plainValue.test(value);
  return Object.hasOwn(harmlessValues, name) && harmlessValues[name]?.test(value) === true;
}

/** True if the variable makes programs run sources of the project. */
export function isSourcePath(name: string, value: string): boolean {
  return name === 'PYTHONPATH' && /^(?:\.|(?:\.\/)?(?:src|lib)\/?)$/.test(value);
}

const assignment = /^(\w+)=(["']?)([^]*)\2$/;

/** `NAME=value`, set for a single command of the project. The value may be quoted. */
export function isHarmlessAssignment(text: string): boolean {
  const [, name = '', , value = '/'] = assignment.exec(text) ?? [];
  return isHarmlessSetting(name, value) || isSourcePath(name, value);
}

/** The same, or a variable that only the shell uses: `file=src/index.ts`. */
export function isHarmlessOrLocal(text: string): boolean {
  const [, name = ''] = assignment.exec(text) ?? [];
  return isShellOnlyVariable(name) || isHarmlessAssignment(text);
}

export function isSourceAssignment(text: string): boolean {
  const [, name = '', , value = '/'] = assignment.exec(text) ?? [];
  return isSourcePath(name, value);
}

/** Programs do not read short lower-case names as environment variables, except `*_proxy`. */
const shellOnlyName = /^[a-z](?!\w*_proxy$)[a-z0-9_]{0,23}$/;

/** True for a loop variable that does not affect the programs in the loop. */
export function isShellOnlyVariable(name: string): boolean {
  return shellOnlyName.test(name) && (!name.includes('_') || variableEffect(name) === undefined);
}

/** bash sets these itself, to text that may come from anywhere in the line. */
const bashSetVariablePattern = String.raw`(?<!\w)(?:_|BASH_(?!VERSINFO|LINENO|SUBSHELL)\w+|COMP_\w+|COPROC\w*|DIRSTACK|FUNCNAME|MAPFILE|OLDPWD|OPTARG|PWD|READLINE_\w+|REPLY)(?!\w)`;
const bashSetVariable = new RegExp(bashSetVariablePattern);
/** A value may be converted to upper case before it is used as a name. */
const bashSetVariableAnyCase = new RegExp(bashSetVariablePattern, 'i');
/** A name composed of a variable and the text next to it. */
const composedName = /[A-Z_]\$|\$\w+\$|\}\$|\}[A-Z_]|\$\{\w+[\^@]/;
const bashSetVariableList =
  `_ BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING BASH_REMATCH BASH_SOURCE COMP_LINE COMP_WORDS COPROC DIRSTACK
  FUNCNAME MAPFILE OLDPWD OPTARG PWD READLINE_LINE REPLY`.split(/\s+/);

/** True if arithmetic uses such a variable, or may. */
export function mayUseBashSetVariable(text: string): boolean {
  return bashSetVariable.test(text) || composedName.test(text);
}

/** True if the value contains the name of such a variable, in upper or lower case. */
export function mentionsBashSetVariable(value: string): boolean {
  return bashSetVariableAnyCase.test(value);
}

/** True if the text, appended to other text, may complete such a name. */
export function mayCompleteBashSetVariable(text: string): boolean {
  const end = /^\w+/.exec(text)?.[0].toUpperCase();
  return end !== undefined && bashSetVariableList.some((name) => name.endsWith(end));
}

/** Character sets in which no character contains the byte of a backslash. Only that of `zh_TW` does. */
const harmlessLocale =
  /^(?:|C|POSIX|(?:C|(?!zh(?![^.]*\.utf))[a-z]{2,3}(?:_[A-Z]{2})?)(?:\.(?:utf-?8|iso-?8859-?\d{1,2}|ascii))?(?:@\w+)?)$/i;

export function isHarmlessLocale(value: string): boolean {
  return value.split(':').every((each) => harmlessLocale.test(each));
}

/** `UTC`, `Europe/Berlin`, `EST5EDT`: not `:file` or a path to another place. */
export function isTimeZone(value: string): boolean {
  return /^(?:[A-Za-z<][\w+\-<>,.:]*(?:\/[A-Za-z][\w+-]*)*)?$/.test(value);
}
