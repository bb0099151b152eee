/** `unknown: ask` in policy files: how it is loaded, linted, compared, tested and reloaded. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type Approver } from 'bridle';
import { builtinTools } from 'bridle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { diffPolicies } from '../diff/diff-policies.ts';
import { lintPolicy } from '../lint/lint-policy.ts';
import { loadPolicy, type LoadOptions } from '../load/load-policy.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { openPolicy } from '../load/open-policy.ts';
import { readPolicyFiles } from '../read/read-policy-files.ts';
import { testPolicy } from '../test/test-policy.ts';
import { trustPolicy } from '../load/trust.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'unknown-')));
  mkdirSync(join(folder, 'home'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const allowed = '- { allow: run_command, name: run }';
const forbidding = `- forbid: '*'\n  name: secrets\n  when: reads("**/.env")`;
const asking = `${forbidding}\n  unknown: ask`;

function write(rules: readonly string[], { name = 'bridle.yaml', fallback = 'deny' } = {}): string {
  const path = join(folder, name);
  const lines = rules.flatMap((rule) => rule.split('\n')).map((line) => `  ${line}`);
  writeFileSync(path, `version: 1\ndefault: ${fallback}\nrules:\n${lines.join('\n')}\n`);
  return path;
}

function load(
  rules: readonly string[],
  options: LoadOptions & { name?: string; fallback?: string } = {},
): LoadedPolicy {
  const path = write(rules, options);
  return loadPolicy(path, { cwd: folder, home: join(folder, 'home'), tools: builtinTools, ...options });
}

const run = (line: string) => ({ tool: 'run_command', args: { command_line: line } });
const unknown = run('cat "$file"');
const certain = run('cat .env');
const harmless = run('cat README.md');

async function effects(policy: LoadedPolicy): Promise<readonly string[]> {
  const found: string[] = [];
  for (const call of [unknown, certain, harmless]) found.push((await policy.decide(call)).effect);
  return found;
}

const answers = async (rule: string) => {
  const { layers } = await load([`${rule}\n  shadow: true`, allowed]).explain(unknown);
  return layers.flatMap(({ shadows }) => shadows.map(({ would }) => would));
};

describe('a file with unknown: ask', () => {
  it(proves('P19')('asks if unknown, denies if certain, and otherwise does nothing'), async () => {
    expect(await effects(load([asking, allowed]))).toEqual(['ask', 'deny', 'allow']);
    expect(await effects(load([forbidding, allowed]))).toEqual(['deny', 'deny', 'allow']);
    expect(await effects(load([`${forbidding}\n  unknown: deny`, allowed]))).toEqual(['deny', 'deny', 'allow']);
  });

  it(proves('P19')('names the rule and what is unknown before the default that asks, too'), async () => {
    const { effect, rule, reason, additionalQuestions } = await load([asking], { fallback: 'ask' }).decide(unknown);
    expect([effect, rule?.name, additionalQuestions?.map((each) => each.rule)]).toEqual([
      'ask',
      'secrets',
      [undefined],
    ]);
    expect(reason).toMatch(
      /^May run_command run\? Bridle cannot tell whether the call reads a file that matches .*Rule "secrets" \(bridle\.yaml:4\) may forbid it\.$/,
    );
  });

  it(proves('P19')('denies if unknown and there is no approver, but loads'), async () => {
    const policy = load([asking, allowed], { answerable: false });
    expect(await effects(policy)).toEqual(['deny', 'deny', 'allow']);
    expect(await policy.decide(unknown)).toMatchObject({ rule: { name: 'secrets' } });
  });

  it(proves('P19', 'P12', 'D08')('explains that the rule asks'), async () => {
    const { decision, layers } = await load([asking, allowed]).explain(unknown);
    expect(decision).toMatchObject({ effect: 'ask', rule: { name: 'secrets', effect: 'forbid' } });
    const considered = layers.flatMap((layer) => layer.considered);
    expect(considered.find(({ rule }) => rule.name === 'secrets')).toMatchObject({
      outcome: 'is unknown',
      detail: expect.stringContaining('unknown: ask'),
    });
    expect(considered.find(({ rule }) => rule.name === 'run')).toMatchObject({ outcome: 'decided' });
  });

  it(proves('P19', 'P13')('in shadow says that it would ask, and a stricter rule that it would deny'), async () => {
    expect(await answers(asking)).toEqual(['ask']);
    expect(await answers(forbidding)).toEqual(['deny']);
  });
});

const both = async (upper: readonly string[], lower: readonly string[]) => {
  const above = write(upper, { name: 'above.yaml' });
  return effects(load(lower, { higher: [above] }));
};

describe('layers with unknown: ask', () => {
  it(proves('P19', 'D05')('count it like an ask of that layer: no lower layer allows what it asks about'), async () => {
    expect(await both([asking, allowed], [allowed])).toEqual(['ask', 'deny', 'allow']);
    expect(await both([asking], [allowed])).toEqual(['ask', 'deny', 'allow']);
    expect(await both([allowed], [asking, allowed])).toEqual(['ask', 'deny', 'allow']);
  });

  it(proves('P19', 'D05')('let no lower layer turn a deny for the unknown into an ask'), async () => {
    expect(await both([forbidding, allowed], [asking, allowed])).toEqual(['deny', 'deny', 'allow']);
  });

  it(proves('P19', 'D05')('fall back to the default where only the unknown rule is about a call'), async () => {
    expect(await both([asking], [`- { allow: view_file }`])).toEqual(['deny', 'deny', 'deny']);
  });
});

const duplicates = async (rules: readonly string[]) =>
  (await lintPolicy(load(rules.map((rule) => rule.replace('  name: secrets\n', '')))))
    .filter(({ kind }) => kind === 'duplicate')
    .map(({ at }) => at.line);

const reopened = async (rule: string) =>
  (await lintPolicy(load([rule, `- { allow: run_command }`]))).filter(({ kind }) => kind === 'reopens').length;

describe('commands about a policy with unknown: ask', () => {
  it(proves('P19', 'D09')('diff: is looser than a deny, and a call shows it'), async () => {
    const [strict, loose] = [load([forbidding, allowed]), load([asking, allowed])];
    const there = await diffPolicies(strict, loose);
    expect(there.summary).toMatchObject({ looser: expect.any(Number), stricter: 0 });
    expect(there.flips.map(({ change, before, after }) => [change, before.decision, after.decision])).toContainEqual([
      'looser',
      'deny',
      'ask',
    ]);
    expect((await diffPolicies(loose, strict)).summary).toMatchObject({ looser: 0, stricter: there.summary.looser });
  });

  it(proves('P19', 'D09')('diff: names the rule where no call shows the difference'), async () => {
    const rule = `- deny: view_file\n  when: host() == "a" && args.file_path.size() > 5000`;
    const diff = await diffPolicies(load([rule]), load([`${rule}\n  unknown: ask`]));
    expect(diff.unshown.map(({ side }) => side)).toEqual(['before', 'after']);
  });

  it(proves('P19', 'D07')('lint: a rule that asks does not replace one that denies'), async () => {
    expect(await duplicates([asking, forbidding, allowed])).toEqual([]);
    expect(await duplicates([forbidding, asking, allowed])).toEqual([6]);
    expect(await duplicates([asking, asking, allowed])).toEqual([7]);
    expect(await duplicates([asking, forbidding, forbidding, allowed])).toEqual([9]);
  });

  it(proves('P19', 'D07')('lint: an allow re-opens what the rule denies, not what it asks about'), async () => {
    const rule = `- deny: '*'\n  when: reads("**/.env") && !reads("**")`;
    expect(await reopened(rule)).toBe(1);
    expect(await reopened(`${rule}\n  unknown: ask`)).toBe(0);
  });

  it(proves('P19', 'D06')('test: an ask of the rule is expected by its name and counts as covered'), async () => {
    const path = write([asking, allowed]);
    const tests = `tests:\n  - { call: run_command, args: { command_line: 'cat "$f"' }, expect: ask, rule: secrets }\n`;
    writeFileSync(path, tests, { flag: 'a' });
    const report = await testPolicy(loadPolicy(path, { cwd: folder, home: join(folder, 'home'), tools: builtinTools }));
    expect(report.cases.map(({ passed }) => passed)).toEqual([true]);
    expect(report.coverage.find(({ name }) => name === 'secrets')).toMatchObject({ status: 'decided' });
  });
});

const approver: Approver = () => true;
const outcome = async (rules: readonly (readonly string[])[], trusted: boolean) => {
  const [before = [], after = []] = rules;
  const file = write(before);
  const home = join(folder, 'home');
  const guard = createGuard({ tools: builtinTools, policy: openPolicy(file, { cwd: folder, home }), approver });
  const turn = (await guard.start({ cwd: folder })).turn();
  const { version } = guard.policy;
  write(after);
  if (trusted) trustPolicy(home, readPolicyFiles(file, { cwd: folder }), 1);
  const result = await turn.guard(unknown, { run: () => 'done' });
  return { result: result.type, changed: guard.policy.version !== version };
};

describe('a reload that turns unknown: deny into unknown: ask', () => {
  it(proves('P19', 'D12')('loosens, so it needs trust'), async () => {
    const change = [
      [forbidding, allowed],
      [asking, allowed],
    ];
    expect(await outcome(change, false)).toEqual({ result: 'denied', changed: true });
    expect(await outcome(change, true)).toEqual({ result: 'ok', changed: true });
  });

  it(proves('P19', 'D12')('in the other direction takes effect immediately'), async () => {
    const change = [
      [asking, allowed],
      [forbidding, allowed],
    ];
    expect(await outcome(change, false)).toEqual({ result: 'denied', changed: true });
  });
});
