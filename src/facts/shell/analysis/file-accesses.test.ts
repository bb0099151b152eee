import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { analyseCommand } from '../../index.ts';

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
    ['HOME=/x; true > ~/a', ['write <~/a> @']],
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
  ])(proves('X08')('do not count a pipe as a file: %s'), (line, expected) => {
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
  ])(proves('X08')('are unknown if a pipe is part of a longer word: %s'), (line) => {
    expect(analyseCommand(line).unknown).toBe('a process substitution is part of a longer word');
  });

  it('know the certain end of a path', () => {
    expect(analyseCommand('true > "$d/out.txt"').files).toMatchObject([{ path: undefined, pathEnd: '/out.txt' }]);
    expect(analyseCommand('true > $x').files).toMatchObject([{ path: undefined, pathEnd: undefined }]);
  });

  it(proves('X05')('may be incomplete if the line is unknown'), () => {
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
    // After `&&` only the new folder counts. After anything else, the old one counts too.
    ['cd a && cat b', 'read b @a'],
    ['cd a && cd b && cat c', 'read c @a/b'],
    ['cd a; cat b', 'read b @,a'],
    ['cd a\ncat b', 'read b @,a'],
    ['cd a; cd b; cat c', 'read c @,a,b,a/b'],
    ['cd a || cat b', 'read b @'],
    ['cd a || true; cat b', 'read b @,a'],
    ['cd a || exit; cat b', 'read b @a'],
    ['cd a || exit 1; cat b', 'read b @a'],
    ['cd a || { echo no >&2; exit $?; }; cat b', 'read b @a'],
    ['cd a || return 1; cat b', 'read b @,a'],
    ['cd a || exit 1 2; cat b', 'read b @,a'],
    ['cd a || exit 1 > c; cat b', 'read b @,a'],
    ['exit() { :; }; cd a || exit 1; cat b', 'read b @,a'],
    ['cd a || (exit 1); cat b', 'read b @,a'],
    ['cd a && true || exit 1; cat b', 'read b @a'],
    ['cd a && cat b || cat c', 'read c @,a'],
    ['cd a || cd b || exit 1; cat c', 'read c @a,b'],
    ['true && cd a; cat b', 'read b @,a'],
    ['cd a && cd b; cat c', 'read c @,a,a/b'],
    ['! cd a && cat b', 'read b @'],
    ['! cd a || cat b', 'read b @a'],
    ['! ! cd a && cat b', 'read b @a'],
    ['time cd a && cat b', 'read b @a'],
    ['if cd a; then cat b; fi', 'read b @a'],
    ['if cd a; then true; else cat b; fi', 'read b @'],
    ['if cd a; then true; elif cd c; then cat b; fi', 'read b @c'],
    ['if cd a; then true; elif cd c; then true; fi; cat b', 'read b @a,c,'],
    ['if ! cd a; then exit 1; fi; cat b', 'read b @a'],
    ['if ls; then cd a; fi; cat b', 'read b @,a'],
    ['if cd a && cd b; then :; else cat c; fi', 'read c @,a'],
    ['case x in a) cd a ;; b) cat b ;; esac; cat c', 'read b @'],
    ['case x in a) cd a ;; b) cat b ;; esac; cat c', 'read c @,a'],
    ['case x in a) cd a ;& b) cat b ;; esac', 'read b @,a'],
    ['{ cd a && cat b; }', 'read b @a'],
    ['{ cd a; } && cat b', 'read b @a'],
    ['{ cd a; } > c && cat b', 'read b @a'],
    ['{ cd a || exit; } > c; cat b', 'read b @,a'],
    ['cd /a; cat b', 'read b @,/a'],
    ['cd a; cat /b', 'read /b @,a'],
    // Another process cannot change the folder of the shell.
    ['(cd a); cat b', 'read b @'],
    ['(cd a && cat b)', 'read b @a'],
    ['cd a && (cd b && cat c) && cat d', 'read c @a/b'],
    ['cd a && (cd b && cat c) && cat d', 'read d @a'],
    ['cd a & cat b', 'read b @'],
    ['echo $(cd a); cat b', 'read b @'],
    ['cat <(cd a && cat b) c', 'read b @a'],
    ['cd a | ls; cat b', 'read b @'],
    ['ls | cd a; cat b', 'read b @'],
    ['ls | { cd a && cat b; }', 'read b @a'],
    ["bash -c 'cd a && cat b'; cat c", 'read b @a'],
    ["bash -c 'cd a'; cat c", 'read c @'],
    ["cd a && bash -c 'cat b'", 'read b @a'],
    ['cd a && bash -c "cd .. && cat b"', 'read b @.,a/..'],
    ['env cd a; cat b', 'read b @'],
    ['/bin/cd a; cat b', 'read b @'],
    ["ssh host 'cd a'; cat b", 'read b @'],
    ["PAGER='cd a || exit' git log; cat b", 'read b @'],
    // Names that refer to something else.
    ['command cd a; cat b', 'read b @,a'],
    ['builtin cd a && cat b', 'read b @a'],
    ['\\cd a && cat b', 'read b @a'],
    ['cd() { :; }; cd a && cat b', 'read b @?'],
    ['command() { :; }; command cd a && cat b', 'read b @?'],
    ['CDPATH=/x; cd a; cat b', 'read b @?'],
    ['CDPATH=/x cd a && cat b', 'read b @?'],
    ['CDPATH=/x; cd /a && cat b', 'read b @?'],
    ['PWD=/x; cd a && cat b', 'read b @?'],
    ['DIRSTACK[1]=/x; pushd a && popd && cat b', 'read b @?'],
    ['HOME=/x; cd && cat b', 'read b @?'],
    ['HOME=/x; cd ~/a && cat b', 'read b @?'],
    ['HOME=/x; cd a && cat b', 'read b @a'],
    ['set -P; cd a && cat b', 'read b @?'],
    ['set -o physical; cd a && cat b', 'read b @?'],
    // Spellings of folders.
    ['cd "$x"; cat b', 'read b @?'],
    ['cd $(pwd); cat b', 'read b @?'],
    ['cd "$x"; cd /a && cat b', 'read b @/a'],
    ['cd "$x"; cd /a && cd - && cat b', 'read b @?'],
    ['cd "$x"; cd a && cat b', 'read b @?'],
    ['cd a c; cat b', 'read b @?'],
    ['cd ""; cat b', 'read b @?'],
    ['cd -@ a; cat b', 'read b @?'],
    ['cd && cat b', 'read b @~'],
    ['cd ~ && cat b', 'read b @~'],
    ['cd ~/a && cd .. && cat b', 'read b @~'],
    ['cd ~x && cat b', 'read b @?'],
    ["cd '~' && cat b", 'read b @./~'],
    ['cd -- -a && cat b', 'read b @-a'],
    ['cd "a b" && cat c', 'read c @a b'],
    ['cd ./a//b/. && cat c', 'read c @a/b'],
    ['cd .. && cat b', 'read b @..'],
    ['cd ../.. && cat b', 'read b @../..'],
    ['cd a && cd .. && cat b', 'read b @.'],
    ['cd a/b && cd .. && cat c', 'read c @a'],
    ['cd a && cd ../.. && cat b', 'read b @..,a/../..'],
    ['cd a/.. && cat b', 'read b @.'],
    // The folder may not exist by name, but behind a link.
    ['cd a/../b && cat c', 'read c @b,a/../b'],
    ['cd a && cd ../b && cat c', 'read c @b,a/../b'],
    ['cd -P a && cat b', 'read b @a'],
    ['cd -P a && cd .. && cat b', 'read b @a/..'],
    ['cd -Pe a/.. && cat b', 'read b @a/..'],
    ['cd -L a && cat b', 'read b @a'],
    ['cd / && cd .. && cat b', 'read b @/'],
    // Returning to an earlier folder.
    ['cd -; cat b', 'read b @?'],
    ['cd a && cd - && cat b', 'read b @'],
    ['cd a && cd b && cd - && cat c', 'read c @a'],
    ['cd a && cd - && cd - && cat b', 'read b @a'],
    ['cd a; cd - && cat b', 'read b @?'],
    ['cd a && cd - || cat b', 'read b @,a'],
    ['pushd a; cat b', 'read b @,a'],
    ['pushd a && cat b', 'read b @a'],
    ['pushd a && cat b && popd && cat c', 'read c @'],
    ['pushd a >/dev/null && ls; popd; cat b', 'read b @,a'],
    ['pushd a && pushd b && popd && cat c', 'read c @a'],
    ['pushd a && pushd && cat b', 'read b @'],
    ['pushd a && cd b && popd && cat c', 'read c @'],
    ['pushd +1; cat b', 'read b @?'],
    ['pushd -n a; cat b', 'read b @?'],
    ['popd; cat b', 'read b @'],
    ['popd +1; cat b', 'read b @?'],
    // At another time, or repeatedly.
    ['for i in 1 2; do cd a; done; cat b', 'read b @?'],
    ['for i in 1 2; do cat b; cd a; done', 'read b @?'],
    ['for i in 1 2; do (cd a && cat b); done', 'read b @a'],
    ['for i in 1 2; do (cd a); cat b; done', 'read b @'],
    ['for i in 1 2; do cat b || exit; done; cat c', 'read c @'],
    ['while :; do cat b; cd a; done', 'read b @?'],
    ['while cd a; do cat b; done', 'read b @?'],
    ['f() { cat b; }; cd a; f', 'read b @?'],
    ['f() { cat b; }; f', 'read b @'],
    ['f() { cd a; }; f; cat b', 'read b @?'],
    ['f() { exit; }; cat b', 'read b @'],
    ["trap 'cat b' EXIT; cd a", 'read b @?'],
    ["trap 'cd a' ERR; cat b", 'read b @?'],
    ["eval 'cd a'; cat b", 'read b @,a'],
    ["eval 'cd a' && cat b", 'read b @a'],
    ['. ./x.sh; cat b', 'read b @?'],
    ['find . -execdir cat b {} +', 'read b @?'],
    ["git submodule foreach 'cat b'", 'read b @?'],
    ['git bisect run cat b', 'read b @?'],
    // At most sixteen folders.
    ['cd a; cd b; cd c; cd d; cat e', 'read e @,a,b,a/b,c,a/c,b/c,a/b/c,d,a/d,b/d,a/b/d,c/d,a/c/d,b/c/d,a/b/c/d'],
    ['cd a; cd b; cd c; cd d; cd e; cat f', 'read f @?'],
    // Programs with a working folder option.
    ['env -C a cat b; cat c', 'read b @a'],
    ['env -C a true; cat b', 'read b @'],
    ['env -C a -C c cat b', 'read b @a,c'],
    ['cd a; env -C c true; cat b', 'read b @,a'],
    ['cd a && git -C b diff -- c', 'read c @a/b'],
    ['git -C a -C ../b diff -- c', 'read c @a/../b'],
    ['git -C "$x" diff -- c', 'read c @?'],
  ])(proves('X08')('%s'), (line, expected) => {
    expect(files(line)).toContain(expected);
  });
});
