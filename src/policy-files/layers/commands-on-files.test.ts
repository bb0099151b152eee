/** Testing, looking over, comparing and replaying policies as they stand in files, with the real conditions and facts. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryJournal, recordLine } from 'bridle/journal';
import { builtinTools } from 'bridle/tools';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { maskText } from '../../redact/mask-text.ts';
import type { DecidedEntry } from '../../kernel/records/journal-entry.ts';
import { diffPolicies } from '../diff/diff-policies.ts';
import { lintPolicy } from '../lint/lint-policy.ts';
import { loadPolicy } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { replayJournal, type ReplayEvent } from '../replay/replay-journal.ts';
import { testPolicy } from '../test/test-policy.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string, name = 'bridle.yaml'): LoadedPolicy {
  const file = join(folder, name);
  writeFileSync(file, text);
  return loadPolicy(file, { cwd: folder, home: join(folder, 'home'), tools: builtinTools });
}

const starter = `version: 1
default: ask
rules:
  - allow: [view_file, list_directory]
  - allow: run_command
    name: project commands
    when: runsOnly("npm test", "git status")
  - allow: create_file
    when: writesInside(".")
  - forbid: '*'
    name: secrets
    when: writes("**/.env")
tests:
  - call: run_command
    args: { command_line: git status }
    expect: allow
    rule: project commands
  - call: run_command
    args: { command_line: git status; rm x }
    expect: ask
  - call: create_file
    args: { file_path: sub/.env, contents: x }
    expect: deny
    rule: secrets
`;

describe('a policy file', () => {
  it(proves('D06')('runs its own tests, and reports the position of each'), async () => {
    const { cases, summary } = await testPolicy(load(starter));
    expect(cases.map(({ passed, at, got }) => [passed, at.line, got.rule?.at?.split(':').at(-1)])).toEqual([
      [true, 14, '5'],
      [true, 18, undefined],
      [true, 21, '10'],
    ]);
    expect(summary).toMatchObject({ passed: 3, failed: 0 });
  });

  it(proves('D06')('with several rules on one line is reported rule by rule'), async () => {
    const rules = [
      { allow: 'run_command', when: 'runsOnly("git status")' },
      { allow: 'run_command', when: 'runsOnly("npm test")' },
      { allow: 'run_command', when: 'runsOnly("make")' },
    ];
    const tests = [{ call: 'run_command', args: { command_line: 'npm test' }, expect: 'allow' }];
    const { coverage } = await testPolicy(load(JSON.stringify({ version: 1, rules, tests }), 'bridle.json'));
    expect(coverage.map(({ status }) => status)).toEqual(['reached', 'decided', 'never']);
  });

  it(proves('D07')('without problems has only notes'), async () => {
    const findings = await lintPolicy(load(starter));
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(findings.map(({ kind }) => kind)).toContain('untested-allow');
  });

  it(proves('D07')('is linted with the meaning of its conditions, at the right line'), async () => {
    const policy = load(`version: 1
default: ask
rules:
  - deny: '*'
    when: writes("**/.env")
  - allow: create_file
  - allow: view_file
  - allow: run_command
    when: runs("bash")
  - allow: run_command
    when: runsOnly("npm test", "python", "sed")
  - deny: run_command
    when: args.command_line.startsWith("rm ")
`);
    const findings = await lintPolicy(policy);
    const found = findings.map(({ kind, at, witness }) => [kind, at.line, witness.call.args]);
    expect(found).toContainEqual(['reopens', 6, { file_path: '.env' }]);
    expect(found).toContainEqual(['runs-in-allow', 8, { command_line: 'bash x; rm -rf ./build' }]);
    expect(found).toContainEqual(['interpreter', 10, { command_line: "python -c 'rm -rf x'" }]);
    expect(found).toContainEqual(['command-text', 12, { command_line: "r''m" }]);
    // Nothing that is viewed is written.
    expect(findings.filter(({ kind, at }) => kind === 'reopens' && at.line === 7)).toEqual([]);
  });

  it(proves('D09')('is compared with another by calls that both decide'), async () => {
    const [before, after] = [load(starter), load(starter.replace(', "git status"', ''), 'new.yaml')];
    const { flips, summary } = await diffPolicies(before, after);
    expect(flips.length).toBeGreaterThan(0);
    for (const { call, change, ...flip } of flips) {
      expect(JSON.stringify(call)).toContain('git status');
      const sides = { before: { decision: 'allow', rule: { name: 'project commands' } }, after: { decision: 'ask' } };
      expect({ change, ...flip }).toMatchObject({ change: 'stricter', ...sides });
      expect((await before.decide(call)).effect).toBe('allow');
      expect((await after.decide(call)).effect).toBe('ask');
    }
    expect(summary).toMatchObject({ looser: 0, complete: false });
  });
});

describe('a journal with masked values', () => {
  const mask = maskText('a secret', 'key');
  const head = { v: 1, at: 0, session: 's', turn: 1, step: 0, agent: ['main'], policy: 'p' } as const;
  const rule = { name: 'r', effect: 'allow', target: '*', bucket: 8 } as const;

  async function replayed(
    text: string,
    tool: string,
    args: DecidedEntry['args'],
  ): Promise<readonly ReplayEvent['type'][]> {
    const journal = memoryJournal();
    const call = { call: 'c', tool, tier: 'confirm', requested: args, args, cwd: folder } as const;
    journal.append({ ...head, ...call, kind: 'decided', status: 'allowed', rule });
    const events: ReplayEvent['type'][] = [];
    for await (const { type } of replayJournal(journal.records.map(recordLine), load(text))) events.push(type);
    return events.slice(0, -1);
  }

  const cases: Readonly<Record<string, readonly [string, string, DecidedEntry['args'], readonly string[]]>> = {
    'a fact about the command reads it': [
      '  - allow: run_command\n    when: runsOnly("git status")\n',
      'run_command',
      { command_line: `git push ${mask}` },
      ['cannot tell'],
    ],
    'a condition on another argument does not': [
      '  - allow: create_file\n    when: args.file_path == "a.txt"\n',
      'create_file',
      { file_path: 'a.txt', contents: `key: ${mask}` },
      [],
    ],
    'a condition on another argument decides': [
      '  - deny: create_file\n    when: args.file_path == "a.txt"\n',
      'create_file',
      { file_path: 'a.txt', contents: mask },
      ['flip'],
    ],
    'a condition reads it': [
      '  - allow: create_file\n    when: args.contents.startsWith("a")\n',
      'create_file',
      { file_path: 'a.txt', contents: mask },
      ['cannot tell'],
    ],
    'a condition reads it under another name': [
      '  - allow: create_file\n    when: args.TargetFile == "a.txt"\n',
      'create_file',
      { file_path: mask, contents: '' },
      ['cannot tell'],
    ],
  };
  for (const [name, [rules, tool, args, expected]] of Object.entries(cases)) {
    it(proves('D09')(`is told where ${name}`), async () => {
      expect(await replayed(`version: 1\nrules:\n${rules}`, tool, args)).toEqual(expected);
    });
  }
});
