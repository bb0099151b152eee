/** bash builtins. */

import type { ProgramRows } from '../../usage/program-row.ts';

const options = `-a! -b -e -f! -h -k:shifts -m! -n -p! -t -u -v -x -B -C -E -H:shifts -P -T +a +b +e +f +h +k +m +n +p +t +u +v +x +B
  +C +E +H +P +T -o=text! +o=text!`;
const attributes = '-a -A -f -F -g -i:shifts -I -l -n:shifts -p -r -t -u -x! +a +A +f +F +g +i +I +l +n +p +r +t +u +x';
const test = '<word>...';

export const shellBuiltins: ProgramRows = {
  ':, true, false, return, break, continue, shift, times, caller, suspend, logout': 'safe -- <text>...',
  exit: '-- <text>...',
  eval: '-- <code>...',
  'source, .': '-p=text! -- <script> <text!>... moves',
  trap: { usage: '-l -p -P -- <code> <text!>...', with: { '-p': '<text>...', '-P': '<text>...', '-l': '<text>...' } },
  exec: '-a=text! -c! -l! -- <program>',
  builtin: '-- <program>',
  command: { usage: '-p! -v -V -- <program>', with: { '-v': '<text>...', '-V': '<text>...' } },

  coproc: '<program> opaque',
  cd: '-L -P -e -@ <place> moves',
  'pushd, popd': '-n +NUM -NUM <place> moves',
  dirs: '-c! -l -p -v -NUM +NUM',
  alias: { usage: '-p <harmful>... shifts' },
  unalias: '-a! <text!>... shifts',
  hash: '-r! -p=program:shifts -d:shifts -l -t <text!>...',
  enable: '-a -d:shifts -n:shifts -p -s:shifts -f=script:shifts <text!>... shifts',
  shopt: { usage: '-p -q -s:shifts -u:shifts -o! <text!>...' },
  set: {
    style: 'shell',
    usage: `${options} -- <text!>...`,
    implies: { '-o keyword': '-k', '-o posix': '-k', '+o posix': '-k', '-o histexpand': '-k' },
  },
  unset: '-f:shifts -v! -n:shifts <variable>...',
  export: '-f! -n! -p <variable>...',
  'declare, typeset, local, readonly': `${attributes} <variable>...`,
  let: '-- <arithmetic>...',
  read: '-a=variable -d=text -e -E -i=text -n=text -N=text -p=text -r -s -t=text -u=text <variable>...',
  'mapfile, readarray': '-d=text -n=text -O=text -s=text -t -u=text -C=code:shifts -c=text <variable>',
  printf: '-v=variable --help --version -- <format> <text>... prints=format',
  echo: 'safe <text>... prints=words',
  getopts: '-- <text> <variable> <text>...',
  'test, [': {
    style: 'dash',
    usage: `${test} -v=variable -R=variable -a* -b* -c* -d* -e* -f* -g* -h* -k* -l* -n* -o* -p* -r* -s* -t* -u* -w* -x* -z*
      -G* -L* -N* -O* -S*`,
  },
  pwd: 'safe -L,--logical -P,--physical -W --help --version',
  jobs: { usage: '-l -n -p -r -s -x! <text>...', with: { '-x': '<program>' } },
  'bg, fg, disown': '-a! -h! -r! <text!>...',
  wait: '-f -n -p=variable <text>...',
  kill: { style: 'dash', usage: '-s=text! -n=text! -l -L -t=text! -*! --signal=text! -q=text! <text!>...' },
  umask: '-p -S <text!>',
  ulimit: '-S -H -a -b! -c! -d! -e! -f! -i! -k! -l! -m! -n! -p! -q! -r! -s! -t! -u! -v! -x! -P! -R! -T! <text!>...',
  type: 'safe -a -f -p -P -t <text>...',
  'compgen, complete, compopt': '-C=code -F=text! <harmful>... shifts',
  bind: '-x=code <harmful>... shifts',
  help: '-d -m -s <text>...',
  history: '-c! -d=text! -a! -n! -r:shifts -w! -p -s:shifts -NUM <edited>...',
  fc: '-e=program -l -n -r -s! <text!>... opaque',
};
