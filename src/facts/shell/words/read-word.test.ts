import { describe, expect, it } from 'vitest';
import { couldBe, couldStartWith, partlyKnownWord, type ShellWord } from './shell-word.ts';
import { analyseCommand } from '../../index.ts';

function words(text: string): readonly ShellWord[] {
  return analyseCommand(`echo ${text}`).commands.at(-1)?.argv.slice(1) ?? [];
}

describe('words', () => {
  it.each([
    ['a', ['a']],
    [String.raw`a\ b`, ['a b']],
    [`"a b"'c d'e`, ['a bc de']],
    [String.raw`"a\"b\$c\x"`, [String.raw`a"b$c\x`]],
    [String.raw`$'a\tb\'c'`, ["a\tb'c"]],
    ['""', ['']],
    ['a\\\nb', ['ab']],
    ['{a,b}c', ['ac', 'bc']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['x{,y}', ['x', 'xy']],
    ['{,a}', ['a']],
    ['{a}', ['{a}']],
    ['{1..3}', ['1', '2', '3']],
    ['f{08..10..2}', ['f08', 'f10']],
    ['{../a,b}', ['../a', 'b']],
    [String.raw`$'\x{2e}env'`, ['.env']],
    ['{}', ['{}']],
    ['HEAD~1 a~b', ['HEAD~1', 'a~b']],
    ['"{a,b}"', ['{a,b}']],
    [String.raw`\* '*' "?"`, ['*', '*', '?']],
    ['[', ['[']],
    ['a]b', ['a]b']],
    ['!x ^y', ['!x', '^y']],
    ['é日本', ['é日本']],
  ])('%s is literal', (text, expected) => {
    expect(words(text).map((word) => (word.type === 'literal' ? word.value : word))).toEqual(expected);
  });

  it.each([
    ['$x', ['', ''], true],
    ['a$x', ['', ''], true],
    ['"a$x"', ['a', ''], false],
    ['"$x.log"', ['', '.log'], false],
    ['"a${x}b$(ls)c"', ['a', 'b', 'c'], false],
    ['"$@"', ['', ''], true],
    ['"a${x[@]}b"', ['', ''], true],
    ['"${!x}"', ['', ''], true],
    ['"$*"', ['', ''], false],
    ['src/*.ts', ['src/', '.ts'], true],
    ['a[bc]?', ['a', '', ''], true],
    ['~/x', ['', '/x'], false],
    ['~root/x', ['', '/x'], false],
    ['a=~/x', ['a=', '/x'], false],
    ['<(ls)', ['/dev/fd/', ''], false],
    ['$"a"', ['', ''], false],
    ['{a,$x}', ['', ''], true],
    ['{1..x}', ['', ''], true],
    ['{a},b}', ['', ''], true],
    ['$((1+1))', ['', ''], true],
  ])('%s is open', (text, pieces, splits) => {
    expect(words(text)).toMatchObject([{ type: 'open', knownPieces: pieces, splits, text }]);
  });

  it('know which texts they can be', () => {
    const word = partlyKnownWord(['a', 'b', 'c'], '');
    expect(['abc', 'axbxc', 'abbc'].map((text) => couldBe(word, text))).toEqual([true, true, true]);
    expect(['ac', 'bc', 'ab', 'acb', 'xabc'].map((text) => couldBe(word, text))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(couldBe(partlyKnownWord(['aa', 'aa'], ''), 'aaa')).toBe(false);
    expect([
      couldStartWith(word, 'abc'),
      couldStartWith(word, '-'),
      couldStartWith(partlyKnownWord([], ''), '-'),
    ]).toEqual([true, false, true]);
  });
});
