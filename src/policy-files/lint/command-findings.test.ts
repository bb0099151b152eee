/** What lint finds in rules about commands, in real files: one finding per cause, each with a line that shows it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools } from 'bridle/tools';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { loadPolicy } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import type { LintFinding } from './linted-policy/finding.ts';
import { lintPolicy } from './lint-policy.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Rules = readonly (readonly [effect: string, when?: string])[];

/** A policy of rules for `run_command`. */
function load(rules: Rules, more: object = {}): LoadedPolicy {
  const file = join(folder, 'bridle.json');
  const written = rules.map(([effect, when]) => ({ [effect]: 'run_command', ...(when === undefined ? {} : { when }) }));
  writeFileSync(file, JSON.stringify({ version: 1, default: 'ask', rules: written, ...more }));
  return loadPolicy(file, { cwd: folder, home: join(folder, 'home'), tools: builtinTools });
}

const kinds = new Set(['open-command', 'interpreter', 'runs-in-allow', 'deny-list', 'command-text', 'unseen-command']);

async function found(policy: LoadedPolicy): Promise<readonly LintFinding[]> {
  return (await lintPolicy(policy)).filter(({ kind }) => kinds.has(kind));
}

/** `kind: the line that shows it`. */
async function told(rules: Rules, more?: object): Promise<readonly string[]> {
  const findings = await found(load(rules, more));
  return findings.map(
    ({ kind, witness }) => `${kind}: ${(witness.call.args as { command_line: string }).command_line}`,
  );
}

describe('an allow that checks only one command of a line', () => {
  it.each([
    ['runs("npm test")', 'npm test; rm -rf ./build'],
    ['runs("git status")', 'git status; rm -rf ./build'],
    ['runs("bash")', 'bash x; rm -rf ./build'],
    ['runs("ls", "cat")', 'ls; rm -rf ./build'],
    ['args.command_line.runs("git status")', 'git status; rm -rf ./build'],
    ['runsOnly("ls") || runs("git status")', 'git status; rm -rf ./build'],
    ['runs("git status") && !runs("rm", "find", "truncate", "curl")', 'git status; unlink data'],
    ['!(!runs("git status"))', 'git status; rm -rf ./build'],
    ['runs("git status") ? true : false', 'git status; rm -rf ./build'],
    ['has(args.working_dir) && args.working_dir == "x" && runs("git status")', 'git status; rm -rf ./build'],
    ['has(args.working_dir) && runs("ls")', 'ls; rm -rf ./build'],
    ['!(runs("ls") == false)', 'ls; rm -rf ./build'],
    ['reads("src/**") && runs("ls")', 'ls; cat src/x; rm -rf ./build'],
    ['writes("build/**")', 'touch build/x; rm -rf ./build'],
    ['reads("docs/**")', 'cat docs/x; rm -rf ./build'],
  ])(proves('D07')('is found: %s'), async (when, line) => {
    expect(await told([['allow', when]])).toEqual([`runs-in-allow: ${line}`]);
  });

  it(proves('D07')('is found with another operator if the condition rejects one'), async () => {
    const lines = await told([['allow', 'runs("git status") && !args.command_line.contains(";")']]);
    expect(lines).toContain('runs-in-allow: git status && rm -rf ./build');
  });

  it.each([
    [[['allow', 'runsOnly("npm test")']]],
    [[['allow', 'runsOnly("ls", "xargs", "timeout")']]],
    [[['allow', 'runs("git status") && runsOnly("git status", "ls")']]],
    [
      [
        ['allow', 'runs("git status")'],
        ['deny', '!runsOnly("git status", "ls")'],
      ],
    ],
    [[['ask', 'runs("npm test")']]],
  ] satisfies [Rules][])(proves('D07')('is not found if nothing else is allowed: %j'), async (rules) => {
    expect(await told(rules)).toEqual([]);
  });

  it(proves('D07')('is found for any program it names, unless the line is limited otherwise'), async () => {
    const program = fc.constantFrom('ls', 'git status', 'npm test', 'cargo build', 'make', 'python3', 'unlisted x');
    const bound = fc.constantFrom('', ' && runsOnly("ls", "git status", "npm test")', ' || opaque()', ' && true');
    await fc.assert(
      fc.asyncProperty(program, bound, async (name, more) => {
        const lines = await told([['allow', `runs("${name}")${more}`]]);
        const isFound = lines.some((line) => line.startsWith('runs-in-allow: '));
        expect([lines.length < 2, isFound]).toEqual([true, !more.includes('runsOnly')]);
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('an allow for everything but some commands', () => {
  const named = ['rm', 'find', 'truncate', 'curl', 'touch', 'unlink', 'shred', 'dd', 'cp', 'git', 'wget'];
  it.each([
    ['!runs("rm")', 'truncate -s 0 data'],
    ['!(runs("rm") || opaque())', 'truncate -s 0 data'],
    [`!runs(${named.map((each) => JSON.stringify(each)).join(', ')})`, `python3 -c "import os; os.remove('data')"`],
    [named.map((each) => `!runs("${each}")`).join(' && '), `python3 -c "import os; os.remove('data')"`],
  ])(proves('D07', 'X04')('is found, with a script if nothing else works: %s'), async (when, line) => {
    expect(await told([['allow', when]])).toEqual([`deny-list: ${line}`]);
  });
});

describe('a deny on commands', () => {
  const script = `python3 -c "import os; os.remove('data')"`;

  it.each([
    ['runs("rm")', script],
    ['runs("rm") && !runsOnly("ls")', script],
    ['writes("**/.env")', script],
    ['reads("**/.env") || runs("printenv")', script],
    ['runs("python3", "node")', 'sh ./script.sh'],
  ])(proves('D07', 'X04')('cannot see scripts that the policy allows: %s'), async (when, line) => {
    for (const effect of ['deny', 'forbid']) {
      const findings = await found(load([[effect, when]], { default: 'allow' }));
      expect(findings.map(({ kind, severity }) => [kind, severity])).toEqual([['unseen-command', 'warning']]);
      expect(findings[0]?.witness).toMatchObject({ decision: 'allow', call: { args: { command_line: line } } });
    }
  });

  it(proves('D07', 'X04')('is one finding for any number of denies'), async () => {
    const denies = ['rm', 'shred', 'git push'].map((each) => ['deny', `runs("${each}")`] as const);
    expect(await told(denies, { default: 'allow' })).toEqual([`unseen-command: ${script}`]);
  });

  it(proves('D07', 'X04')('is a note if only the default asks, unless a test covers it'), async () => {
    const findings = await found(load([['deny', 'runs("rm")']]));
    expect(findings).toMatchObject([{ kind: 'unseen-command', severity: 'note', witness: { decision: 'ask' } }]);
    const test = { call: 'run_command', args: { command_line: 'python3 clean.py' }, expect: 'ask' };
    expect(await told([['deny', 'runs("rm")']], { tests: [test] })).toEqual([]);
  });

  it.each<[string, Rules, object]>([
    ['its condition looks for them', [['deny', 'runs("rm") || opaque()']], { default: 'allow' }],
    [
      'another rule asks',
      [
        ['deny', 'runs("rm")'],
        ['ask', 'opaque()'],
      ],
      { default: 'allow' },
    ],
    [
      'another rule denies',
      [
        ['deny', 'runs("rm")'],
        ['deny', 'opaque()'],
      ],
      { default: 'allow' },
    ],
    ['the default denies', [['deny', 'runs("rm")']], { default: 'deny' }],
    ['it is no deny', [['ask', 'runs("rm")']], { default: 'allow' }],
  ])(proves('D07', 'X04')('is not a finding if %s'), async (_title, rules, more) => {
    expect(await told(rules, more)).toEqual([]);
  });
});

const writing = async (when: string): Promise<readonly string[]> =>
  (await lintPolicy(load([['allow', when]])))
    .filter(({ kind }) => kind === 'writing-entry')
    .map(({ message }) => message);

describe('a command in runsOnly that writes the files it gets', () => {
  it.each(['mkdir', 'touch', 'cp', 'mv', 'rm', 'mkdir -p'])(proves('D07')('is found: %s'), async (command) => {
    const [message = ''] = await writing(`runsOnly("ls", "${command}")`);
    expect(message).toContain(`"${command}" never matches a useful line: the command writes the files it gets`);
  });

  it.each(['ls', 'cat', 'sed', 'git status', 'npm test', 'mkdir new', 'prettier --write', 'xargs', 'unknown-program'])(
    'is not found where it matches: %s',
    async (command) => {
      expect(await writing(`runsOnly("${command}")`)).toEqual([]);
    },
  );
});
