import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { lineRunsOnly, runsListed, runsListedFact } from '../../index.ts';

const entries = ['ls', 'cat', 'tail', 'npm test', 'npx tool', 'pytest', 'git diff', 'cd'];
const tool = {
  name: 'run_command',
  args: ['command_line'],
  commands: ['command_line'],
  touches: { bash: ['command_line'] },
};

function answer(line: string): string {
  const truth = runsListedFact(entries)({ tool: 'run_command', args: { command_line: line } } as never, tool);
  return typeof truth === 'object' ? 'unknown' : truth ? 'yes' : 'no';
}

describe('runsListed', () => {
  it.each([
    'ls -la | tail -5',
    'CI=1 npm test',
    'CI=true NODE_ENV=test npm test 2>&1 | tail -20',
    'cd src && FORCE_COLOR=0 npm test',
    'NODE_ENV=test npx tool',
    'PYTHONPATH=src pytest',
    'GIT_PAGER=cat git diff',
    'file=README.md; cat $file',
    'a=x b=y; ls $a $b',
  ])(proves('X03', 'X12')('accepts variables that do no harm: %s'), (line) => {
    expect(answer(line)).toBe('yes');
  });

  it.each([
    'NODE_OPTIONS=--require=./x npm test',
    'PATH=. ls',
    'LD_PRELOAD=./x.so ls',
    'GIT_PAGER=./x git diff',
    'GIT_EXTERNAL_DIFF=./x git diff',
    'BASH_ENV=x ls',
    'npm_config_script_shell=./x npm test',
    'PYTHONPATH=/tmp pytest',
    'PYTHONPATH=src ls',
    'CI=$(rm x) npm test',
    'CI=/tmp/x npm test',
    'SRC=src; ls $SRC',
    'x=rm; $x y',
    'f=a; rm $f',
    'CI=1 npm test > log.txt',
    'CI=1 rm x',
    'f=$(rm x); cat $f',
    'http_proxy=x ls',
    'f+=x; ls',
    'CI=1 ls > x',
    'ls() { rm x; }; CI=1 ls',
  ])(proves('X03', 'X13')('does not accept other variables, files and commands: %s'), (line) => {
    expect(answer(line)).not.toBe('yes');
  });

  it(proves('X03')('accepts everything that runsOnly accepts'), () => {
    for (const line of ['', 'ls', 'ls; cat a && tail b | cat', 'for f in a b; do cat $f; done', '(cd a && ls) 2>&1']) {
      expect(lineRunsOnly(line, entries)).toBe(true);
      expect(answer(line)).toBe('yes');
    }
  });

  it('needs at least one command, and no list', () => {
    expect(() => runsListed()).toThrow('needs at least one command');
    expect(() => runsListed(['ls'] as never)).toThrow('not as a list');
  });
});
