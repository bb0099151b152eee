/** Checks that docs/reference/presets.md describes what the presets really decide. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetNames } from '../src/policy-files/init/presets.ts';
import { starterFile } from '../src/policy-files/init/starter-file.ts';
import { loadPolicy } from '../src/policy-files/load/load-policy.ts';
import type { LoadedPolicy } from '../src/policy-files/loaded-policy.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import { declareBuiltins } from '../src/tools/declare-builtins.ts';
import { proves } from './contract/cite.ts';
import { read } from './source.ts';

const files = {
  'package.json': '{"scripts":{"test":"vitest","build":"tsc"}}',
  'README.md': '',
  'src/index.ts': '',
  '.git/HEAD': '',
  '.gitignore': '.env\n',
  '.env': 'KEY=1',
  '.mcp.json': '{"mcpServers":{"github":{}}}',
};

let top: string;
let policies: readonly LoadedPolicy[];

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-table-')));
  policies = presetNames.map((preset) => {
    const folder = join(top, preset);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const file = join(folder, 'bridle.yaml');
    writeFileSync(file, starterFile(folder, preset).text);
    return loadPolicy(file, { cwd: folder, tools: declareBuiltins(), home: join(top, 'home') });
  });
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

const rows = Array.from(
  read('docs/reference/presets.md').matchAll(/^\| *`([\w/]+) (\{.*\})` *\|(.*)\|$/gm),
  ([, target = '', args = '', cells = '']) => ({ target, args, cells: cells.split('|').map((cell) => cell.trim()) }),
);

describe('docs/reference/presets.md', () => {
  it('has the columns of the presets, and rows', () => {
    expect(read('docs/reference/presets.md')).toContain(`| a call | ${presetNames.join(' | ')} |\n`);
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)(proves('D10')('says what the presets decide: $target $args'), async ({ target, args, cells }) => {
    const [tool = '', server] = target.split('/').toReversed();
    const call = { tool, ...(server === undefined ? {} : { server }), args: JSON.parse(args) as JsonObject };
    const decisions = await Promise.all(policies.map(async (policy) => await policy.decide(call)));
    expect(decisions.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(cells).toEqual(decisions.map(({ effect }) => effect));
  });
});
