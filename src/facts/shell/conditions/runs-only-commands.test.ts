import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs as count } from '../../../../test/property-runs.ts';
import { lineRunsOnly } from '../../index.ts';

const entries = [
  'ls',
  'sort',
  'find',
  'cat',
  'grep',
  'echo',
  'git status',
  'foo --safe',
  'cd',
  'xargs',
  'npx tool',
  'true',
  'sh',
  'f',
];

function answer(line: string, allowed = entries): string {
  const truth = lineRunsOnly(line, allowed);
  return typeof truth === 'object' ? 'unknown' : truth ? 'yes' : 'no';
}

const covered = [
  '',
  '# nothing',
  'ls',
  'ls -la',
  "ls '-l' a b",
  'l""s',
  'ls; cat a && echo b | grep c',
  'ls > /dev/null',
  'ls 2>/dev/null',
  'ls 2>&1',
  'ls >&2',
  'cat < a',
  'cat <<E\na\nE',
  '{ ls; } 2>&1',
  'if ls; then cat a; else echo b; fi',
  'for f in a b; do cat x; done',
  'while ls; do cat a; done < list',
  '(ls)',
  'git status',
  'git status -s',
  'foo --safe',
  '! ls',
  'time ls',
  'ls &',
  'f() { ls; }; f',
  'cat "$x"',
  'echo --- && echo "-----" --x=y',
  'ls --new-option=x',
  'cd a && ls',
  'ls *.ts',
  'for f in *; do grep x "$f"; done',
  'for f in src/*.ts; do sort "$f"; done',
  'for file_name in a b; do sort $file_name; done',
  'find . -name x | xargs sort',
  'find src -name "*.ts" -print0 | xargs -0 -n 1 sort',
  'sort <(ls a) <(cat b)',
  'sort $(find src -name "*.ts")',
];

const refused = [
  'rm x',
  'ls; rm x',
  'ls | rm x',
  'echo $(rm x)',
  '/bin/ls',
  './ls',
  'ls > f',
  'ls >> f',
  'ls &> f',
  'ls >| f',
  'ls >& f',
  'ls > $x',
  'ls > /dev/null > f',
  'ls > >(cat)',
  'ls > /dev/nul',
  'ls <> f',
  '> f',
  '{ ls; } > f',
  'for i in a; do ls; done > f',
  'a=1',
  'a=1 ls',
  'PATH=. ls',
  'env ls',
  'env A=b ls',
  'for PATH in a; do ls; done',
  'git push',
  'git',
  'git -C x status',
  'git -c core.fsmonitor=./x status',
  'git --exec-path=. status',
  'foo',
  'foo --safe --more',
  'foo --safer',
  'foo x --safe',
  'bar',
  'sudo ls',
  'npx other',
  'LS',
  'ls; f() { rm x; }',
  'trap "rm x" EXIT',
  'eval ls',
  '[ -f x ]',
];

const unsure = [
  'git status $x',
  'sort "$x"',
  'find $x',
  'ls; $x',
  'ls (a)',
  'ls; ls "',
  'sh',
  'cat a | sh',
  'echo ls | sh',
  'echo ls | sh; ls',
  'sh <<< "$x"',
  'ls; ls @(a|b)',
];

describe('runsOnly', () => {
  it(proves('X03')('is true for lines that run nothing else'), () => {
    expect(covered.filter((line) => answer(line) !== 'yes')).toEqual([]);
  });

  it(proves('X03')('is false if something else certainly runs, or if something is written or set'), () => {
    expect(refused.filter((line) => answer(line) !== 'no')).toEqual([]);
  });

  it(proves('X03', 'X05')('is unknown if everything known is covered'), () => {
    expect(unsure.filter((line) => answer(line) !== 'unknown')).toEqual([]);
  });

  it.each([
    'read PATH',
    'read -r a PATH',
    'printf -v PATH x',
    'mapfile PATH',
    ': ${PATH:=.}',
    'getopts a PATH',
    'read PAGER <<< x',
  ])(proves('X03')('counts a variable set by a command as an assignment: %s'), (line) => {
    expect(answer(`${line}; ls`, ['read', 'printf', 'mapfile', ':', 'getopts', 'ls'])).toBe('no');
  });

  it(proves('X03')('is false rather than unknown if one command is not covered'), () => {
    expect(['$x; rm y', 'rm x; ls "', 'cat a | sh; rm x'].map((line) => answer(line))).toEqual(['no', 'no', 'no']);
  });

  it(proves('X03')('covers what an entry starts, if it is started the same way'), () => {
    expect(answer('npx tool')).toBe('yes');
    expect(answer('tool')).toBe('no');
    expect(answer('timeout 5 ls', ['timeout 5 ls'])).toBe('yes');
    expect(answer('ls', ['timeout 5 ls'])).toBe('no');
    expect(answer('timeout 5 ls', ['timeout', 'ls'])).toBe('yes');
    expect(answer('timeout 5 rm x', ['timeout', 'ls'])).toBe('no');
    expect(answer('timeout 5 ls', ['ls'])).toBe('no');
  });

  it(proves('X06')('is true for parts of a line if it is true for the whole'), () => {
    const operators = [' ; ', ' && ', ' || ', ' | ', ' |& ', ' & ', '\n'];
    const alone = [...covered, ...refused, ...unsure].filter(
      (line) => line !== '' && !/[#\n]|&$|ls "$|\(a\)/.test(line),
    );
    const part = fc.constantFrom(...alone);
    fc.assert(
      fc.property(part, fc.constantFrom(...operators), part, (left, operator, right) => {
        if (answer(left + operator + right) !== 'yes') return;
        expect([answer(left), answer(right)]).toEqual(['yes', 'yes']);
      }),
      { numRuns: count(2000) },
    );
  });
});

describe('curl', () => {
  it.each([
    'curl -s localhost:3000/health',
    "curl -fsS 'http://127.0.0.1:8080/a?b=c'",
    'curl -sI http://localhost',
    "curl -s -o /dev/null -w '%{http_code}' localhost:3000",
    "curl 'http://[::1]:3000/'",
  ])(proves('X03')('is harmless for a local address: %s'), (line) => {
    expect(answer(line, ['curl'])).toBe('yes');
  });

  it.each([
    'curl https://example.com',
    'curl localhost.example.com',
    'curl http://localhost@example.com',
    'curl http://localhost:80@example.com/',
    'curl "http://localhost\\@example.com"',
    'curl localhost:3000 example.com',
    'curl -L localhost:3000',
    'curl -x proxy localhost:3000',
    'curl --resolve localhost:80:1.2.3.4 localhost',
    'curl --connect-to ::example.com: localhost',
    'curl -d @.env localhost:3000',
    'curl -X DELETE localhost:3000',
    'curl -T .env localhost:3000',
    'curl -H @.env localhost:3000',
    'curl -o out localhost:3000',
    'curl -O localhost:3000/x',
    'curl -w @.env localhost:3000',
    "curl -w '%output{x}' localhost:3000",
    'curl "localhost/{a,b}"',
    'curl -K conf localhost',
    'curl file://localhost/etc/passwd',
    'curl --url https://example.com localhost',
    'curl localhost:3000/$x',
    'curl ftp://localhost/x',
  ])(proves('X03')('is not harmless for another machine, or if it sends or writes: %s'), (line) => {
    expect(answer(line, ['curl'])).not.toBe('yes');
  });
});

describe('a command that is word for word an entry', () => {
  it.each([
    ['gpg --clearsign doc.txt', 'yes'],
    ['gpg --clearsign doc.txt more', 'no'],
    ['gpg --clearsign other.txt', 'no'],
    ['A=b gpg --clearsign doc.txt', 'no'],
    ['gpg --clearsign doc.txt > out', 'no'],
    ['gpg --clearsign doc.txt $x', 'no'],
    ['gpg --clearsign $x', 'no'],
    ['ls | xargs gpg --clearsign doc.txt', 'no'],
  ])(proves('X03')('is covered even with an unknown option: %s is %s'), (line, expected) => {
    expect(answer(line, ['ls', 'xargs', 'gpg --clearsign doc.txt'])).toBe(expected);
  });

  it(proves('X03', 'X04')('is not covered if the option may start something'), () => {
    expect(answer('bash --new x', ['bash --new x'])).toBe('unknown');
    expect(answer('find . --new', ['find . --new'])).toBe('unknown');
  });
});
