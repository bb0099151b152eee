import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs, seed } from '../../test/property-runs.ts';
import { isPortableCommand } from './portable-command.ts';

describe('isPortableCommand', () => {
  it.each([
    'ls -la',
    'git status && git diff | head -n 5',
    'cd sub && npm test',
    'echo "hello world" > out.txt',
    'cat a.txt 2>/dev/null',
    'npm test 2>&1 | tail -20',
    'find . -name "*.ts" -exec grep -l foo {} +',
    '[ -f x ] && cat x',
    'grep -rn "foo bar" src/ || true',
    'ls ~/x *.ts',
    'sed -n 1,20p src/a.ts; pwd',
    "grep 'a\\.b' x",
    "git log --format='%h %s' -n 3",
    'NODE_ENV=test npm test',
    'ls\npwd\n',
    'ls &&\n  pwd',
    'sort < a.txt',
    "node -e 'console.log(1)'",
    '',
  ])('accepts %j', (line) => {
    expect(isPortableCommand(line)).toBe(true);
  });

  it.each([
    'echo $HOME',
    "printf %d 'path[$(touch x)]'",
    "exit 'path[$(touch x)]'",
    "test -t 'path[$(touch x)]'",
    'echo "$x"',
    'ls `x`',
    'ls &',
    'ls |& cat',
    'ls &> x',
    'ls >& x',
    'ls **',
    'echo =ls',
    'ls ~root',
    'ls {a,b}',
    'a=1',
    'A=1',
    'for i in a; do ls; done',
    'echo a\\nb',
    "echo 'a\\nb'",
    'echo - a',
    "echo '-e' a",
    'ls;;',
    'ls &&',
    '&& ls',
    '; ls',
    'ls | | cat',
    'cd a b',
    'cd -',
    'cd +1',
    'cat x | cd y',
    'ls > a | sh',
    'echo x > a > b',
    'ls a>b',
    'echo <1-10>',
    'echo a#b',
    '# x',
    '! ls',
    'path=/x ls',
    'HOME=/x ls ~',
    'ls .*',
    'ls ..*',
    "ls 'a''b'",
    'ls ""=ls',
    "ls ''.*",
    '-x',
    '. ./x',
    'eval ls',
    'ls (a)',
    'ls *(x)',
    'ls [a]*',
    'time ls',
    '\\ls',
    'ls "a!b"',
    'ls\r',
    'ls\0',
    'cat <<E\nE',
    'r',
    `ls ${'a'.repeat(20_000)}`,
  ])('does not accept %j', (line) => {
    expect(isPortableCommand(line)).toBe(false);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'bridle-portable-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shells = [
  ['bash', ['--norc', '--noprofile', '-c']],
  ['dash', ['-c']],
  // zsh does not run a command with a pattern that matches nothing.
  ['zsh', ['-f', '+o', 'nomatch', '-c']],
] as const;
const installed = shells.filter(([name]) => ['/bin', '/usr/bin'].some((place) => existsSync(join(place, name))));

const files = ['a', 'b.txt', '.hidden', ...[1, 2, 3, 4].flatMap((n) => [`o${n}`, `sub/o${n}`])];

/** Every argv and folder that the line runs `dump` with, and what it leaves in the files. */
function runIn([shell, options]: (typeof shells)[number], line: string): unknown {
  const project = join(folder, 'project');
  const log = join(folder, 'log');
  const bin = join(folder, 'bin');
  rmSync(project, { recursive: true, force: true });
  rmSync(log, { force: true });
  mkdirSync(join(project, 'sub'), { recursive: true });
  mkdirSync(bin, { recursive: true });
  // All files exist from the start, so that patterns match the same ones in parallel commands.
  for (const name of files) writeFileSync(join(project, name), name);
  const dump = join(bin, 'dump');
  // One write each: the commands of a pipeline run at the same time.
  const print = `text="$(pwd -P; printf '<%s>' "$@"; env | sed -n '/^V1=/p')"; printf '%s\\n' "$text" >> '${log}'`;
  writeFileSync(dump, `#!/bin/sh\n${print}; printf '%s\\n' "$text"\n`);
  chmodSync(dump, 0o755);
  const program = ['/bin', '/usr/bin'].map((place) => join(place, shell)).find((path) => existsSync(path)) ?? shell;
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(folder, 'home'), LC_ALL: 'C.UTF-8' };
  spawnSync(program, [...options, line], { cwd: project, env, stdio: 'ignore', timeout: 10_000 });
  const calls = existsSync(log) ? readFileSync(log, 'utf8') : '';
  return {
    calls: calls.split(/^(?=\/)/m).toSorted(),
    // o3 gets messages of the shell itself.
    files: files.filter((name) => !name.endsWith('o3')).map((name) => readFileSync(join(project, name), 'utf8')),
    names: readdirSync(project, { recursive: true }).map(String).toSorted(),
  };
}

const words =
  "a b.txt * ? *.txt s*/o1 ~ ~/x a=b 'x_y' \"q\" '$z' \"a*b\" a'b\tc'd {} [ ] = -n --x=y %1 @ a,b '' \"\" .. ./a */* 'é' 'a\\n' x?";
const noise =
  '# ^ ( ) {a,b} { } ! $HOME $(dump) `dump` \\ ** .* <1-3> =dump ~root & &> |& >& >| <<< <(dump) ;; \' " [a] *(N) \t = : ~ -';
const parts = {
  command: fc.constantFrom('dump', 'dump', 'dump', 'cd sub', 'true', 'false', 'V1=x dump', 'echo', '[ a = a ]'),
  word: fc.constantFrom("'x y'", '"q r"', ...words.split(' ')),
  redirect: fc.constantFrom('> o1', '>> o2', '2> o3', '2>&1', '>&2', '2>/dev/null', '< a', '1> o4'),
  joint: fc.constantFrom(' && ', ' || ', ' | ', '; ', '\n', ' &&\n', '  ;  '),
  noise: fc.constantFrom(...noise.split(' ')),
};
const simple = fc
  .tuple(parts.command, fc.array(parts.word, { maxLength: 4 }), fc.option(parts.redirect))
  .map(([command, words, redirect]) => [command, ...words, ...(redirect === null ? [] : [redirect])].join(' '));
const line = fc
  .tuple(
    fc.array(fc.tuple(simple, parts.joint), { minLength: 1, maxLength: 3 }),
    fc.option(fc.tuple(parts.noise, fc.nat())),
  )
  .map(([commands, noise]) => {
    const text = commands.flatMap(([command, joint], index) => (index === 0 ? [command] : [joint, command])).join('');
    if (noise === null) return text;
    const at = noise[1] % (text.length + 1);
    return text.slice(0, at) + noise[0] + text.slice(at);
  })
  .filter((text) => isPortableCommand(text));

describe('a portable line', () => {
  it.skipIf(installed.length < 2)(
    proves('C04')('runs the same commands in every installed shell'),
    () => {
      fc.assert(
        fc.property(line, (text) => {
          const [first, ...others] = installed.map((shell) => runIn(shell, text));
          for (const other of others) expect(other).toEqual(first);
        }),
        { seed, numRuns: runs(40) },
      );
    },
    120_000,
  );
});
