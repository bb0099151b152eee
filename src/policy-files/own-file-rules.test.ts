/** What an agent on a store is kept from: its files, the keys, and what is for people. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowAll, compilePolicy } from 'bridle';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../test/contract/cite.ts';
import { storeRules } from './own-file-rules.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'own-files-')));
const home = join(base, 'home');
const ws = join(base, 'ws');

beforeAll(() => {
  for (const folder of ['home/keys/approvers', 'home/notes', 'ws/sub', 'ws/kept'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['home/keys/approver-ann.key', 'home/keys/store.secret', 'home/notes/a.key', 'ws/kept/a.key'])
    writeFileSync(join(base, file), 'x');
  symlinkSync(join(home, 'keys'), join(ws, 'sub/link'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const policy = compilePolicy([storeRules({ files: [join(home, 'store.db')], keys: join(home, 'keys') }), allowAll()], {
  tools: builtinTools,
});

async function decide(command_line: string): Promise<string> {
  const { effect, rule } = await policy.decide({ tool: 'run_command', args: { command_line, working_dir: ws } });
  return effect === 'allow' ? 'allow' : `${effect} ${rule?.name}`;
}

describe('the keys of a store', () => {
  it.each([
    'cat HOME/keys/approver-ann.key',
    'cat HOME/k*/approver-ann.key',
    'cat HOME/k*/*',
    'cat HOME/k*/* > copy',
    'cp HOME/k*/*.key kept',
    'cd HOME && cat k*/approver-ann.key',
    'cd HOME; cat k*/*.key',
    'cd HOME && cat k* > copy',
    'cd HOME && grep -r PRIVATE *',
    'cat ../home/k??s/store.secret',
    'cd HOME && unheard-of-program k*/store.secret',
    'cd sub && cat l*/store.secret',
    'pushd HOME && head */*',
  ])(proves('D11', 'Q06')('are not read through globs that match them: %s'), async (line) => {
    expect(await decide(line.replaceAll('HOME', home))).toMatch(/^deny (?:keys_are_for_people|protected_files)$/);
  });

  it.each(['cat kept/*', 'cd HOME && cat n*/*.key', 'cd HOME/notes && cat *', 'cd kept && cat *.key', 'cat "$file"'])(
    'are no reason against %s',
    async (line) => {
      expect(await decide(line.replaceAll('HOME', home))).toBe('allow');
    },
  );
});
