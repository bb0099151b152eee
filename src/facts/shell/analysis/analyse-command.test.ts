import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { analyseCommand, isLineOpaque, lineRunsOnly, lineRuns } from '../../index.ts';

function opaque(line: string): string {
  const truth = isLineOpaque(line);
  return typeof truth === 'object' ? 'unknown' : truth ? 'yes' : 'no';
}

describe('opaque', () => {
  it.each([
    './x.sh',
    'bash x.sh',
    '. ./x.sh',
    'nobody-knows-it',
    "python3 -c 'print(1)'",
    'python3 x.py',
    'make',
    'npm test',
    'sudo ./x',
    'PATH=. ls',
    'LD_PRELOAD=./x.so ls',
    'bash < x.sh',
    'ls; (./x)',
    '$(./x)',
  ])(proves('X04')('%j hides what it does'), (line) => {
    expect(opaque(line)).toBe('yes');
  });

  it.each([
    'ls',
    'ls -la | grep x',
    'rm -rf x',
    "sh -c 'ls'",
    'echo "$x"',
    'for i in a; do cat "$i"; done',
    'f() { ls; }; f',
    '',
  ])('%j shows everything it does', (line) => {
    expect(opaque(line)).toBe('no');
  });

  it.each(['$x', 'ls "', 'eval "$x"'])('%j may hide what it does', (line) => {
    expect(opaque(line)).toBe('unknown');
  });

  it.each([':(){ :|:& };:', 'ls(){ ls|ls& };ls', 'f() { ls; }; g() { f; }; g'])(
    proves('X04')('is opaque if a function may call itself without end: %s'),
    (line) => {
      expect(analyseCommand(line).opaque).toContain('a function calls');
    },
  );

  it('does not trust a function that may not be defined', () => {
    expect(opaque('false && f() { ls; }; f')).toBe('yes');
    expect(opaque('f() { ls; } & f')).toBe('yes');
    expect(opaque('f() { ls; }; unset -f f; f')).toBe('yes');
  });
});

describe('limits', () => {
  const long = `echo ${'a'.repeat(70_000)}`;
  const hereDocument = `cat <<E\n${'a\n'.repeat(9000)}E`;
  const nested = `${'('.repeat(300)}ls${')'.repeat(300)}`;
  const deepCode = Array.from({ length: 12 }).reduce<string>((code) => `sh -c ${quote(code)}`, 'ls');
  const wrapped = `${'sudo '.repeat(200)}ls`;
  const many = 'ls;'.repeat(5000);
  const substitutions = `echo ${'$('.repeat(200)}ls${')'.repeat(200)}`;

  it.each(
    [long, hereDocument, nested, deepCode, wrapped, many, substitutions].map((line) => [line.slice(0, 20), line]),
  )(proves('X05', 'X10')('a line past a limit is unknown: %j'), (_start, line) => {
    expect(analyseCommand(line).unknown).toEqual(expect.any(String));
    expect(lineRuns(line, ['rm'])).toMatchObject({ type: 'unknown' });
    expect(lineRunsOnly(line, ['ls', 'sh', 'sudo', 'echo', 'cat'])).not.toBe(true);
  });

  it(proves('X10')('does not parse a line that is too long'), () => {
    const started = performance.now();
    for (let round = 0; round < 20; round++) {
      analyseCommand(`cat <<E\n${'$(a) '.repeat(200_000)}\n${round}\nE`);
      analyseCommand(`${'$('.repeat(400_000)}${round}`);
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it(proves('X05')('keeps the commands found before the limit'), () => {
    expect(lineRuns(`rm x;${many}`, ['rm'])).toBe(true);
  });

  it('counts nested code', () => {
    const inner = `eval ${quote(`echo ${'a'.repeat(30_000)}`)};`;
    expect(analyseCommand(inner.repeat(2)).unknown).toBeUndefined();
    expect(analyseCommand(`eval ${quote(inner.repeat(2))}`).unknown).toBeUndefined();
    const thrice = Array.from({ length: 4 }).reduce<string>((code) => `eval ${quote(code)}`, inner.repeat(2));
    expect(analyseCommand(thrice).unknown).toBe('the line contains too much code');
  });
});

describe('commands', () => {
  it('are listed with their words, variables and wrappers', () => {
    const { commands } = analyseCommand('A=b sudo -n env C=d ls -l "$x" > f');
    expect(
      commands.map(({ argv, via, assignments, redirectsOut }) => ({
        words: argv.map((word) => word.text),
        via,
        assignments,
        redirectsOut,
      })),
    ).toEqual([
      { words: ['sudo', '-n', 'env', 'C=d', 'ls', '-l', '"$x"'], via: [], assignments: ['A=b'], redirectsOut: true },
      { words: ['env', 'C=d', 'ls', '-l', '"$x"'], via: ['sudo'], assignments: ['A=b'], redirectsOut: false },
      { words: ['ls', '-l', '"$x"'], via: ['sudo', 'env'], assignments: ['A=b', 'C=d'], redirectsOut: false },
    ]);
  });

  it('returns the same analysis for the same line', () => {
    expect(analyseCommand('ls -l | cat')).toBe(analyseCommand('ls -l | cat'));
  });
});

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
