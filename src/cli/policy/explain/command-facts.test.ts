import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { PolicyFileRule } from '../../../policy-files/policy-file.ts';
import type { PolicyLayer } from '../../../policy-files/loaded-policy.ts';
import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';
import { markUncovered } from './command-facts.ts';

function ruleOf(effect: PolicyFileRule['effect'], text: string, shadow = false): PolicyFileRule {
  const at = { line: 1, column: 1 };
  return { effect, targets: [], when: { text, at, stretches: [] }, shadow, at };
}

function marked(line: string, ...rules: readonly PolicyFileRule[]): readonly string[] {
  const layers = [{ policyFile: { rules } }] as unknown as readonly PolicyLayer[];
  const runs = analyseCommand(line).commands.map(({ argv, via }) => ({
    command: argv.map((word) => ('value' in word ? word.value : '…')).join(' '),
    via,
  }));
  const [facts] = markUncovered([{ argument: 'command_line', line, runs }], { layers });
  return facts?.runs.filter(({ uncovered }) => uncovered === true).map(({ command }) => command) ?? [];
}

describe('commands that no allow rule covers', () => {
  const look = ruleOf('allow', 'runsOnly("ls", "git status") && readsInside(".")');
  const test = ruleOf('allow', 'runsOnly("npm test")');

  it.each([
    ['ls && git push', ['git push']],
    ['npm test; ls -la; git status -s', []],
    ['ls | sort | uniq -c', ['sort', 'uniq -c']],
    ['sudo ls', ['sudo ls']],
    ['ls $x; rm $x', []],
  ])(proves('D08')('are marked: %s'), (line, expected) => {
    expect(marked(line, look, test)).toEqual(expected);
  });

  it(proves('D08')('ignore shadow rules, other effects and negated conditions'), () => {
    expect(marked('rm x', look, ruleOf('deny', 'runsOnly("rm x")'))).toEqual(['rm x']);
    expect(marked('rm x', look, ruleOf('allow', 'runsOnly("rm x")', true))).toEqual(['rm x']);
    expect(marked('rm x', look, ruleOf('allow', '!runsOnly("rm x")'))).toEqual(['rm x']);
    expect(marked('rm x', ruleOf('allow', 'opaque()'))).toEqual([]);
  });
});
