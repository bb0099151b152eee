/** Changes that example calls do not show: each is reported, and counts as looser unless it can only be stricter. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffPolicies, loadPolicy, type PolicyDiff } from 'bridle/policy-files';
import { builtinTools } from 'bridle/tools';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-changes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(version: string, text: string, files: Readonly<Record<string, string>> = {}) {
  const place = join(folder, version);
  mkdirSync(place, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place, name), content);
  const path = join(place, 'bridle.yaml');
  writeFileSync(path, `version: 1\n${text}`);
  return loadPolicy(path, { cwd: place, home: join(folder, 'home'), tools: builtinTools, servers: ['gh'] });
}

function diff(before: string, after: string): Promise<PolicyDiff> {
  return diffPolicies(load('old', before), load('new', after));
}

/** Each unshown change as `side rule: direction`. */
function unshownOf({ unshown }: PolicyDiff): readonly string[] {
  return unshown.map(({ side, rule, change }) => `${side} ${rule}: ${change}`);
}

function rulesText(...rules: readonly string[]): string {
  return `default: deny\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}`;
}

const allow = (when: string): string => `allow: run_command, when: '${when}'`;
const deny = (when: string): string => `deny: run_command, when: '${when}'`;
const openText = (rule: string): string => rulesText(rule).replace('default: deny', 'default: allow');
const plain = 'allow: view_file';
const conditional = `deny: run_command, name: no-net, when: 'runs("curl")'`;

describe('changed terms of a rule', () => {
  const signed = 'ask: run_command, name: cmds, approval: signed';
  const granted = 'ask: run_command, name: cmds, grant: { timeout: 10s, approval: 1m }';
  const cases: readonly (readonly [name: string, before: string, after: string])[] = [
    ['a lost signature', signed, 'ask: run_command, name: cmds'],
    ['a longer grant', granted, 'ask: run_command, name: cmds, grant: { timeout: 100h, approval: 1000h }'],
    ['a lost grant', granted, 'ask: run_command, name: cmds'],
  ];
  for (const [name, before, after] of cases) {
    it(proves('D09')(`${name} is looser, and the opposite is stricter`), async () => {
      // Without conditions, all calls are tried; with one, others may change.
      const complete = await diff(rulesText(plain, before), rulesText(plain, after));
      expect([complete.flips, complete.summary.complete]).toEqual([[], true]);
      expect(unshownOf(complete)).toEqual(['after "cmds": looser']);
      expect(unshownOf(await diff(rulesText(after), rulesText(before)))).toEqual(['after "cmds": stricter']);
      const open = await diff(rulesText(conditional, before), rulesText(conditional, after));
      expect(unshownOf(open)).toContain('after "cmds": looser');
      const back = await diff(rulesText(conditional, after), rulesText(conditional, before));
      expect(back.unshown.filter(({ change }) => change === 'looser')).toEqual([]);
    });
  }

  it(proves('D09')('a rule that takes calls from a signed one is looser, by order or by target'), async () => {
    const wide = `ask: '*', name: all, approval: signed`;
    expect(unshownOf(await diff(rulesText(wide), rulesText(wide, 'ask: run_command, name: own')))).toEqual([
      'after "own": looser',
    ]);
    const part = `ask: run_command, name: part, when: 'args.command_line.size() > 5000'`;
    const swapped = await diff(rulesText(signed, part), rulesText(part, signed));
    expect(unshownOf(swapped)).toContain('after "part": looser');
  });
});

describe('changed conditions', () => {
  it(proves('D09')('are not hidden by calls that get stricter'), async () => {
    const guardrail = `ask: run_command, name: guardrail, when: 'size(args.command_line) > 400 || runs("curl")'`;
    const others = 'allow: run_command, name: others';
    const narrow = `deny: run_command, name: guardrail, when: 'runs("curl")'`;
    const result = await diff(rulesText(guardrail, others), rulesText(narrow, others));
    expect(result.summary).toMatchObject({ looser: 0, complete: false });
    expect(result.summary.stricter).toBeGreaterThan(0);
    expect(unshownOf(result)).toEqual(['before "guardrail": looser']);
  });

  const stricter: readonly (readonly [before: string, after: string])[] = [
    [deny('runs("curl")'), deny('runs("wget", "curl")')],
    [deny('runs("curl")'), deny('runs("curl") || args.command_line.size() > 5000')],
    [deny('runs("curl") && worksIn(".")'), deny('runs("curl")')],
    [deny('runs("curl")'), `forbid: '*'`],
    [allow('runsOnly("ls", "cat")'), allow('runsOnly("ls")')],
    [allow('runsOnly("ls") || runsOnly("cat")'), allow('runsOnly("cat") && readsInside(".")')],
    [`ask: run_command, when: 'runs("curl")'`, deny('runs("curl")')],
  ];
  for (const [before, after] of stricter) {
    it(proves('D09')(`only get stricter: ${before} → ${after}`), async () => {
      const there = await diff(rulesText(plain, before), rulesText(plain, after));
      expect(there.summary.looser).toBe(0);
      expect(there.unshown.filter(({ change }) => change === 'looser')).toEqual([]);
      const back = await diff(rulesText(plain, after), rulesText(plain, before));
      expect(back.summary.looser + back.unshown.filter(({ change }) => change === 'looser').length).toBeGreaterThan(0);
    });
  }

  const unsure: readonly (readonly [name: string, before: string, after: string])[] = [
    [
      'a condition with another meaning',
      deny('args.command_line.size() > 5000'),
      deny('args.command_line.size() > 6000'),
    ],
    ['a longer list of exceptions', deny('opaque("make")'), deny('opaque("make", "node")')],
    [
      'a deny that expires',
      deny('args.command_line.size() > 5000'),
      `${deny('args.command_line.size() > 5000')}, expires: 2999-01-01`,
    ],
    [
      'a deny in shadow',
      deny('args.command_line.size() > 5000'),
      `${deny('args.command_line.size() > 5000')}, shadow: true`,
    ],
    ['an allow that could be unknown, with a default that allows', allow('runsOnly("ls")'), plain],
  ];
  for (const [name, before, after] of unsure) {
    it(proves('D09')(`count as looser if that is possible: ${name}`), async () => {
      const { summary, unshown } = await diff(openText(before), openText(after));
      expect(summary.looser + unshown.filter(({ change }) => change === 'looser').length).toBeGreaterThan(0);
    });
  }
});

describe('changed settings', () => {
  const rules = rulesText(plain, 'allow: gh/*', 'allow: deploy');
  const hook = 'export default { name: "gate", gate: true, preToolCall: () => ({ type: "reject", reason: "no" }) };\n';

  it(proves('D09')('report hook modules that are gone, new, different or in another order'), async () => {
    const both = `hooks: [./a.mjs, ./b.mjs]\n${rules}`;
    const files = { 'a.mjs': hook, 'b.mjs': `${hook}// b\n` };
    const compare = async (after: string, changed: Readonly<Record<string, string>> = files) => {
      const result = await diffPolicies(load('old', both, files), load('new', after, changed));
      expect(result.summary.complete).toBe(result.unshown.length === 0);
      return unshownOf(result);
    };
    expect(await compare(both)).toEqual([]);
    expect(await compare(`hooks: [./a.mjs]\n${rules}`)).toEqual(['before hook module ./b.mjs: looser']);
    expect(await compare(both, { ...files, 'a.mjs': '' })).toEqual([
      'before hook module ./a.mjs: looser',
      'after hook module ./a.mjs: looser',
    ]);
    expect(await compare(`hooks: [./b.mjs, ./a.mjs]\n${rules}`)).toHaveLength(4);
  });

  const cases: readonly (readonly [before: string, after: string, title: string, change: string])[] = [
    ['tools: { deploy: { tier: confirm } }', 'tools: { deploy: { tier: observe } }', 'tool deploy', 'looser'],
    ['tools: { deploy: { tier: observe } }', 'tools: { deploy: { tier: confirm } }', 'tool deploy', 'stricter'],
    ['tools: { deploy: { paths: [to] } }', 'tools: { deploy: { paths: [from] } }', 'tool deploy', 'looser'],
    ['servers: [{ name: gh, paths: { put: [to] } }]', 'servers: [gh]', 'server gh', 'looser'],
    ['workspaces: [src]', 'workspaces: [src, lib]', 'workspaces', 'looser'],
    ['workspaces: [src, lib]', 'workspaces: [src]', 'workspaces', 'stricter'],
  ];
  for (const [before, after, title, change] of cases) {
    it(proves('D09')(`report ${before} → ${after} as ${change}`), async () => {
      const { unshown, summary } = await diff(`${before}\n${rules}`, `${after}\n${rules}`);
      expect(new Set(unshown.map((each) => `${each.rule}: ${each.change}`))).toEqual(new Set([`${title}: ${change}`]));
      expect(summary.complete).toBe(false);
    });
  }

  it(proves('D09')('show tools that a server no longer hides as calls'), async () => {
    const hidden = `servers: [{ name: gh, disabledTools: [delete_repo] }]\n${rules}`;
    const result = await diff(hidden, rules);
    expect(result.flips).toMatchObject([{ change: 'looser', call: { server: 'gh', tool: 'delete_repo' } }]);
    expect(result.summary.complete).toBe(true);
    const only = await diff(`servers: [{ name: gh, enabledTools: [view] }]\n${rules}`, hidden);
    expect(only.summary.looser).toBeGreaterThan(0);
  });
});
