/** A store in a file: permissions, concurrent opening, and refused files. */

import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { openTogether, type Opener } from '../../../test/store/opener.ts';
import { openStore } from '../open-store.ts';
import type { RunRecord } from '../runs/run-record.ts';
import type { Store, StoreOptions } from '../store.ts';
import { openSqliteConnection } from './sqlite-connection.ts';

let folder: string;
let stores: Store[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-file-'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const keys = (): string => join(folder, 'keys');
const at = (name = 'store.db'): string => join(folder, name);

async function open(options: StoreOptions = {}): Promise<Store> {
  const store = await openStore({ at: at(), keys: keys(), ...options });
  stores.push(store);
  return store;
}

/** A store with a session, completely in its file even while this process keeps it open. */
async function written(): Promise<Buffer> {
  const store = await open();
  await store.sessions.save('s', { kept: 'x'.repeat(50_000) }, 0);
  await store.close();
  expect(existsSync(`${at()}-wal`) ? statSync(`${at()}-wal`).size : 0).toBe(0);
  return readFileSync(at());
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

async function change(path: string, sql: string): Promise<void> {
  const connection = openSqliteConnection(path);
  connection.exec(sql);
  connection.close();
}

describe.skipIf(process.platform !== 'linux')('a store opened twice in one process', () => {
  it(
    proves('R02', 'R04')('keeps the locks it had: without them another process would cut the index it has mapped'),
    async () => {
      const store = await open();
      await store.sessions.save('s', {}, 0);
      expect(locksOn(`${at()}-shm`)).toBeGreaterThan(0);
      const again = await open();
      expect(locksOn(`${at()}-shm`)).toBeGreaterThan(0);
      await again.sessions.load('s');
      expect(locksOn(`${at()}-shm`)).toBeGreaterThan(0);
    },
  );
});

/** How many locks this process has on a file, according to the system. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}

describe.skipIf(process.platform === 'win32')('the files of a store', () => {
  it('are accessible to their owner only', async () => {
    const project = join(folder, 'project/.bridle');
    const store = await open({ at: join(project, 'store.db') });
    await store.sessions.save('s', {}, 0);
    store.keys.journalKey();
    expect(modeOf(project)).toBe('700');
    expect(readdirSync(project).toSorted()).toEqual(['.gitignore', 'store.db', 'store.db-shm', 'store.db-wal']);
    for (const name of readdirSync(project)) expect(modeOf(join(project, name)), name).toBe('600');
    expect(readFileSync(join(project, '.gitignore'), 'utf8')).toBe('*\n');
    expect(modeOf(keys())).toBe('700');
    expect(readdirSync(keys()).toSorted()).toEqual(['journal.key', 'journal.pub', 'store.secret']);
    for (const name of readdirSync(keys())) expect(modeOf(join(keys(), name)), name).toBe('600');
    for (const file of ['store.db', 'store.db-wal', 'store.db-shm'].map((name) => join(project, name))) {
      expect(store.files).toContain(file);
    }
    expect(store.files).toContain(keys());
  });

  it('get their permissions restricted again', async () => {
    await written();
    chmodSync(at(), 0o644);
    await open();
    expect(modeOf(at())).toBe('600');
  });

  it('are never created or opened through a link', async () => {
    const elsewhere = at('elsewhere.db');
    symlinkSync(elsewhere, at());
    await expect(open()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('not a regular file'),
    });
    expect(existsSync(elsewhere)).toBe(false);
    rmSync(at());
    await written();
    rmSync(`${at()}-wal`, { force: true });
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, `${at()}-wal`);
    await expect(open()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
    expect(lstatSync(`${at()}-wal`).isSymbolicLink()).toBe(true);
  });

  it('are never created or opened through a linked .bridle folder, which a repository can contain', async () => {
    const [elsewhere, link] = [join(folder, 'elsewhere'), join(folder, '.bridle')];
    for (const prepare of [() => undefined, () => mkdirSync(elsewhere)]) {
      prepare();
      symlinkSync(elsewhere, link);
      await expect(open({ at: join(link, 'store.db') })).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/\.bridle is a symbolic link\..* Remove the link, or name a store .* --store/),
      });
      rmSync(link);
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('are reported by their real path', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'named'));
    const store = await open({ at: join(folder, 'named/store.db') });
    expect(store.at).toBe(join(folder, 'real/store.db'));
  });

  it('cannot be created in a read-only folder, and the error says so', async () => {
    const locked = join(folder, 'locked');
    mkdirSync(locked);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
    const own = join(folder, 'own');
    mkdirSync(own);
    chmodSync(folder, 0o755);
    if (user !== undefined) for (const each of [own, locked]) chownSync(each, user.uid, user.gid);
    chmodSync(locked, 0o500);
    const opener = { keys: join(own, 'keys'), id: 's', user };
    const [made, below] = await openTogether([
      { ...opener, at: join(locked, 'store.db') },
      { ...opener, at: join(locked, 'more/store.db') },
    ]);
    chmodSync(locked, 0o700);
    for (const opened of [made, below]) {
      expect(opened).toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/locked.*permission denied/i),
      });
    }
    expect(readdirSync(locked)).toEqual([]);
  });
});

describe('a file that several processes open together', () => {
  it(proves('R01')('is created once, and all of them use it'), async () => {
    const openers: Opener[] = Array.from({ length: 5 }, (_, i) => ({ at: at(), keys: keys(), id: `s${i}` }));
    const opened = await openTogether(openers);
    expect(opened).toEqual(openers.map(({ id }) => ({ body: { by: id } })));
    expect(readdirSync(folder).filter((name) => name.includes('.new') || name.includes('.tmp'))).toEqual([]);
    const store = await open();
    expect((await store.sessions.list()).map(({ id }) => id).toSorted()).toEqual(openers.map(({ id }) => id));
  });
});

describe('the write-ahead log', () => {
  it(proves('R01')('of a process that ended without closing is merged by one that wants a short log'), async () => {
    const store = await open();
    for (let i = 1; i <= 40; i++) await store.sessions.save('s', { kept: `${i}` }, i - 1);
    const logBytes = () => statSync(`${at()}-wal`).size;
    expect(logBytes()).toBeGreaterThan(96 * 1024);
    stores.push(await openStore({ at: at(), keys: keys() }, { maxLogBytes: 1024 * 1024 }));
    expect(logBytes()).toBeGreaterThan(96 * 1024);
    const other = await openStore({ at: at(), keys: keys() }, { maxLogBytes: 96 * 1024 });
    stores.push(other);
    expect(logBytes()).toBe(0);
    expect(await other.sessions.load('s')).toMatchObject({ body: { kept: '40' } });
    await store.sessions.save('s', { kept: '41' }, 40);
    expect(await other.sessions.load('s')).toMatchObject({ body: { kept: '41' } });
  });
});

describe('a file that is not a store', () => {
  it(proves('R04')('is refused and left unchanged'), async () => {
    const page = Buffer.from(`SQLite format 3\0${'x'.repeat(5000)}`);
    for (const content of [Buffer.from('some text'), Buffer.alloc(8192), page, Buffer.alloc(0)]) {
      writeFileSync(at(), content);
      await expect(open(), content.subarray(0, 20).toString()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      expect(readFileSync(at()).equals(content)).toBe(true);
    }
  });

  it('is refused if it is the database of another program', async () => {
    await change(at(), 'CREATE TABLE things (id INTEGER)');
    await expect(open()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('not a Bridle store'),
    });
  });

  it('is refused if it is a folder', async () => {
    mkdirSync(at());
    await expect(open()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

describe('a damaged file', () => {
  it(proves('R04')('that was truncated is refused, or still has all data'), async () => {
    const whole = await written();
    const lengths = [
      1,
      15,
      16,
      99,
      100,
      511,
      4095,
      4096,
      4097,
      Math.floor(whole.length / 2),
      whole.length - 4096,
      whole.length - 1,
    ];
    for (const [i, length] of lengths.entries()) {
      const cut = at(`cut-${i}.db`);
      writeFileSync(cut, whole);
      truncateSync(cut, length);
      const read = open({ at: cut }).then((store) => store.sessions.load('s'));
      await expect(read, `cut to ${length}`).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
  });

  it(proves('R04')('with unreadable texts and numbers is an error and does not crash the process'), async () => {
    const store = await open();
    await store.sessions.save('s', { kept: 'x' }, 0);
    await store.runs.create({ id: 'r', agent: 'main', input: 'x' });
    await change(at(), "UPDATE bridle_sessions SET body = CAST(x'7bff80c07d' AS TEXT)");
    await change(at(), 'UPDATE bridle_runs SET updated_at = 9223372036854775807');
    await expect(store.sessions.load('s')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    // An index column is only a copy: if it can be read at all, it has no effect.
    const listed = await store.runs.list().catch((error: unknown) => error);
    expect([[{ id: 'r', state: 'queued' }], { code: 'STORE_DAMAGED' }]).toContainEqual(
      Array.isArray(listed) ? listed.map(({ id, state }: RunRecord) => ({ id, state })) : { code: codeOf(listed) },
    );
  });

  it(proves('R04')('with foreign definitions is refused: a trigger is code'), async () => {
    await written();
    const planted = [
      'CREATE TRIGGER forget AFTER INSERT ON bridle_counters BEGIN DELETE FROM bridle_counters; END',
      'CREATE VIEW more AS SELECT 1',
      'DROP INDEX bridle_runs_by_age',
      'ALTER TABLE bridle_approvals ADD COLUMN more TEXT',
    ];
    for (const [i, sql] of planted.entries()) {
      const copy = at(`planted-${i}.db`);
      copyFileSync(at(), copy);
      await change(copy, sql);
      await expect(open({ at: copy }), sql).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
  });
});
