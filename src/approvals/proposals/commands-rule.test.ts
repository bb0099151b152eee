/** Rules about command lines: what they cover, and what no rule may ever be proposed for. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProposalSubject, RememberedRule } from '../../kernel/approval.ts';
import { lineRunsOnly } from 'bridle/facts';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { sample } from '../../../test/property-runs.ts';
import { subjects } from '../../../test/rigs/remember-rig.ts';
import { attacks } from '../../../test/shell/attacks.ts';
import { numbers } from '../../../test/shell/random/choices.ts';
import { growTree } from '../../../test/shell/random/command-tree.ts';
import type { World } from '../../../test/shell/random/grower.ts';
import { ruleProposals } from './rule-proposals.ts';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'remember-')));
mkdirSync(join(folder, 'src'));
for (const name of ['a', 'b', 'src/c', 'package.json']) writeFileSync(join(folder, name), name);
symlinkSync('/etc', join(folder, 'out'));
afterAll(() => rmSync(folder, { recursive: true }));

const { command } = subjects(folder);
const proposals = ruleProposals();
const covers = (rule: RememberedRule, subject: ProposalSubject): boolean => proposals.covers(rule, subject);

function ruleOf(line: string): RememberedRule | undefined {
  return proposals.propose(command(line));
}

function mustRule(line: string): RememberedRule {
  const rule = ruleOf(line);
  if (rule === undefined) throw new RangeError(`no rule for ${line}`);
  return rule;
}

function entriesOf({ data }: RememberedRule): readonly string[] {
  return (data as { readonly commands: readonly string[] }).commands;
}

const benign = [
  'git status',
  'git log --oneline -5',
  'git diff HEAD~1 --stat',
  'git show HEAD:a',
  'ls -la src',
  'cat a b',
  'cat a | grep -n "rm -rf" | head -5',
  'grep -rn x src',
  'rg x',
  'find . -name "*.ts" -type f',
  'sort -u a | wc -l',
  'ls 2>/dev/null || true',
  "jq '.scripts' package.json",
  'if ls a; then cat a; fi',
  'for f in a b; do echo "$f"; done',
  "echo 'rm -rf /'",
  'tail -3 a; file a; stat a; tree; pwd',
] as const;

describe('a rule for a command line', () => {
  it(proves('Q02')('describes completely what it allows'), () => {
    expect(ruleOf('cat a | head -5 2>/dev/null')?.text).toBe(
      `run_command in ${JSON.stringify(folder)} with any command_line that runs only \`cat\` and \`head\`. ` +
        'Their arguments must not write files, start programs or name files outside that folder.',
    );
    expect(entriesOf(mustRule('git log -3; git status; git log'))).toEqual(['git log', 'git status']);
  });

  it.each(benign)(proves('Q02')('covers the call it was made for: %s'), (line) => {
    expect(covers(mustRule(line), command(line))).toBe(true);
  });

  it.each([
    ['git log --oneline -5', 'git log --stat -- src'],
    ['ls', 'ls -la src && ls src/*'],
    ['cat a', 'cat b src/c < a'],
    ['cat a | wc -l', 'wc src/c; cat a 2>&1 | wc'],
    ['find . -name x', 'find src -type f -newer a'],
  ])(proves('Q02')('of "%s" covers "%s"'), (line, other) => {
    expect(covers(mustRule(line), command(other))).toBe(true);
  });

  it.each([
    ['git log', 'git status'],
    ['git log', 'git'],
    ['git log', 'git push'],
    ['git log', 'git log --output=a'],
    ['git log', 'git -C src log'],
    ['git log', 'git log | cat'],
    ['cat a', 'cat /etc/passwd'],
    ['cat a', 'cat ~/.ssh/id_rsa'],
    ['cat a', 'cat ../a'],
    ['cat a', 'cat out/passwd'],
    ['cat a', 'cat < /etc/passwd'],
    ['cat a', 'cat "$x"'],
    ['cat a', 'cat $(git log)'],
    ['cat a', 'cat a > b'],
    ['cat a', 'cd / && cat a'],
    ['cat a', '/bin/cat a'],
    ['cat a', 'A=1 cat a'],
    ['cat a', 'env cat a'],
    ['sort a', 'sort -o b a'],
    ['sort a', 'sort *'],
    ['find . -name x', 'find . -delete'],
    ['find . -name x; ls', 'find . -exec ls {} +'],
    ['find . -name x', 'find . -fprint a'],
    ['find . -name x', 'find / -name x'],
  ])(proves('Q02')('of "%s" does not cover "%s"'), (line, other) => {
    expect(covers(mustRule(line), command(other))).toBe(false);
  });

  it.each([
    // Nothing is said of what runs, or not all.
    ['', '# nothing', '$x', 'ls (a)', 'ls; $x', 'cat "$x"', 'f() { ls; }; f', 'frobnicate', 'frobnicate a'],
    // Something is written, set or reached elsewhere.
    ['ls > a', 'ls >> a', 'A=1 ls', 'A=1; ls', 'cd src && ls', 'cat /etc/passwd', 'cat ../a', 'cat out/passwd', 'ls ~'],
    [
      'rm a',
      'mkdir x',
      'cp a b',
      'touch a',
      'git add a',
      'git add -n .',
      'git fetch --dry-run',
      'git push',
      'sed -i p a',
    ],
    // Programs that do not show what they do, or reach beyond files.
    [
      'npm test',
      'make',
      'cargo fmt --check',
      'tsc --noEmit',
      'npm ls',
      'kubectl get pods',
      'printenv',
      'curl https://x.y',
    ],
    ['man ls', 'man /etc/passwd', 'info /etc/passwd', 'whatis ls', 'locate x', 'xmllint a', 'xmllint http://x.y/'],
    // Paths, and names that stand for too much.
    ['/bin/ls', './ls', 'git', 'git --version', 'git -C src status', 'git -c a.b=c status'],
    // Shells, interpreters, wrappers, whatever they are given.
    [
      'sh',
      'sh -c ls',
      'bash a',
      'env',
      'env ls',
      'sudo ls',
      'xargs ls',
      'xargs',
      'timeout 5 ls',
      'time -p ls; nice ls',
    ],
    [
      'python3',
      'python3 --version',
      'node -v',
      'npx tool',
      'awk "{print}" a',
      'sed -n 1,5p a',
      'perl -v',
      'busybox ls',
    ],
    [
      'find . -exec ls {} +',
      'find . -ok ls {} ;',
      'rg --pre cat x',
      'git grep -O x',
      'eval ls',
      'command ls',
      'exec ls',
    ],
    ['set', 'umask', 'exit', 'shift', 'history', 'test -f a', 'git apply --check a', 'git stash'],
    ['set -e; ls', 'shopt -s extglob; ls', 'trap ls EXIT', 'alias a=b', 'source a', 'hash', 'ulimit', 'kill 1'],
  ])(proves('Q02')('is not proposed: %s, …'), (...lines) => {
    expect(lines.filter((line) => ruleOf(line) !== undefined)).toEqual([]);
  });

  it(proves('Q02')('is not proposed for too many commands'), () => {
    const names = ['ls', 'cat', 'wc', 'head', 'tail', 'sort', 'cut', 'nl', 'rev'];
    expect(ruleOf(names.slice(1).join('; '))).toBeDefined();
    expect(ruleOf(names.join('; '))).toBeUndefined();
  });
});

describe('a call that a rule covers', () => {
  const world: World = {
    programs: [['ls'], ['cat', 'a'], ['echo', 'x'], ['git', 'status'], ['grep', 'a', 'b'], ['ls', '-l'], ['rm', 'a']],
    paths: ['/bin/'],
    real: false,
  };
  const grown = fc.tuple(numbers(30), numbers(16)).map(([choices, spelling]) => growTree(world, { choices, spelling }));
  const evasion = fc.constantFrom(...attacks.deny, ...attacks.ask);
  const harmless = fc.constantFrom(...benign);
  const operator = fc.constantFrom(' ; ', ' && ', ' || ', ' | ', ' & ', '\n');
  const joined = fc.tuple(harmless, operator, harmless).map((parts) => parts.join(''));
  const other = fc.oneof(
    { weight: 4, arbitrary: harmless },
    { weight: 4, arbitrary: joined },
    { weight: 2, arbitrary: grown.map(({ line }) => line) },
    { weight: 1, arbitrary: evasion },
  );
  /** Two lines that run the same programs in another order: the rule of the first must cover the second. */
  const reordered = fc
    .tuple(harmless, operator, harmless)
    .map(([first, between, second]) => [`${first}${between}${second}`, `${second}\n${first}`] as const);

  it(
    proves('Q02')('matches runsOnly with its commands, and a rule always covers its own call'),
    { timeout: 120_000 },
    () => {
      fc.assert(
        fc.property(other, other, (first, second) => {
          const rule = ruleOf(first);
          if (rule === undefined) return;
          expect(covers(rule, command(first)), first).toBe(true);
          if (!covers(rule, command(second))) return;
          expect(lineRunsOnly(second, entriesOf(rule)), `${second} by ${rule.text}`).toBe(true);
        }),
        { numRuns: sample(200) },
      );
    },
  );

  it(proves('Q02')('covers the same programs in another order'), () => {
    fc.assert(
      fc.property(reordered, ([first, second]) => {
        const rule = mustRule(first);
        expect(covers(rule, command(second)), `${second} by ${rule.text}`).toBe(true);
        expect(lineRunsOnly(second, entriesOf(rule)), `${second} by ${rule.text}`).toBe(true);
      }),
      { numRuns: sample(50) },
    );
  });

  it(proves('Q02')('starts no other program, writes nothing and sets no variable'), { timeout: 120_000 }, () => {
    const rule = mustRule('ls; cat a; echo x; git status; grep a b');
    const names = new Set(['ls', 'cat', 'echo', 'git', 'grep']);
    let covered = 0;
    fc.assert(
      fc.property(grown, ({ line: text, started, traits }) => {
        if (!covers(rule, command(text))) return;
        covered += 1;
        expect(
          [...started].filter((name) => !names.has(name)),
          text,
        ).toEqual([]);
        expect(traits.has('writes') || traits.has('assigns') || traits.has('path'), text).toBe(false);
      }),
      { numRuns: sample(400) },
    );
    expect(covered).toBeGreaterThan(sample(400) / 20);
  });

  it(proves('Q02')('is not one of the lines that bypassed other lists'), () => {
    const rules = benign.map(mustRule);
    const lines = [...attacks.deny, ...attacks.ask].map((line) => command(line));
    const broken = rules.flatMap((rule) => lines.filter((line) => covers(rule, line)).map(({ call }) => call.args));
    expect(broken).toEqual([]);
  });

  it(proves('Q02')('does not widen through the surrounding line'), () => {
    fc.assert(
      fc.property(harmless, operator, evasion, (first, between, second) => {
        const rule = mustRule(first);
        expect(covers(rule, command(`${first}${between}${second}`))).toBe(false);
        expect(covers(rule, command(`${first} $(${second}\n)`))).toBe(false);
      }),
      { numRuns: sample(100) },
    );
  });
});
