import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { analyseCommand } from './index.ts';

/** `w out.txt` with its start folders, in the order of the line. */
function files(line: string): readonly string[] {
  return analyseCommand(line).files.map(({ mode, path, text, from }) => {
    const start = from === undefined ? '?' : from.join(',');
    return `${mode} ${path ?? `<${text}>`} @${start}`;
  });
}

describe('files of redirections', () => {
  it.each([
    ['true > a', ['write a @']],
    ['true >> a', ['write a @']],
    ['true >| a', ['write a @']],
    ['true &> a', ['write a @']],
    ['true &>> a', ['write a @']],
    ['true >& a', ['write a @']],
    ['true 2> a > b', ['write a @', 'write b @']],
    ['true < a', ['read a @']],
    ['true <> a', ['either a @']],
    ['> a', ['write a @']],
    ['{ true; } > a', ['write a @']],
    ['(true) < a > b', ['read a @', 'write b @']],
    ['while true; do true; done < a', ['read a @']],
    ['true > "$x"', ['write <"$x"> @']],
    ['true > "a b"', ['write a b @']],
    ["true > '~'/a", ['write ./~/a @']],
    ['true > ~/a', ['write ~/a @']],
    ['HOME=/x; true > ~/a', ['write <~/a> @?']],
    ['true 2>&1', []],
    ['true >&2 2>&-', []],
    ['true <<< a', []],
    ['exec > a', ['write a @']],
  ])('%s', (line, expected) => {
    expect(files(line)).toEqual(expected);
  });
});

describe('files of words', () => {
  it.each([
    ['cat a b', ['read a @', 'read b @']],
    ['rm -rf a', ['write a @']],
    ['sudo rm a', ['write a @']],
    [
      'nobody-knows-it a -x --out=b -Ic/d e=f',
      ['either a @', 'either b @', 'either c/d @', 'either e=f @', 'either f @'],
    ],
    ['nobody-knows-it "$x"', ['either <"$x"> @']],
    ['bash a.sh', ['read a.sh @']],
    ['echo a', []],
    ["sh -c 'cat a'", ['read a @']],
  ])('%s', (line, expected) => {
    expect(files(line)).toEqual(expected);
  });

  it.each([
    ['diff <(cat a) <(cat b)', ['read a @', 'read b @']],
    ['sort < <(cat a)', ['read a @']],
    ['tee >(cat > a)', ['write a @']],
    ['nobody-knows-it --file <(cat a)', ['read a @']],
    ['grep -f <(cat a) b', ['read a @', 'read b @']],
    ['cat "<(cat a)"', ['read <(cat a) @']],
  ])(proves('X08')('know that a pipe is no file: %s'), (line, expected) => {
    expect(files(line)).toEqual(expected);
  });

  it.each([
    'cat x<(ls)',
    'cat <(ls)/b',
    'cat <(ls)<(ls)',
    'cat "a"<(ls)',
    'cat < <(ls)b',
    'cat<(ls)',
    'x=<(ls)b cat c',
  ])(proves('X08')('are not known where a pipe is part of a longer word: %s'), (line) => {
    expect(analyseCommand(line).unknown).toBe('a process substitution is part of a longer word');
  });

  it('say what surely stands at the end of a path', () => {
    expect(analyseCommand('true > "$d/out.txt"').files).toMatchObject([{ path: undefined, ends: '/out.txt' }]);
    expect(analyseCommand('true > $x').files).toMatchObject([{ path: undefined, ends: undefined }]);
  });

  it(proves('X05')('may be more where the line is not known'), () => {
    for (const line of ['$x', 'ls "', 'cat list | xargs rm', 'eval "$x"', 'date | xargs cat']) {
      expect(analyseCommand(line).filesUnknown).toEqual(expect.any(String));
    }
    for (const line of ['ls', 'cat a', 'rm -r a', './x a', 'nobody-knows-it']) {
      expect(analyseCommand(line).filesUnknown).toBeUndefined();
    }
  });
});

describe('start folders', () => {
  it.each([
    ['cd a && cat b', 'read b @,a'],
    ['cd a; cd b; cat c', 'read c @,a,b,a/b'],
    ['cd /a; cat b', 'read b @,/a'],
    ['cd a; cat /b', 'read /b @,a'],
    ['(cd a); cat b', 'read b @'],
    ['cd a & cat b', 'read b @'],
    ['echo $(cd a); cat b', 'read b @'],
    ['cd a | ls; cat b', 'read b @'],
    ['cd "$x"; cat b', 'read b @?'],
    ['cd; cat b', 'read b @?'],
    ['cd -; cat b', 'read b @?'],
    ['cd ..; cat b', 'read b @?'],
    ['cd a/../b; cat b', 'read b @?'],
    ['cd ~; cat b', 'read b @?'],
    ['cd $(pwd); cat b', 'read b @?'],
    ['pushd a; cat b', 'read b @,a'],
    ['pushd a; popd; cat b', 'read b @?'],
    ['if ls; then cd a; fi; cat b', 'read b @,a'],
    ['for i in 1 2; do cd a; done; cat b', 'read b @?'],
    ['for i in 1 2; do cat b; cd a; done', 'read b @?'],
    ['while :; do cat b; cd a; done', 'read b @?'],
    ['f() { cat b; }; cd a; f', 'read b @?'],
    ['f() { cat b; }; f', 'read b @'],
    ['f() { cd a; }; f; cat b', 'read b @?'],
    ["eval 'cd a'; cat b", 'read b @?'],
    ["trap 'cat b' EXIT; cd a", 'read b @?'],
    ['command cd a; cat b', 'read b @,a'],
    ['CDPATH=/x; cd a; cat b', 'read b @?'],
    ['cd a; cd b; cd c; cd d; cat b', 'read b @?'],
    ['. ./x.sh; cat b', 'read b @?'],
    ['env -C a cat b; cat c', 'read b @,a'],
    ['env -C a true; cat b', 'read b @'],
    ['cd a; env -C c true; cat b', 'read b @,a'],
  ])('%s', (line, expected) => {
    expect(files(line)).toContain(expected);
  });
});
