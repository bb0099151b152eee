import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { CheckedPath } from '../../../kernel/call.ts';
import { openCheckedPath, type PathOpenMode } from './open-checked-path.ts';
import { resolvePath } from '../resolve/resolve-path.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'open-')));
const ws = join(base, 'ws');
const out = join(base, 'out');

beforeEach(() => {
  rmSync(ws, { recursive: true, force: true });
  rmSync(out, { recursive: true, force: true });
  for (const folder of ['ws/dir', 'out/dir', 'out/made']) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(ws, 'dir/file'), 'mine');
  writeFileSync(join(out, 'dir/file'), 'secret');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function checkedPath(path: string): CheckedPath {
  const resolution = resolvePath(path, { cwd: ws });
  if (resolution.type === 'refused') throw new TypeError(resolution.reason);
  return resolution.checked;
}

async function read(checked: CheckedPath): Promise<string> {
  const handle = await openCheckedPath(checked, 'read');
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function write(checked: CheckedPath, mode: PathOpenMode, text: string): Promise<void> {
  const handle = await openCheckedPath(checked, mode);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/** Folder and file keep their identities; only the path changes. */
function moveOut(): void {
  mkdirSync(join(out, 'moved'));
  renameSync(join(ws, 'dir'), join(out, 'moved/dir'));
  rmSync(ws, { recursive: true });
  symlinkSync(join(out, 'moved'), ws);
}

const isChanged = expect.objectContaining({ code: 'PATH_CHANGED' });
const isRefused = expect.objectContaining({ code: 'PATH_REFUSED' });

/** The files below the test folder that this process keeps open, if the system can list them. */
function heldOpen(): readonly string[] {
  if (platform !== 'linux') return [];
  const ways = readdirSync('/proc/self/fd').map((name) => `/proc/self/fd/${name}`);
  return ways.flatMap(leadsTo).filter((path) => path.startsWith(base));
}

/** Other tests of this process close their files in the meantime. */
function leadsTo(way: string): readonly string[] {
  try {
    return [readlinkSync(way)];
  } catch {
    return [];
  }
}

const { platform } = process;

/** With lookups below an open folder, and on a system without /proc. */
describe.each([platform, 'elsewhere'])('openCheckedPath on %s', (name) => {
  beforeAll(() => void Object.defineProperty(process, 'platform', { value: name }));
  afterAll(() => void Object.defineProperty(process, 'platform', { value: platform }));

  it(proves('W06')('opens the checked file, in any spelling'), async () => {
    symlinkSync('dir', join(ws, 'link'));
    expect(await read(checkedPath('dir/file'))).toBe('mine');
    expect(await read(checkedPath('link/../dir/file'))).toBe('mine');
  });

  it(proves('W06')('replaces, updates and creates files, with missing folders'), async () => {
    await write(checkedPath('dir/file'), 'write', 'x');
    expect(readFileSync(join(ws, 'dir/file'), 'utf8')).toBe('x');
    const handle = await openCheckedPath(checkedPath('dir/file'), 'update');
    expect(await handle.readFile('utf8')).toBe('x');
    await handle.close();
    await write(checkedPath('dir/new'), 'write', 'a');
    await write(checkedPath('made/deep/er/new'), 'create', 'b');
    expect(readFileSync(join(ws, 'made/deep/er/new'), 'utf8')).toBe('b');
  });

  it(proves('W06')('refuses a file that does not fit the mode'), async () => {
    await expect(openCheckedPath(checkedPath('dir/none'), 'read')).rejects.toThrow(isRefused);
    await expect(openCheckedPath(checkedPath('dir/none'), 'update')).rejects.toThrow(isRefused);
    await expect(openCheckedPath(checkedPath('dir/file'), 'create')).rejects.toThrow(isRefused);
    await expect(openCheckedPath(checkedPath('dir'), 'read')).rejects.toThrow(isRefused);
    await expect(openCheckedPath(checkedPath('/'), 'read')).rejects.toThrow(isRefused);
  });

  const modes: PathOpenMode[] = ['read', 'update', 'write'];
  const swaps: Readonly<Record<string, () => void>> = {
    'the file became a link': () => {
      unlinkSync(join(ws, 'dir/file'));
      symlinkSync(join(out, 'dir/file'), join(ws, 'dir/file'));
    },
    'another file took its place': () => {
      renameSync(join(out, 'dir/file'), join(ws, 'dir/other'));
      renameSync(join(ws, 'dir/other'), join(ws, 'dir/file'));
    },
    'its folder became a link to one with a file of that name': () => {
      renameSync(join(ws, 'dir'), join(base, 'ws/old'));
      symlinkSync(join(out, 'dir'), join(ws, 'dir'));
    },
    'its folder became a link to one that holds the same file': () => {
      unlinkSync(join(out, 'dir/file'));
      linkSync(join(ws, 'dir/file'), join(out, 'dir/file'));
      renameSync(join(ws, 'dir'), join(ws, 'old'));
      symlinkSync(join(out, 'dir'), join(ws, 'dir'));
    },
    'its folder moved out and a link points there': () => {
      rmSync(join(out, 'dir'), { recursive: true });
      renameSync(join(ws, 'dir'), join(out, 'dir'));
      symlinkSync(join(out, 'dir'), join(ws, 'dir'));
    },
    'a folder further up became a link': () => {
      renameSync(ws, join(base, 'old-ws'));
      symlinkSync(out, ws);
    },
    'its folder moved out and a link further up leads there': moveOut,
    'it was removed': () => unlinkSync(join(ws, 'dir/file')),
    'its folder was removed': () => rmSync(join(ws, 'dir'), { recursive: true }),
  };
  const races = Object.entries(swaps).flatMap(([name, swap]) => modes.map((mode) => ({ name, mode, swap })));

  it.each(races)(proves('W06')('throws before the first byte when $name ($mode)'), async ({ mode, swap }) => {
    const checked = checkedPath('dir/file');
    const secret = readFileSync(join(out, 'dir/file'), 'utf8');
    swap();
    await expect(openCheckedPath(checked, mode)).rejects.toThrow(isChanged);
    expect(heldOpen()).toEqual([]);
    if (existsSync(join(out, 'dir/file')))
      expect([secret, 'mine']).toContain(readFileSync(join(out, 'dir/file'), 'utf8'));
    rmSync(ws, { recursive: true, force: true });
    rmSync(join(base, 'old-ws'), { recursive: true, force: true });
  });

  const makings: Readonly<Record<string, () => void>> = {
    'a file appeared': () => writeFileSync(join(ws, 'dir/new'), 'theirs'),
    'a link appeared': () => symlinkSync(join(out, 'made/stolen'), join(ws, 'dir/new')),
    'its folder became a link': () => {
      renameSync(join(ws, 'dir'), join(ws, 'old'));
      symlinkSync(join(out, 'made'), join(ws, 'dir'));
    },
    'its folder moved out and a link points there': () => {
      renameSync(join(ws, 'dir'), join(out, 'moved'));
      symlinkSync(join(out, 'moved'), join(ws, 'dir'));
    },
    'its folder moved out and a link further up leads there': moveOut,
    'its folder was made anew': () => {
      renameSync(join(ws, 'dir'), join(ws, 'old'));
      mkdirSync(join(ws, 'dir'));
    },
  };

  it.each(Object.entries(makings))(proves('W06')('creates nothing elsewhere when %s'), async (_, swap) => {
    const checked = checkedPath('dir/new');
    swap();
    await expect(openCheckedPath(checked, 'write')).rejects.toThrow(isChanged);
    await expect(openCheckedPath(checked, 'create')).rejects.toThrow(isChanged);
    expect(heldOpen()).toEqual([]);
    expect(readdirSync(join(out, 'made'))).toEqual([]);
    expect(readdirSync(out, { recursive: true }).filter((path) => String(path).endsWith('new'))).toEqual([]);
  });

  it(proves('W06')('creates nothing elsewhere when a missing folder appears as a link'), async () => {
    const checked = checkedPath('made/deep/new');
    symlinkSync(join(out, 'made'), join(ws, 'made'));
    await expect(openCheckedPath(checked, 'create')).rejects.toThrow(isChanged);
    expect(readdirSync(join(out, 'made'))).toEqual([]);
  });

  it(proves('W06')('accepts a missing folder that another call has created in the meantime'), async () => {
    const one = checkedPath('made/one');
    const two = checkedPath('made/two');
    await Promise.all([write(one, 'create', '1'), write(two, 'create', '2')]);
    expect(readdirSync(join(ws, 'made'))).toEqual(['one', 'two']);
  });

  it.runIf(platform !== 'win32')(proves('W06')('does not hang on a FIFO and does not open it'), async () => {
    execFileSync('/usr/bin/mkfifo', [join(ws, 'pipe')]);
    for (const mode of modes) await expect(openCheckedPath(checkedPath('pipe'), mode)).rejects.toThrow(isRefused);
    const checked = checkedPath('dir/file');
    unlinkSync(join(ws, 'dir/file'));
    renameSync(join(ws, 'pipe'), join(ws, 'dir/file'));
    for (const mode of modes) await expect(openCheckedPath(checked, mode)).rejects.toThrow(isChanged);
  });
});
