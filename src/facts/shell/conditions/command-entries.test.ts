import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { lineRuns } from '../../index.ts';

function answer(line: string, entry: string): string {
  const truth = lineRuns(line, [entry]);
  return typeof truth === 'object' ? 'unknown' : truth ? 'yes' : 'no';
}

describe('entries with arguments', () => {
  it.each([
    ['rm -rf', ['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm x -f -r', 'rm --recursive --force x', 'rm --rec --for x']],
    ['rm -rf', ['rm -rfv x', 'rm \'-r\'"f" x', 'sudo rm -R -f -- x', 'rm -f --recursive -- -x', 'rm -rf "$x"']],
    ['rm -r', ['rm -rf x', 'rm -R x', 'rm --recursive x', 'find . -exec rm -r {} +']],
    [
      'git push',
      [
        'git push',
        'git -C x push',
        'git --git-dir=y -c a.b=c push origin',
        'git push --force',
        'git --nobody-knows-it push',
      ],
    ],
    ['git push --force', ['git push --force', 'git push -f', 'git push origin main --force', 'git -C x push -qf']],
    ['sudo rm', ['sudo rm x', 'sudo -u root rm x', 'sudo -n -- /bin/rm -f x']],
    ['foo bar', ['foo bar', 'foo bar baz', './foo bar', "foo 'bar' --x"]],
    ['/usr/bin/rm', ['rm x', '/bin/rm x']],
  ])(proves('X07')('%s: matches by meaning'), (entry, lines) => {
    expect(lines.map((line) => [line, answer(line, entry)])).toEqual(lines.map((line) => [line, 'yes']));
  });

  it.each([
    ['rm -rf', ['rm x', 'rm -r x', 'rm -f x', 'rm -- -rf', 'rmdir -rf', 'rm -r; ls -f']],
    ['git push', ['git status', 'git pull', 'git stash push', 'git log push', 'git commit -m push']],
    ['git push --force', ['git push', 'git push -- --force', 'git fetch --force', 'git push; git fetch --force']],
    ['sudo rm', ['sudo ls', 'rm x', 'sudo ls; rm x']],
    ['foo bar', ['foo', 'foo baz', 'bar foo']],
  ])(proves('X07')('%s: does not match other commands'), (entry, lines) => {
    expect(lines.map((line) => [line, answer(line, entry)])).toEqual(lines.map((line) => [line, 'no']));
  });

  it.each([
    ['rm -rf', ['rm $x', 'rm -r $x', 'rm -r "$x" $y', 'ls | xargs rm -r']],
    ['rm -rf /', ['rm -rf x /', 'rm -rf x $y', 'rm -rf "$x"']],
    ['git push', ['git $x', 'git "$x"']],
    ['foo bar', ['foo --x bar', 'foo "$x"', 'foo $x', 'quux foo bar']],
  ])(proves('X07')('%s: unknown if it may match'), (entry, lines) => {
    expect(lines.map((line) => [line, answer(line, entry)])).toEqual(lines.map((line) => [line, 'unknown']));
  });

  it.each([
    '',
    ' ',
    '# x',
    'a; b',
    'a | b',
    'a &',
    '$x',
    'rm $x',
    'rm *',
    'rm ~',
    'a=1 rm',
    'rm > x',
    '(rm)',
    '! rm',
    'a "',
    "''",
    'rm\nls',
    'f() { rm; }',
  ])('an entry must be a single command of literal words: %j', (entry) => {
    expect(() => lineRuns('ls', [entry])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('accepts entries with shell quotes', () => {
    expect(answer("'my tool' x", "'my tool'")).toBe('yes');
    expect(answer("git commit -m 'a b'", "git commit -m 'a b'")).toBe('yes');
    expect(answer('[ -f x ]', '[')).toBe('yes');
  });
});
