/** Shells: they run code from an argument, a script or their input. */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';

const flags = `-a -b -e -f -h -i! -k:shifts -l,--login! -m -n -p! -r -t -u -v,--verbose -x -B -C -D -E -H:shifts -P -T -I -V`;
const unset = `+a +b +e +f +h +i +k +m +n +p +r +t +u +v +x +B +C +E +H +P +T -o=text! +o=text! -O=text!:shifts +O=text!:shifts`;
const long = `--debug --debugger! --dump-po-strings --dump-strings --help --version --init-file,--rcfile=script --noediting
  --noprofile --norc --posix! --pretty-print --restricted --wordexp`;
const start = '-:last -c! -s! -- <script> <either>... stdin=code';
const modes = { '-c': '<code> <either>...', '-s': '<either>... stdin=code' };

const posix: ProgramRow = { style: 'shell', usage: `${flags} ${unset} ${long} ${start}`, with: modes };
const other: ProgramRow = {
  style: 'shell',
  usage: `${flags} ${unset} ${long} -A! -F! -G! -J! -K! -L! -M! -N! -Q! -R! -S! -U! -W! -X! -Y! -Z! -d! -g! -j! -q! -w! -y!
    --emulate=text! ${start} dialect`,
  with: modes,
};

export const shellPrograms: ProgramRows = {
  'sh, bash, dash, ash, rbash, bash#': posix,
  'zsh, ksh, ksh93, mksh, pdksh, oksh, lksh, yash, posh, zsh#, ksh#, rzsh, rksh, osh': other,
  fish: `-c,--command=code:first -C,--init-command=code -d,--debug=text! -o,--debug-output=out
    -D,--debug-stack-frames=text! -f,--features=text! -i,--interactive! -l,--login! -N,--no-config -n,--no-execute
    -p,--profile=out --profile-startup=out -P,--private -h,--help -v,--version --print-debug-categories
    --print-rusage-self -- <script> <either>... stdin=foreign dialect`,
  'csh, tcsh, bsd-csh': {
    style: 'shell',
    usage:
      '-b! -c! -d! -D! -e -f -F! -i! -l! -m! -n -q! -s! -t! -v -V -x -X -- <script> <either>... stdin=foreign dialect',
    with: modes,
  },
  'rc, es, elvish, xonsh, nu, ion, oil, ysh':
    'opaque -c,--command,--commands=code:first -e,--execute=code -- <script> <either>... stdin=foreign dialect',
  'pwsh, powershell': 'opaque <foreign>... stdin=foreign',
};
