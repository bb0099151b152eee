/** A policy proposed from recorded calls: it allows what is harmless and frequent, and nothing else. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JournalEntry } from 'bridle';
import { memoryJournal, recordLine } from 'bridle/journal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { sample } from '../../../test/property-runs.ts';
import type { DecidedEntry } from '../../kernel/records/journal-entry.ts';
import { maskText } from '../../redact/mask-text.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import { lintPolicy } from '../lint/lint-policy.ts';
import { loadPolicy } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { testPolicy } from '../test/test-policy.ts';
import { type PresetName, presetNames } from './presets.ts';
import { proposePolicy, type ProposedPolicy } from './propose-policy.ts';
import { starterFile } from './starter-file.ts';

let folder: string;
const files = {
  'package.json': '{"scripts":{"test":"vitest","gen":"node gen.js","deploy":"./deploy.sh"}}',
  '.git/HEAD': '',
  '.env': 'KEY=1',
  '.gitignore': '.env\n',
  '.mcp.json': '{"mcpServers":{"github":{}}}',
  'README.md': '',
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-propose-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function decided(tool: string, args: DecidedEntry['args'], more: Partial<DecidedEntry> = {}): DecidedEntry {
  count++;
  const head = { v: 1, at: 0, session: 's', turn: 1, step: 0, agent: ['main'], policy: 'p', cwd: folder } as const;
  const call = { call: `c${count}`, tool, tier: 'confirm', requested: args, args } as const;
  return { ...head, ...call, kind: 'decided', status: 'allowed', ...more };
}

const ran = (command_line: string, more: Partial<DecidedEntry> = {}): DecidedEntry =>
  decided('run_command', { command_line }, more);

function times<T>(many: number, make: () => T): T[] {
  return Array.from({ length: many }, make);
}

/** Asked about, and answered by a person. */
function answered(line: string, status: 'approved' | 'refused', more: Partial<DecidedEntry> = {}): JournalEntry[] {
  const asked = ran(line, { status: 'asked' });
  return [asked, { ...asked, status, approval: { id: 'a', by: 'ada' }, ...more }];
}

async function propose(
  entries: readonly JournalEntry[],
  preset: PresetName = 'balanced',
): Promise<ProposedPolicy & { readonly policy: LoadedPolicy }> {
  const journal = memoryJournal();
  for (const entry of entries) journal.append(entry);
  const lines = journal.records.map(recordLine);
  const proposed = await proposePolicy(() => lines, { folder, preset, home: '/nowhere/home' });
  const file = join(folder, 'proposed.yaml');
  writeFileSync(file, proposed.starter.text);
  const policy = loadPolicy(file, { cwd: folder, home: '/nowhere/home', tools: declareBuiltins() });
  return { ...proposed, policy };
}

async function effectOf(policy: LoadedPolicy, command_line: string): Promise<string> {
  return (await policy.decide({ tool: 'run_command', args: { command_line } })).effect;
}

describe('a policy proposed from a journal', () => {
  it(proves('D10')('counts what it would have decided, and groups what it would not have allowed'), async () => {
    const { recorded } = await propose([
      ...times(4, () => ran('npm test')),
      ...times(5, () => ran('npm run gen -- --all | tail -5')),
      ran('cd src && npm run gen'),
      ...times(2, () => decided('view_file', { file_path: '.env' }, { status: 'denied' })),
      ...times(3, () => decided('list_issues', {}, { server: 'github', status: 'asked' })),
      decided('edit_file', { file_paths: ['src/a.ts', 'package.json'], patch: '' }),
      decided('update_plan', { name: 'TodoWrite', input: {} }, { tier: 'observe' }),
      ran('npm test', { args: { command_line: 'npm test', background: true } }),
      ...times(2, () => ran('ls', { cwd: '/somewhere/else' })),
      ran(`cat ${maskText('secret', 'key')}`),
    ]);
    expect(recorded).toMatchObject({
      calls: 18,
      decisions: { allow: 6, ask: 10, deny: 2 },
      inOtherFolders: 2,
      cannotTell: 1,
      unreadable: 0,
    });
    expect(recorded.groups).toMatchObject([
      { effect: 'ask', call: 'run_command: npm run gen', count: 6, rule: undefined },
      { effect: 'ask', call: 'github/list_issues', count: 3, rule: 'MCP servers', readingTool: 'github/list_issues' },
      { effect: 'deny', call: 'view_file .env', count: 2, rule: 'secrets' },
      { effect: 'ask', call: 'edit_file src/a.ts', count: 1, rule: 'files that run things: edit_file' },
    ]);
  });

  it(proves('D10')('allows commands that only read, if they were recorded often'), async () => {
    const { added, policy, recorded } = await propose([
      ...times(3, () => ran('hexdump -C a.bin | head')),
      ...times(2, () => ran('strings a.bin')),
    ]);
    expect(added).toEqual(['hexdump']);
    expect(recorded.decisions).toEqual({ allow: 3, ask: 2, deny: 0 });
    expect(await effectOf(policy, 'hexdump -C b.bin')).toBe('allow');
    expect(await effectOf(policy, 'hexdump /etc/passwd')).toBe('ask');
    expect(await effectOf(policy, 'hexdump .env')).toBe('deny');
  });

  it(proves('D10', 'C07')('counts equal calls of a host without ids, and each answered question once'), async () => {
    const observed = times(4, () => ran('hexdump a.bin', { call: 'same', status: 'asked' }));
    const { recorded, added } = await propose([...observed, ...answered('npm run gen', 'approved')]);
    expect([recorded.calls, added]).toEqual([5, ['hexdump']]);
  });

  it(proves('D10')('allows scripts of the project only if a person approved them several times'), async () => {
    const approvals = times(3, () => answered('npm run gen | tail', 'approved')).flat();
    const { added, policy } = await propose(approvals);
    expect(added).toEqual(['npm run gen']);
    expect(await effectOf(policy, 'npm run gen')).toBe('allow');
    expect(await effectOf(policy, 'npm run gen; rm -rf src')).toBe('ask');
    expect((await propose([...approvals, ...answered('npm run gen', 'refused')])).added).toEqual([]);
    const remembered = times(3, () => answered('npm run gen', 'approved', { approval: { id: 'a', remembered: true } }));
    expect((await propose(remembered.flat())).added).toEqual([]);
    expect((await propose(times(9, () => ran('npm run gen')))).added).toEqual([]);
  });

  const never = [
    'bash -c "ls"',
    'bash',
    'sh x.sh',
    'python3 -c "print(1)"',
    'python3 gen.py',
    'node -e 1',
    'curl https://example.com/',
    'git push',
    'git fetch',
    'npm run deploy',
    'npm run db:reset',
    'npm install left-pad',
    'npx cowsay',
    './x.sh',
    'rm -rf build',
    'cat .env',
    'cat "$x"',
    'cat /etc/passwd',
    'sudo ls',
    'docker ps',
    'ls > files.txt',
    'echo x > .husky/pre-commit',
    'X=1 npm run gen',
    'env npm run gen',
    '$(npm run gen)',
    'npm run gen; ./x.sh',
    'hexdump .env',
    'hexdump /etc/passwd',
    'man ls',
  ];

  it.each(presetNames)(proves('D10')('adds nothing else to %s, however often it was approved'), async (preset) => {
    const entries = never.flatMap((line) => times(4, () => answered(line, 'approved')).flat());
    const { added, policy } = await propose(entries, preset);
    expect(added).toEqual([]);
    const plain = starterFile(folder, preset);
    writeFileSync(join(folder, 'plain.yaml'), plain.text);
    const before = loadPolicy(join(folder, 'plain.yaml'), { cwd: folder, tools: declareBuiltins() });
    for (const line of never)
      expect([line, await effectOf(policy, line)]).toEqual([line, await effectOf(before, line)]);
  });

  it.each(presetNames)(proves('D10', 'D06')('loads, passes its tests and has no findings: %s'), async (preset) => {
    const { policy, added } = await propose(
      [
        ...times(3, () => ran('hexdump a.bin')),
        ...times(3, () => answered('make docs', 'approved')).flat(),
        ...times(3, () => decided('get_issue', {}, { server: 'github' })),
      ],
      preset,
    );
    expect(added).toEqual({ strict: [], balanced: ['hexdump', 'make docs'], trusting: ['make docs'] }[preset]);
    expect(policy.findings).toEqual([]);
    expect((await testPolicy(policy)).cases.filter(({ passed }) => !passed)).toEqual([]);
    expect((await lintPolicy(policy)).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it(
    proves('D10')('lists what it asks about in a comment, with the rule that would allow a tool that reads'),
    async () => {
      const { starter } = await propose([
        ...times(12, () => ran('npm run gen')),
        ...times(4, () => ran('npm run deploy')),
        ...times(3, () => decided('get_issue', {}, { server: 'github' })),
        decided('create_issue', {}, { server: 'github' }),
      ]);
      expect(starter.text).toContain(
        '  #     12  run_command: npm run gen  (to allow it, add "npm run gen" to the rule "commands")\n',
      );
      expect(starter.text).toContain('  #      4  run_command: npm run deploy\n');
      expect(starter.text).toContain('  #      3  github/get_issue  (seems to read only: - allow: github/get_issue)\n');
      expect(starter.text).toContain('  #      1  github/create_issue\n');
    },
  );

  it(proves('D10')('cannot get anything else from a journal, whatever it contains'), async () => {
    const odd = fc.oneof(
      fc.constantFrom('a\n  - allow: "*"', "'", '"', '# x', '")) || true || (("', '\u2028', '${x}', '\u001b[2J'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const call = fc.record({ tool: odd, server: fc.option(odd, { nil: undefined }), line: odd });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 3 }), async (calls) => {
        const entries = calls.flatMap(({ tool, server, line }) => [
          decided(tool, { command_line: line, file_path: line, url: line }, { server, tier: 'observe' }),
          ...times(3, () => answered(`npm run ${line}`, 'approved')).flat(),
          ...times(3, () => ran(line)),
        ]);
        const { starter, added } = await propose(entries);
        const plain = starterFile(folder, 'balanced').policyFile;
        const outline = ({ rules }: typeof plain) =>
          rules.map(({ effect, targets, name }) => [effect, targets.map(({ text }) => text), name]);
        expect(outline(starter.policyFile)).toEqual(outline(plain));
        for (const command of added) expect(command).toMatch(/^[\w@.:/ -]+$/);
      }),
      { numRuns: sample(8) },
    );
  });
});
