import { afterAll, describe, expect, it } from 'vitest';
import { expandGlob } from '../../src/facts/paths/disk/expand-glob.ts';
import { analyseCommand } from '../../src/facts/index.ts';
import { proves } from '../contract/cite.ts';
import { bash } from './bash-oracle.ts';
import { WordOracle } from './word-oracle.ts';

/** Whatever may change which files a pattern names, and some that change nothing. */
const switches = [
  ':',
  'v=1',
  'IFS=/',
  'set -e',
  'set -x',
  'LC_ALL=C',
  'LC_ALL=C.UTF-8',
  'LANG=C',
  'LC_COLLATE=C',
  'GLOBIGNORE=x',
  'GLOBIGNORE=a:b',
  'GLOBIGNORE=',
  'export GLOBIGNORE=x',
  'declare GLOBIGNORE=x',
  'read GLOBIGNORE <<< x',
  'printf -v GLOBIGNORE x',
  'for GLOBIGNORE in x; do :; done',
  ': ${GLOBIGNORE:=x}',
  'GLOBIGNORE+=x',
  'GLOBIGNORE[0]=x',
  'mapfile GLOBIGNORE <<< x',
  'GLOBIGNORE=x; unset GLOBIGNORE',
  'f() { GLOBIGNORE=x; }; f',
  'GLOBIGNORE=x eval :',
  'eval GLOBIGNORE=x',
  'n=GLOBIGNORE; eval "$n=x"',
  'n=GLOBIGNORE; declare "$n=x"',
  'n=GLOBIGNORE; export $n=x',
  'n=GLOBIGNORE; printf -v $n x',
  'n=GLOBIGNORE; read $n <<< x',
  'declare -n r=GLOBIGNORE; r=x',
  'getopts a GLOBIGNORE -a',
  'let GLOBIGNORE=1',
  '((GLOBIGNORE=1))',
  '{ : ; } {GLOBIGNORE}<.',
  'exec {GLOBIGNORE}<.',
  'set -f',
  'set -o noglob',
  'set -ef',
  'set -fe',
  'set -f; set +f',
  'o=noglob; set -o $o',
  'o=-f; set $o',
  'eval set -f',
  'f() { set -f; }; f',
  'command set -f',
  'builtin set -f',
  'shopt -so noglob',
  'set -o "noglob"',
  "set $'-f'",
  'set +B',
  'set +o braceexpand',
  'set -eu +B',
  'set -o posix',
  'POSIXLY_CORRECT=1',
  'shopt -s dotglob',
  'shopt -s nullglob',
  'shopt -s failglob',
  'shopt -s nocaseglob',
  'shopt -s extglob',
  'shopt -s globstar',
  'shopt -u globskipdots',
  'shopt -s globasciiranges',
  'command shopt -s dotglob',
  'shopt -s dotglob nullglob',
  'o=dotglob; shopt -s $o',
  'o=-s; shopt $o dotglob',
  'shopt -qs dotglob',
];
const patterns = ['*', 'a*', '?', '*/*', '{a,*}', '*b', '[ab]', 'A*', 'nothing*', '**', '{a,b}', '.*', '{.e,x}nv'];

/** Whether the files that Bridle expects hold all that bash named. */
function foresees(line: string, found: readonly string[], folder: string): boolean {
  const { files, filesUnknown } = analyseCommand(line);
  if (filesUnknown !== undefined) return true;
  const names = files.flatMap(({ path, glob }): readonly (string | undefined)[] => {
    if (path !== undefined || glob === undefined) return [path];
    return expandGlob(glob, folder) ?? [undefined];
  });
  return (
    names.includes(undefined) || found.every((name) => names.includes(Buffer.from(name, 'latin1').toString('utf8')))
  );
}

describe.skipIf(bash === undefined)('the files that a pattern names', () => {
  const oracle = new WordOracle();
  afterAll(() => oracle.remove());

  it(proves('X13')('are predicted, or unknown, after anything that changes them'), { timeout: 120_000 }, async () => {
    const all = switches.flatMap((change) => patterns.map((pattern) => [change, pattern] as const));
    const found = await oracle.run(
      all.map(([change, pattern]) => `${change}\np ${pattern}`),
      'C.UTF-8',
    );
    const wrong = all.filter(([change, pattern], index) => {
      const names = found[index];
      return names !== undefined && !foresees(`${change}\ncat -- ${pattern}`, names, oracle.folder);
    });
    expect(wrong.map(([change, pattern]) => `${change}; cat ${pattern}`).slice(0, 20)).toEqual([]);
    expect(found.filter((names) => names !== undefined).length).toBeGreaterThan(all.length * 0.8);
    // Where nothing changes them, they are known.
    expect(analyseCommand('v=1\ncat -- *').files.some(({ glob }) => glob !== undefined)).toBe(true);
  });
});
