import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { builtinTools } from 'bridle/tools';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/policy-files/load/load-policy.ts';
import { proves } from '../contract/cite.ts';
import { sample } from '../property-runs.ts';
import { runsOnlyQuestion } from './answers.ts';
import { numbers } from './random/choices.ts';
import { growTree } from './random/command-tree.ts';
import type { World } from './random/grower.ts';
import { join, operators } from './random/grow-list.ts';
import { closed, newline, type Piece, weave } from './random/piece.ts';

/** Mostly allowed commands, so that whole lines are often allowed. */
const world: World = {
  programs: [['ls'], ['cat'], ['echo'], ['git', 'status'], ['grep', 'a'], ['ls', '-l'], ['rm'], ['foo', '--safe']],
  paths: ['/bin/'],
  real: false,
};

const reading =
  'ls cat echo true false grep sh bash eval env nice find nohup timeout xargs stdbuf command builtin trap .';
const allowed = [...reading.split(' '), 'git status', 'foo --safe', 'break', '[', 'f1', 'f2', 'f501'];

/** Every construct that contains two commands. */
const structures: readonly ((left: Piece, right: Piece) => Piece)[] = [
  ...operators.map((operator) => (left: Piece, right: Piece) => join(operator, left, right)),
  (left, right) => weave('( ', left, '; ', right, ' )'),
  (left, right) => weave('{ ', left, newline, right, '; }'),
  (left, right) => weave('! ', left, ' || ', right),
  (left, right) => weave('if ', left, '; then ', right, '; fi'),
  (left, right) => weave('if true; then ', left, '; else ', right, '; fi'),
  (left, right) => weave('while ', left, '; do ', right, newline, 'done'),
  (left, right) => weave('case a in b) ', left, ';; *) ', right, ' ;; esac'),
  (left, right) => weave('for i in a; do ', left, '; ', right, '; done'),
  (left, right) => weave('{ ', left, '; } 2>&1 | { ', right, '; }'),
  (left, right) => weave(left, ' & ', right, ' &'),
  (left, right) => weave(left, '; echo $( ', closed(right), ')'),
  (left, right) => weave('[[ -n $( ', closed(left), ') ]] && ', right),
  (left, right) => weave('f1() { ', left, '; }; f1; ', right),
];

/** Two trees, and a line that has both. */
const pair = fc
  .tuple(numbers(36), numbers(36), numbers(20), fc.constantFrom(...structures))
  .map(([left, right, spelling, structure]) => {
    const first = growTree(world, { choices: left, spelling });
    const second = growTree(world, { choices: right, spelling, from: 500 });
    return { whole: closed(structure(first.piece, second.piece)), parts: [first.line, second.line] };
  });

describe('a line that is allowed', () => {
  const folder = realpathSync(mkdtempSync(joinPath(tmpdir(), 'bridle-laws-')));
  afterAll(() => rmSync(folder, { recursive: true }));

  it(proves('X06', 'X03')('contains only allowed parts, for every operator'), { timeout: 300_000 }, () => {
    const onlyAllowed = runsOnlyQuestion(allowed);
    const pairs = sample(5000);
    let wholes = 0;
    fc.assert(
      fc.property(pair, ({ whole, parts }) => {
        if (onlyAllowed(whole) !== 'yes') return;
        wholes += 1;
        const refused = parts.filter((part) => onlyAllowed(part) !== 'yes');
        expect(refused.map((part) => `${part} of ${whole}`)).toEqual([]);
      }),
      { numRuns: pairs },
    );
    expect(wholes).toBeGreaterThan(pairs / 20);
  });

  it(proves('X06')('contains only parts that a policy file allows too'), { timeout: 120_000 }, async () => {
    const file = joinPath(folder, 'bridle.yaml');
    const entries = allowed.map((entry) => JSON.stringify(entry)).join(', ');
    writeFileSync(
      file,
      `version: 1
default: ask
rules:
  - deny: run_command
    when: runs("rm", "git push")
  - allow: run_command
    when: runsOnly(${entries})
`,
    );
    const policy = loadPolicy(file, { cwd: folder, home: joinPath(folder, 'home'), tools: builtinTools });
    const effect = async (line: string): Promise<string> => {
      const decision = await policy.decide({ tool: 'run_command', args: { command_line: line } });
      return decision.effect;
    };
    const pairs = sample(500);
    let wholes = 0;
    await fc.assert(
      fc.asyncProperty(pair, async ({ whole, parts }) => {
        if ((await effect(whole)) !== 'allow') return;
        wholes += 1;
        for (const part of parts) expect(await effect(part), `${part} of ${whole}`).toBe('allow');
      }),
      { numRuns: pairs },
    );
    expect(wholes).toBeGreaterThan(pairs / 20);
  });
});
