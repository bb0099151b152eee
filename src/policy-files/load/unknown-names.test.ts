/** Names in policy files that nothing bears: found at load, an error if the file is strict (P14). */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type ToolDeclaration } from 'bridle';
import { lintPolicy, loadPolicy, openPolicy } from 'bridle/policy-files';
import { builtinTools } from 'bridle/tools';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-names-'));
const home = join(folder, 'home');
const file = join(folder, 'bridle.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, tools: readonly ToolDeclaration[] = builtinTools): ReturnType<typeof loadPolicy> {
  writeFileSync(file, `version: 1\n${text}`);
  return loadPolicy(file, { cwd: folder, home, tools });
}

describe('a rule about a tool that does not exist', () => {
  const problem = 'no tool is named "view_fil"; did you mean "view_file"?';

  it.each(['allow', 'ask', 'deny', 'forbid'])(proves('P14')('is a finding, and an error if strict: %s'), (effect) => {
    const rules = `rules:\n  - ${effect}: view_fil\n`;
    expect(load(rules).findings).toMatchObject([{ file: 'bridle.yaml', at: { line: 3, column: 5 } }]);
    expect(load(rules).findings[0]?.message).toContain(problem);
    expect(() => load(`strict: true\n${rules}`)).toThrow(`bridle.yaml:4:5: ${effect} view_fil: ${problem}`);
  });

  it(proves('P14')('is not a finding if the name is an alias'), () => {
    expect(load('strict: true\nrules:\n  - allow: read_file\n').findings).toEqual([]);
  });
});

it(proves('P14', 'D04')('an argument that no tool has is an error, with the nearest name'), () => {
  const text = 'rules:\n  - deny: view_file\n    when: args.file_pth == "x"\n';
  expect(() => load(text)).toThrow(
    'bridle.yaml:4:11: No tool of this rule has an argument "file_pth". Did you mean "file_path"?',
  );
});

describe('a rule about a tool of a declared server', () => {
  const rules = 'rules:\n  - allow: github/get_issues\n  - deny: github/create_pr\n';

  it.each([
    ['of which nothing is known', 'servers: [github]\n'],
    ['of which the file describes others', 'servers: [github]\ntools: { github/get_issue: { tier: observe } }\n'],
    ['with path arguments', 'servers: [{ name: github, paths: { get_issue: [path] } }]\n'],
  ])(proves('P14', 'M04')('is not a finding for a server %s'), async (_title, head) => {
    const policy = load(`strict: true\n${head}${rules}`);
    expect(policy.findings).toEqual([]);
    expect((await lintPolicy(policy)).filter(({ kind }) => kind === 'unknown-name')).toEqual([]);
  });

  it(proves('P14', 'M04')('is a finding if the server has listed its tools without it'), async () => {
    const listed = [...builtinTools, { name: 'get_issue', server: 'github' }, { name: 'create_pr', server: 'github' }];
    const policy = load(`servers: [github]\n${rules}`, listed);
    const message = 'no tool is named "get_issues"; did you mean "get_issue"?';
    expect(policy.findings.map((each) => each.message)).toEqual([`allow github/get_issues: ${message}`]);
    expect(await lintPolicy(policy)).toContainEqual(expect.objectContaining({ kind: 'unknown-name' }));
    const guard = createGuard({
      tools: listed.filter(({ server }) => server === 'github'),
      servers: [{ name: 'github' }],
      policy: openPolicy(file, { cwd: folder, home }),
    });
    expect(guard.warnings).toEqual([`bridle.yaml:4: allow github/get_issues: ${message}`]);
  });
});
