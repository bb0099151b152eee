/**
 * The shell script that hosts run as their hook. It starts the handler and turns every way of not answering into a block:
 * exit code 2, a reason on stderr, and nothing on stdout. All hosts with command hooks block a call on that (C02).
 *
 * It needs a POSIX shell, node and sleep: no `timeout`, no temporary files, and nothing from PATH.
 */

import type { HostName } from '../host.ts';
import { shellQuote } from '../settings/shell-quote.ts';

export interface WrapperOptions {
  readonly host: HostName;
  /** Absolute paths. */
  readonly node: string;
  readonly handler: string;
  readonly sleep: string;
  /** The time limit of the host, in seconds. */
  readonly limitSeconds: number;
  /** Records decisions, and never blocks. */
  readonly observe: boolean;
  /** The version of the host at the time of the installation. */
  readonly hostVersion: string | undefined;
  /** The data folder of the user. Not from the environment: a repository can set it. Default: `~/.bridle`. */
  readonly home: string | undefined;
}

/** The wrapper ends this many seconds before the time limit of the host. */
const marginSeconds = 2;
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * Variables with which an environment could make node run other code, or Bridle use another data folder. `BASH_ENV` stays:
 * the handler must know that commands of the host run in a changed bash.
 */
const removedVariables = [
  'BRIDLE_HOME',
  'BRIDLE_STORE',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_COMPILE_CACHE',
  'NODE_REPL_EXTERNAL_MODULE',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
  'LIBSQL_JS_DEV',
  'ENV',
];

/** The text of the script. */
export function wrapperScript(options: WrapperOptions): string {
  const { host, node, handler, sleep, limitSeconds } = options;
  const seconds = Math.max(1, limitSeconds - marginSeconds);
  const values = [
    `host=${host}`,
    `node=${shellQuote(node)}`,
    `handler=${shellQuote(handler)}`,
    `sleep=${shellQuote(sleep)}`,
    `seconds=${seconds}`,
    `max=${maxAnswerBytes}`,
    `failure=${options.observe ? 'observe' : 'block'}`,
    `set -- ${handlerArgs(options).map(shellQuote).join(' ')}`,
  ];
  return `#!/bin/sh
# Written by "bridle install ${host}". Do not edit: "npx bridle uninstall ${host}" removes it.
${script.replace('@removed@', removedVariables.join(' ')).replace('@values@', () => values.join('\n'))}`;
}

function handlerArgs({ host, limitSeconds, observe, hostVersion, home }: WrapperOptions): readonly string[] {
  return [
    '--host',
    host,
    '--limit',
    String(limitSeconds),
    ...(home === undefined ? [] : ['--home', home]),
    ...(observe ? ['--observe'] : []),
    ...(hostVersion === undefined ? [] : ['--installed', hostVersion]),
  ];
}

/**
 * The main process waits, so that the timer can interrupt it. A second process reads the answer, and a third one waits
 * for node: a shell that reads or writes does not react to signals. The timer runs until the output is closed, because a
 * process that node left behind can keep it open. Complete answers are one line that ends with a line break; everything
 * else is torn or is not an answer.
 */
const script = String.raw`
# An environment can define functions for some shells.
unset -f printf wait kill test 2>/dev/null
'unalias' -a 2>/dev/null
unset @removed@

argument=$1
@values@
# No tool call waits for a note, such as the end of a turn. Exit code 2 would make some hosts continue the turn for ever.
case $failure$argument in blocknote) failure=note ;; esac
newline='
'

# fail REASON
fail() {
  case $failure in
    observe)
      printf '%s\n' "Bridle only observes, so the call is not blocked$1" >&2
      printf '{}\n'
      exit 0
      ;;
    note)
      printf '%s\n' "Bridle could not handle this event$1" >&2
      exit 1
      ;;
  esac
  printf '%s\n' "Bridle blocked this call$1" >&2
  exit 2
}

repair="A person can repair this: run \"npx bridle doctor\", or \"npx bridle install $host\" again."
test -x "$node" || fail ": there is no program $node. $repair"
test -f "$handler" || fail ": there is no file $handler. $repair"

exec 3<&0
reader=
trap 'trap "" TERM; kill -9 "$reader" 2>/dev/null; wait "$reader" 2>/dev/null
  fail ": its hook did not answer in $seconds seconds. $repair"' TERM
(
  trap - TERM
  answer=$(
    "$node" "$handler" "$@" <&3 3<&- &
    child=$!
    (
      trap 'kill "$timer" 2>/dev/null; exit 0' TERM
      "$sleep" "$seconds" &
      timer=$!
      wait "$timer"
      kill -TERM $$
      kill -9 "$child"
    ) </dev/null 3<&- >/dev/null 2>&1 &
    guard=$!
    wait "$child" 2>/dev/null
    status=$?
    printf '.%s' "$guard" 2>/dev/null
    exit "$status"
  )
  status=$?
  LC_ALL=C
  kill "${'${answer##*.}'}" 2>/dev/null
  answer=${'${answer%.*}'}
  case $status in
    0) ;;
    2) fail . ;;
    126 | 127) fail ": $node could not be started (exit code $status). $repair" ;;
    *) fail ": its hook failed (exit code $status). $repair" ;;
  esac
  case $answer in
    *"$newline"*"$newline"*) fail ": its hook gave more than one line. $repair" ;;
    '{'*"}$newline") ;;
    *) fail ": its hook gave no complete answer. $repair" ;;
  esac
  test "${'${#answer}'}" -le "$max" || fail ": the answer of its hook is too long. $repair"
  printf '%s' "$answer" || fail ": the answer of its hook could not be written. $repair"
  exit 0
) 3<&3 &
reader=$!
# Without redirections: some shells would apply them to the trap, and the reason would be lost.
wait "$reader"
status=$?
case $failure$status in
  block0 | block2 | note0 | note1 | observe0) exit "$status" ;;
esac
fail ": its hook was stopped (exit code $status). $repair"
`.trimStart();
