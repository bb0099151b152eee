/** `bridle journal` as a child process: text for people, JSON for programs, exit codes for scripts. */

import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JournalEntry } from 'bridle/journal';
import { afterAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { proves } from '../contract/cite.ts';
import { allOf, noteOf, settledOf } from '../rigs/journal-rig.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import { lines, PolicyFolder } from './policy-rig.ts';
import { bridle, startBridle } from './store-command-rig.ts';

const { detail: _, ...about } = noteOf('');
const denied: JournalEntry = {
  ...about,
  kind: 'decided',
  status: 'denied',
  call: 'c-1',
  tier: 'confirm',
  tool: 'run_command',
  requested: { command_line: 'rm -rf \u202Egnp.x' },
  args: { command_line: 'rm -rf \u202Egnp.x\n  second: "line"\u001B[31m' },
  rule: { name: 'no deleting', effect: 'deny', target: 'run_command', bucket: 0 },
  reason: 'Nothing is deleted here',
};

/** A store with a denied call, its later result, and notes until there are so many records. */
async function filled(rig: StoreRig, count: number): Promise<Store> {
  const store = await rig.open();
  const notes = Array.from({ length: count - 2 }, (_, at) => noteOf(at));
  await Promise.all([denied, settledOf('c-1'), ...notes].map((entry) => store.journal.append(entry)));
  await store.journal.checkpoint();
  return store;
}

/** Many processes, one after another, maybe on a busy machine. */
const patience = 60_000;

describeStores('bridle journal', (rig) => {
  it(
    proves('R09')('tail gives the last records, a line each, with nothing a terminal obeys'),
    async () => {
      await filled(rig, 12);
      const { code, stdout } = await bridle(rig, ['journal', 'tail', '-n', '12']);
      const [first = '', second = '', ...rest] = stdout.trimEnd().split('\n');
      expect(code).toBe(0);
      expect(first).toMatch(/^ {5}0 {2}1970-01-01T00:00:00\.000Z {2}decided {2}denied {5}run_command {2}\{/);
      expect(first).toContain(String.raw`"rm -rf ⟨U+202E⟩gnp.x\n  second: \"line\"\u001b[31m"`);
      expect(first.endsWith('  Nothing is deleted here')).toBe(true);
      expect(second).toContain('settled  ok         t  of c-1  (1 ms)');
      expect(rest).toHaveLength(10);
      for (const obeyed of ['\u001B', '\u202E']) expect(stdout).not.toContain(obeyed);
      const json = await bridle(rig, ['journal', 'tail', '--json']);
      expect(lines(json.stdout).map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      const { stdout: all } = await bridle(rig, ['journal', 'tail', '-n', '12', '--json']);
      for (const obeyed of ['\u001B', '\u202E']) expect(all).not.toContain(obeyed);
    },
    patience,
  );

  it(
    proves('R09')('tail --follow goes on with what comes, and ends with Ctrl-C'),
    async () => {
      const store = await filled(rig, 5);
      const child = startBridle(rig, ['journal', 'tail', '-f', '-n', '1', '--json']);
      const ended = once(child, 'close');
      const seen: unknown[] = [];
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        seen.push((JSON.parse(line) as { seq: number }).seq);
        if (seen.length === 1) await store.journal.append(noteOf('one more'));
        if (seen.length === 2) child.kill('SIGINT');
      }
      expect(seen).toEqual([4, 5]);
      expect((await ended)[0]).toBe(130);
    },
    patience,
  );

  it(
    proves('R09', 'Q04')('show gives a record whole, and every record of a call'),
    async () => {
      await filled(rig, 5);
      const { code, stdout } = await bridle(rig, ['journal', 'show', '0']);
      expect(code).toBe(0);
      expect(stdout).toContain(`
  args:
    command_line: rm -rf ⟨U+202E⟩gnp.x⟨newline⟩
      │   second: "line"⟨U+001B⟩[31m
`);
      expect(stdout).toContain('\n  reason: Nothing is deleted here\n');
      const call = await bridle(rig, ['journal', 'show', 'c-1', '--json']);
      expect(lines(call.stdout)).toMatchObject([{ seq: 0, entry: { kind: 'decided' } }, { seq: 1 }]);
      for (const nobody of ['17', 'c', '%']) {
        expect(await bridle(rig, ['journal', 'show', nobody])).toMatchObject({ code: 1, stdout: '' });
      }
    },
    patience,
  );

  it(
    proves('R09')('show says so of a record that was changed'),
    async () => {
      await filled(rig, 5);
      await change(rig, `UPDATE bridle_journal SET text = '{"kind":"noted"}' WHERE seq = 3`);
      const shown = await bridle(rig, ['journal', 'show', '3']);
      expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('the hash of record 3 does not match') });
    },
    patience,
  );

  it(
    proves('R09')('verify tells a whole journal from one that was touched, its end too'),
    async () => {
      await (await filled(rig, 1_003)).close();
      const head = (await bridle(rig, ['journal', 'head'])).stdout.trim();
      expect(head).toMatch(/^1003 [0-9a-f]{64}$/);
      const whole = await bridle(rig, ['journal', 'verify', '--head', head]);
      expect(whole).toMatchObject({ code: 0, stderr: '' });
      expect(whole.stdout).toBe(`intact: 1003 records, head ${head.slice(5)}\n2 checkpoints: every record is signed\n`);
      await change(
        rig,
        'DELETE FROM bridle_journal WHERE seq = 1002',
        'DELETE FROM bridle_journal_checkpoints WHERE count = 1003',
      );
      const cut = await bridle(rig, ['journal', 'verify', '--json']);
      const problem = 'this is not the original end: it was sealed after 1003 records, but ends after 1002';
      expect({ ...cut, stdout: lines(cut.stdout) }).toEqual({
        code: 1,
        stdout: [{ ok: false, at: 1_002, problem }],
        stderr: '',
      });
      await change(rig, 'DELETE FROM bridle_journal WHERE seq = 7');
      expect(await bridle(rig, ['journal', 'verify'])).toMatchObject({
        code: 1,
        stdout: 'fault at record 7: record 7 is missing or out of order: found 8\n',
      });
    },
    patience,
  );

  it(
    proves('R09')('export gives lines that verify elsewhere, with signatures, and replay'),
    async () => {
      const store = await filled(rig, 1_005);
      const exported = await bridle(rig, ['journal', 'export']);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      expect(exported.stdout.trimEnd().split('\n')).toEqual(await allOf(store.journal.lines()));
      const file = join(rig.folder, 'export.jsonl');
      writeFileSync(file, exported.stdout);
      expect(await bridle(rig, ['journal', 'verify', 'export.jsonl', '--strict'])).toMatchObject({ code: 0 });
      const elsewhere = { env: { BRIDLE_HOME: join(rig.folder, 'elsewhere'), BRIDLE_STORE: '' } };
      const strange = await bridle(rig, ['journal', 'verify', 'export.jsonl'], elsewhere);
      expect(strange).toMatchObject({ code: 1, stdout: expect.stringContaining('--key') });
      const known = ['journal', 'verify', 'export.jsonl', '--key', join(rig.keys, 'journal.pub'), '--json'];
      expect(lines((await bridle(rig, known, elsewhere)).stdout)).toMatchObject([{ ok: true, signed: 1_005 }]);
      const piped = { input: exported.stdout.replace('"denied"', '"allowed"') };
      expect(await bridle(rig, ['journal', 'verify', '-'], piped)).toMatchObject({
        code: 1,
        stdout: 'fault at record 0: record 0 was changed\n',
      });
      const part = await bridle(rig, ['journal', 'export', '--from', '1000']);
      expect(await bridle(rig, ['journal', 'verify', '-'], { input: part.stdout })).toMatchObject({ code: 1 });
      const said = ['journal', 'verify', '-', '--from', '1000', '--json'];
      expect(lines((await bridle(rig, said, { input: part.stdout })).stdout)).toMatchObject([{ ok: true, count: 5 }]);
      const bare = exported.stdout.replaceAll(/^\{"checkpoint".*\n/gm, '');
      expect(await bridle(rig, ['journal', 'verify', '-'], { input: bare })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('no record is signed'),
      });
      expect(await bridle(rig, ['journal', 'verify', '-', '--strict'], { input: bare })).toMatchObject({ code: 1 });
    },
    patience,
  );

  it(
    proves('D09')('replay runs a policy over the journal of the store as over its export'),
    async () => {
      const { journal } = await filled(rig, 3);
      const args = { file_path: 'a.txt' };
      await journal.append({ ...denied, call: 'c-2', status: 'allowed', tool: 'view_file', requested: args, args });
      writeFileSync(join(rig.folder, 'bridle.yaml'), 'version: 1\ndefault: ask\nrules:\n  - deny: view_file\n');
      const { stdout: exported } = await bridle(rig, ['journal', 'export']);
      const replay = ['replay', '--policy', 'bridle.yaml'];
      const [stored, given] = [await bridle(rig, replay), await bridle(rig, [...replay, '-'], { input: exported })];
      expect(stored).toMatchObject({ code: 1, stderr: '' });
      expect(stored.stdout).toContain('record 3: stricter  allow → deny  view_file');
      // Of the lines of the export one is a checkpoint.
      expect(stored.stdout.replaceAll('record 3: ', '5: ')).toBe(given.stdout);
      const told = lines((await bridle(rig, [...replay, '--json'])).stdout);
      expect(told).toMatchObject([{ type: 'flip', seq: 3, was: 'allow', now: 'deny' }, { type: 'report' }]);
      expect(await bridle(rig, [...replay, '-', '--store', rig.at])).toMatchObject({ code: 2 });
    },
    patience,
  );

  it(
    proves('R09')('ends quietly where nobody reads its output any more'),
    async () => {
      await filled(rig, 1_500);
      const child = startBridle(rig, ['journal', 'export']);
      const told: string[] = [];
      child.stderr?.setEncoding('utf8').on('data', (text: string) => told.push(text));
      child.stdout?.once('data', () => child.stdout?.destroy());
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, told }).toEqual({ code: 141, told: [] });
    },
    patience,
  );
});

async function change(rig: StoreRig, ...statements: readonly string[]): Promise<void> {
  const { database } = await rig.parts();
  for (const statement of statements) await database.run(statement);
}

describeStores('a store that nobody has made', (rig) => {
  it(
    'is missed by every command, and none makes one',
    async () => {
      const commands = [['tail'], ['show', '0'], ['verify'], ['export'], ['head']];
      const ended = await Promise.all(commands.map((words) => bridle(rig, ['journal', ...words, '--json'])));
      for (const { code, stdout, stderr } of ended) {
        expect({ code, told: lines(stdout) }).toMatchObject({ code: 2, told: [{ code: 'STORE_FAILED' }] });
        expect(stderr).toContain('There is no store at ');
      }
      expect(readdirSync(rig.folder)).toEqual([]);
    },
    patience,
  );
});

describe('bridle journal', () => {
  const folder = new PolicyFolder();
  afterAll(() => folder.remove());

  it.concurrent.each([
    [['tail', '-n', 'x'], '--lines must be a whole number'],
    [['verify', '--head', 'abc'], '64-digit hash'],
    [['verify', '--from', '3'], '--from needs a file'],
    [['verify', 'nowhere.jsonl'], 'does not exist'],
    [['verify', '/dev/null'], 'there are no records to verify in "/dev/null"'],
    [['verify', '--key', 'nowhere.pub'], 'nowhere.pub does not exist'],
    [['verify', '--store', ''], 'is empty'],
    [['tail', '--store', 'mysql://x/y'], 'Use a path'],
    [['show'], 'missing required argument'],
    [['nonsense'], 'unknown command'],
    [[], 'Usage: bridle journal'],
  ])('tells wrong usage: %j', async (words, problem) => {
    const { code, stdout, stderr } = await folder.run(['journal', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it.concurrent.each(['tail', 'show', 'verify', 'export', 'head'])('%s has help with examples', async (name) => {
    const { code, stdout } = await folder.run(['journal', name, '--help']);
    expect(code).toBe(0);
    const parts = ['--store', '--namespace', '--json', 'Examples:', `  bridle journal ${name}`, 'Exit codes: 0 '];
    for (const part of parts) expect(stdout).toContain(part);
  });
});
