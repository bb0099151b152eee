import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { analyseCommand } from '../../index.ts';

/** The longest text among all words of a line. */
function longest(line: string): number {
  const { commands, files } = analyseCommand(line);
  const words = commands.flatMap(({ argv }) =>
    argv.flatMap((word) => (word.type === 'literal' ? [word.value] : word.knownPieces)),
  );
  const paths = files.map(({ path = '', glob = '' }) => path + glob);
  return Math.max(...[...words, ...paths].map(({ length }) => length));
}

describe('values of variables', () => {
  it(proves('X05')('are not known once they are longer than a path can be'), () => {
    const doubling = [
      'a=$a$a',
      'a=${a}${a}',
      'a="$a$a"',
      'a=x$a$a',
      'a=$(echo $a$a)',
      'a=*$a$a',
      'a+=$a',
      'b=$a; a=$a$b',
    ];
    for (const step of doubling) {
      const line = `a=xxxxxxxx; ${`${step}; `.repeat(25)}cat $a`;
      expect(longest(line), step).toBeLessThanOrEqual(4096);
      const { files, filesUnknown } = analyseCommand(line);
      expect(files.some(({ path }) => path === undefined) || filesUnknown !== undefined, step).toBe(true);
    }
  });

  it(proves('X05')('are known as long as they are short'), () => {
    expect(analyseCommand('a=x; a=$a$a; a=$a$a; cat $a/b').files.map(({ path }) => path)).toEqual(['xxxx/b']);
    expect(analyseCommand('for f in a b; do cat $f.ts; done').files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
  });

  it(proves('X05')('use bounded memory, however often a line uses them'), () => {
    const value = 'x'.repeat(4000);
    expect(longest(`a=${value}; cat ${'$a'.repeat(1000)}`)).toBeLessThanOrEqual(4096);
    expect(longest(`for a in ${value} y; do cat ${'$a'.repeat(6)}; done`)).toBeLessThanOrEqual(8192);
    const choices = analyseCommand(`for f in {1..16}; do cat ${'$f$f '.repeat(10_000)}; done`);
    expect(choices.files.every(({ path }) => path === undefined)).toBe(true);
  });

  it(proves('X05')('are as bounded as the words of a brace expansion'), () => {
    const { files, filesUnknown } = analyseCommand(`cat ${'{1..16}{1..16} '.repeat(3000)}`);
    expect(files.length).toBeLessThan(5000);
    expect(filesUnknown).toBeDefined();
  });
});
