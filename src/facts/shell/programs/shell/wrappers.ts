/** Wrappers: programs that start another program with the words that follow. */

import { joinNames, type ProgramRows } from '../../usage/program-row.ts';

const su = `-,-l,--login! -c,--command,--session-command=code:stdin=data -f,--fast -g,--group=text! -G,--supp-group=text!
  -m,-p,--preserve-environment! -P,--pty -T,--no-pty -s,--shell=program -w,--whitelist-environment=text! -h -V <text!>
  <program=sh> stdin=code`;

const timeout =
  '-f,--foreground -k,--kill-after=text -p,--preserve-status -s,--signal=text -v,--verbose -- <text> <program>';

export const wrapperPrograms: ProgramRows = {
  'env, genv': `-0,--null -,-i,--ignore-environment! -u,--unset=text! -C,--chdir=folder -S,--split-string=text:split -P=text!
    -a,--argv0=text! --block-signal[=text]! --default-signal[=text]! --ignore-signal[=text]! --list-signal-handling
    -v,--debug -- <assignment>... <program>`,
  sudo: {
    usage: `-A,--askpass! -b,--background! -B,--bell -C,--close-from=text! -D,--chdir=folder -E,--preserve-env[=text]!
      -g,--group=text! -h,--host=text! -H,--set-home! -i,--login!:stdin=code -k,--reset-timestamp
      -K,--remove-timestamp! -l,--list -n,--non-interactive -N,--no-update -p,--prompt=text -P,--preserve-groups!
      -R,--chroot=folder -r,--role=text! -S,--stdin! -s,--shell!:stdin=code -T,--command-timeout=text -t,--type=text!
      -U,--other-user=text! -u,--user=text! -v,--validate -V -a,--auth-type=text! -c,--login-class=text! -e,--edit!
      <assignment>... <program>`,
    with: { '--edit': '<out>...' },
  },
  sudoedit:
    '-A,--askpass! -n,--non-interactive -u,--user=text! -g,--group=text! -p,--prompt=text -S,--stdin! opaque <out>...',
  doas: '-C=in -L -n -s!:stdin=code -u=text! -a=text! -- <program>',
  su: { usage: su, with: { '--command': '<text!>...' } },
  runuser: { usage: `-u,--user=text! ${su}`, with: { '--user': '<program>', '--command': '<text!>...' } },
  'gosu, su-exec, setuidgid, s6-setuidgid': '-- <text!> <program>',
  pkexec: '--user=text! --disable-internal-agent --keep-cwd -- <program>',
  sg: '- <text!> <code>... stdin=code',
  nohup: '-- <program>',
  'noglob, nocorrect, -': '-- <program>',
  'eatmydata, torsocks, torify, tsocks, catchsegv, ifne, chronic': '-- <program>',
  /** The program it starts gets a terminal and may read commands from it. */
  unbuffer: '-p! -- <program> opaque',
  'proxychains, proxychains#': '-q -f=in! -- <program>',
  caffeinate: '-d -i -m -s -u -t=text -w=text -- <program>',
  'ccache, sccache, distcc': '-- <program> opaque',
  setsid: '-c,--ctty -f,--fork! -w,--wait -h -V -- <program>',
  'timeout, gtimeout': timeout,
  'nice, gnice': '-n,--adjustment=text -NUM -- <program>',
  ionice: {
    usage: `-c,--class=text -n,--classdata=text -t,--ignore -p,--pid=text! -P,--pgid=text! -u,--uid=text! -h -V -- <program>`,
    with: { '--pid': '<text!>...', '--pgid': '<text!>...', '--uid': '<text!>...' },
  },
  chrt: {
    usage: `-a,--all-tasks! -b,--batch -d,--deadline -e,--ext -f,--fifo -i,--idle -m,--max -o,--other -p,--pid! -r,--rr
      -R,--reset-on-fork -T,--sched-runtime=text -P,--sched-period=text -D,--sched-deadline=text -v,--verbose -h -V --
      <text> <program>`,
    with: { '--pid': '<text!>...', '--max': '<text>...' },
  },
  taskset: {
    usage: '-a,--all-tasks! -p,--pid! -c,--cpu-list -h -V -- <text> <program>',
    with: { '--pid': '<text!>...' },
  },
  setpriv: `-d,--dump --clear-groups! --keep-groups! --init-groups! --groups=text! --inh-caps=text! --ambient-caps=text!
    --bounding-set=text! --list-caps --no-new-privs --pdeathsig=text! --rgid=text! --ruid=text! --egid=text!
    --euid=text! --regid=text! --reuid=text! --reset-env! --securebits=text! --selinux-label=text!
    --apparmor-profile=text! --landlock-access=text! --landlock-rule=text! --seccomp-filter=in! --ptracer=text! -h -V
    -- <program>`,
  'setarch, linux32, linux64, i386, i686, x86_64, uname26': {
    usage: `-B,--32bit -F,--fdpic-funcptrs -I,--short-inode -L,--addr-compat-layout -R,--addr-no-randomize
      -S,--whole-seconds -T,--sticky-timeouts -X,--read-implies-exec! -Z,--mmap-page-zero -3,--3gb --4gb --uname-2.6
      -v,--verbose --list --show[=text] -h -V -- <harmful>... stdin=code opaque`,
  },
  /** On macOS it starts a program. */
  arch: {
    style: 'dash',
    usage: '-arch=text -arm64 -arm64e -x86_64 -x86_64h -i386 -32 -64 -c! -d=text! -e=assignment -h -- <program>',
  },
  'stdbuf, gstdbuf': '-i,--input=text -o,--output=text -e,--error=text -- <program>',
  'time, gtime':
    '-a,--append! -f,--format=text -o,--output=out -p,--portability -q,--quiet -v,--verbose -l -h -V -- <program>',
  watch: {
    usage: `-b,--beep -c,--color -C,--no-color -d,--differences[=text] -e,--errexit -f,--follow -g,--chgexit
      -n,--interval=text -p,--precise -q,--equexit=text -r,--no-rerun -s,--shotsdir=writes -t,--no-title -w,--no-wrap
      -x,--exec -h -v -- <code>...`,
    with: { '--exec': '<program>' },
  },
  flock: `-c,--command=code -E,--conflict-exit-code=text -F,--no-fork -e,-x,--exclusive -n,--nb,--nonblock -o,--close
    -s,--shared -u,--unlock -w,--wait,--timeout=text --fcntl --verbose -h -V <out> <program>`,
  /** As `unbuffer`. */
  script: `-a,--append! -c,--command=code:stdin=data -e,--return -E,--echo=text -f,--flush -F -k -p -q,--quiet -t*=out
    --timing[=out] -T,--log-timing=out -I,--log-in=out -O,--log-out=out -B,--log-io=out -m,--logging-format=text
    -o,--output-limit=text --force! -h -V <out=.> <program> stdin=code opaque`,
  strace: `-a,--columns=text -A,--output-append-mode! -b,--detach-on=text -c,--summary-only -C,--summary -d,--debug
    -D,--daemonize[=text]! -e=text! --trace=text --trace-path=text --trace-fds=text --signal=text --status=text
    --abbrev=text --verbose=text --raw=text --read=text --write=text --quiet[=text] --fault=text! --inject=text!
    --kvm=text -E,--env=assignment -f,--follow-forks[=text] --output-separately! -F -i,--instruction-pointer
    -k,--stack-traces[=text] -I,--interruptible=text -n,--syscall-number -N,--arg-names -o,--output=pipe
    -O,--summary-syscall-overhead=text -p,--attach=text! -P=text -q -r,--relative-timestamps[=text]
    -s,--string-limit=text -S,--summary-sort-by=text -t --absolute-timestamps[=text] --timestamps[=text]
    -T,--syscall-times[=text] -u,--user=text! -U,--summary-columns=text -v,--no-abbrev -w,--summary-wall-clock -x
    -X,--const-print-style=text --strings-in-hex[=text] -y -Y --decode-pids=text --decode-fds[=text]
    -z,--successful-only -Z,--failed-only --seccomp-bpf --tips[=text] --argv0=text! -h -V -- <program>`,
  ltrace: `-a,--align=text -A=text -b,--no-signals -c -C,--demangle -D,--debug=text -e=text -f -F,--config=in! -i
    -l,--library=text -L -n,--indent=text -o,--output=out -p=text! -r -s=text -S -t -T -u=text! -w,--where=text
    -x=text -X=text -h -V -- <program>`,
  xargs: `-0,--null -a,--arg-file=in -d,--delimiter=text -E=text -e*,--eof[=text] -I=text:replace:nomore
    -J=text:replace:nomore -R=text -S=text -i*,--replace[=text]:replace:nomore -L=text -l*,--max-lines[=text]
    -n,--max-args=text -o,--open-tty -p,--interactive -P,--max-procs=text --process-slot-var=text!
    -r,--no-run-if-empty -s,--max-chars=text --show-limits -t,--verbose -x,--exit -- <program> stdin=words more`,
  'parallel, sem, env_parallel, rust-parallel': 'opaque <harmful>... stdin=code',
  'busybox, toybox': { usage: '--list --list-full --install!:opaque -s! -- <program>' },
  chroot: '--groups=text! --userspec=text! --skip-chdir -g=text! -G=text! -u=text! -n -- <folder> <program> stdin=code',
  unshare: `-i,--ipc[=text]! -m,--mount[=text]! -n,--net[=text]! -p,--pid[=text]! -u,--uts[=text]! -U,--user[=text]!
    -C,--cgroup[=text]! -T,--time[=text]! -f,--fork! --map-user=text! --map-group=text! -r,--map-root-user!
    -c,--map-current-user! --map-auto! --map-users=text! --map-groups=text! --map-subids! --kill-child[=text]!
    --mount-proc[=folder] --mount-binfmt[=folder] --propagation=text! --setgroups=text! -R,--root=folder
    -w,--wd=folder -S,--setuid=text! -G,--setgid=text! --keep-caps! --monotonic=text! --boottime=text!
    -l,--load-interp=text! --forward-signals! -h -V -- <program> stdin=code`,
  nsenter: `-a,--all! -t,--target=text! -m*,--mount[=in]! -u*,--uts[=in]! -i*,--ipc[=in]! -n*,--net[=in]!
    -N,--net-socket=text! -p*,--pid[=in]! -C*,--cgroup[=in]! -U*,--user[=in]! -T*,--time[=in]! --user-parent!
    -S,--setuid=text! -G,--setgid=text! --preserve-credentials! --keep-caps! -r*,--root[=folder]! -w*,--wd[=folder]!
    -W,--wdns=folder -e,--env! -F,--no-fork! -c,--join-cgroup! -Z,--follow-context! -h -V -- <program> stdin=code`,
  'dbus-run-session': '--config-file=in! --dbus-daemon=program -- <program>',
  'xvfb-run': `-a,--auto-servernum -d,--auto-display -e,--error-file=out -f,--auth-file=out -h -l,--listen-tcp!
    -n,--server-num=text -p,--xauth-protocol=text -s,--server-args=text! -w,--wait=text -- <program>`,
  fakeroot: `-l,--lib=script -f,--faked=program -s=out -i=in -u,--unknown-is-real -b,--fd-base=text -h -v -- <program>
    stdin=code`,
  'faketime, datefudge': '-m -f -p=text --exclude-monotonic --date-prog=program -- <text> <program>',
  rlwrap: 'opaque <harmful>...',
  'ssh-agent': '-c -s -d -D -a=out -E=text -k! -P=script -O=text -t=text -- <program>',
  [joinNames(`cgexec, systemd-run, systemd-inhibit, systemd-nspawn, machinectl, firejail, bwrap, proot, fakechroot, capsh,
    runcon, aa-exec, numactl, prlimit, choom, cpulimit, trickle, flatpak-spawn, toolbox, distrobox, nix-shell, nix,
    direnv, dotenv, dotenvx, doppler, op, aws-vault, chamber, sops, infisical, foreman, honcho, overmind, entr,
    reflex, watchexec, nodemon, pm2, forever, start-stop-daemon, daemonize, run-parts, dtach, abduco, hyperfine, perf,
    valgrind, gdbserver, heaptrack, rr, asciinema, cross-env, env-cmd, concurrently, npm-run-all, run-s, run-p,
    wait-on, start-server-and-test, retry, tmux, screen, zellij, nq, ld.so, ld-linux.so, ld-linux-x86-64.so,
    ld-musl-x86_64.so`)]: 'opaque <harmful>...',
};
