/** Lines that plant code in the value of a variable, in every way to set one, and then use the value. */

import { readFileSync } from 'node:fs';
import type { Choices } from './choices.ts';

/** Code that only some uses of a value run; none of it runs where the line is read. */
const planted = [
  'a[$(rm x)]',
  '$(rm x)',
  '`rm x`',
  'a[`rm x`]',
  'k=a[$(rm x)]',
  'y',
  '(a[$(rm x)])',
  'a[0$(rm x)]+1',
  '1,a[$(rm x)]',
];

const names =
  'RANDOM SRANDOM SECONDS HISTCMD BASHPID OPTIND LINENO EPOCHSECONDS BASH_SUBSHELL UID PPID OPTERR OPTARG COLUMNS HISTSIZE TMOUT ' +
  'FUNCNEST BASH_ARGV0 BASH_COMPAT BASH_XTRACEFD IFS GLOBIGNORE PATH HOME CDPATH PS4 PROMPT_COMMAND BASH_ENV ENV LC_ALL LANG TMPDIR HISTFILE ' +
  'POSIXLY_CORRECT REPLY MAPFILE DIRSTACK PIPESTATUS BASH_REMATCH BASH_ALIASES BASH_CMDS COMP_WORDBREAKS SHELLOPTS TIMEFORMAT v _';

/** `V` is the name, `X` the value in single quotes. */
const ways = readFileSync(new URL('planted-ways.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const uses = [
  '',
  '',
  '',
  '; ls',
  '; ((V))',
  '; : $((V + 1))',
  '; [[ V -eq 1 ]]',
  '; [[ $V -eq 1 ]]',
  '; : ${l[V]}',
  '; : ${!V}',
  '; : ${V@P}',
  '; set -x; ls',
  '; bash -c ls',
  '; sh -c ls',
  '; export V; bash -c ls',
  '; RANDOM=$V',
  '; OPTIND=V',
  '; SECONDS=$V',
  '; declare -i z=$V',
  '; unset V',
  '; ls *',
  '; printf -v RANDOM %s "$V"',
  '; local V',
  '; declare -p V',
] as const;

function fill(template: string, name: string, value: string): string {
  return template.replaceAll(/\b[VX]\b/g, (letter) => (letter === 'V' ? name : `'${value}'`));
}

export function growPlanted(choices: Choices): string {
  const name = choices.pick('RANDOM', ...names.split(' '));
  const value = choices.pick('a[$(rm x)]', ...planted);
  const way = choices.pick('V=X', ...ways);
  const use = choices.pick('', ...uses);
  const line = fill(way + use, name, value);
  return value === 'y' ? `y='a[$(rm x)]'; ${line}` : line;
}

/** Every way once for some names, with the value that runs most often. */
export const plantedLines: readonly string[] = [
  ...ways.flatMap((way) => ['RANDOM', 'v'].map((name) => fill(way, name, 'a[$(rm x)]'))),
  ...names
    .split(' ')
    .flatMap((name) =>
      ['V=X', 'read V <<< X', 'for V in X; do :; done', 'declare V=X', 'V=X; ((V))'].map((way) =>
        fill(way, name, 'a[$(rm x)]'),
      ),
    ),
];
