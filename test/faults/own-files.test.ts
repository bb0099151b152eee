/** Own files with failing disks and crashes: after every operation, in every way it can fail. */

import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { DiskModel, restore, type Remains } from './disk-model.ts';
import { type Fault, type FaultKind, withShim } from './file-shim.ts';
import { hangMs, inForm } from './endurance.ts';
import { type OwnFile, ownFiles } from './own-files.ts';

/** In memory if possible: the model takes care of syncing. */
const memory = '/dev/shm';
let place = '';
let made = 0;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'bridle-own-files-')));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** A folder with the old version. */
async function prepared(file: OwnFile): Promise<string> {
  const folder = freshPath();
  restore(folder, new Map());
  await file.prepare?.(folder);
  return folder;
}

function freshPath(): string {
  return join(place, String(made++));
}

/** What is read after a crash, for every possible content of the disk. */
async function readings(file: OwnFile, crashes: readonly Remains[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const remains of crashes) {
    const folder = freshPath();
    restore(folder, remains);
    found.add(await file.read(folder));
    rmSync(folder, { recursive: true });
  }
  return found;
}

/** Every possible crash while `file` is written, and after it. */
async function crashesOf(file: OwnFile) {
  const root = await prepared(file);
  const disk = new DiskModel(root);
  const during: Remains[] = [...disk.crashes()];
  const { operations, error } = await withShim({ root, disk, each: () => during.push(...disk.crashes()) }, () =>
    file.write(root),
  );
  expect(error).toBeUndefined();
  return { operations, during, after: disk.crashes() };
}

async function withFault(file: OwnFile, fault: Fault): Promise<boolean> {
  const title = JSON.stringify(fault);
  const root = await prepared(file);
  const disk = new DiskModel(root);
  const { error, struck } = await withShim({ root, disk, fault }, () => file.write(root));
  if (error !== undefined && file.code !== undefined) expect(error, title).toMatchObject({ code: file.code });
  const allowed = error === undefined ? ['new'] : ['old', 'new'];
  expect(allowed, title).toContain(await file.read(root));
  for (const reading of await readings(file, disk.crashes())) expect(allowed, title).toContain(reading);
  // Leftovers do not block the next write.
  await (file.again ?? file.write)(root);
  expect(await file.read(root), title).toBe('new');
  rmSync(root, { recursive: true });
  return struck;
}

const kinds: readonly FaultKind[] = ['EIO', 'ENOSPC', 'EROFS', 'short', 'cut'];
interface Way {
  readonly kind: FaultKind;
  readonly forGood: boolean;
}
const ways: readonly Way[] = kinds.flatMap((kind) => [
  { kind, forGood: false },
  { kind, forGood: true },
]);
const fewWays: readonly Way[] = [
  { kind: 'EIO', forGood: false },
  { kind: 'EROFS', forGood: true },
  { kind: 'short', forGood: false },
  { kind: 'cut', forGood: false },
];

describe.each(ownFiles)('$title', (file) => {
  it(proves('R03')('is completely old or completely new after a crash at any point'), async () => {
    const { operations, during, after } = await crashesOf(file);
    expect(operations).toEqual(expect.arrayContaining(['open', 'write', 'fsync', 'close']));
    const seen = await readings(file, during);
    expect([...seen].toSorted()).toEqual(['new', 'old']);
    expect([...(await readings(file, after))]).toEqual(['new']);
  });

  it(
    proves('R03')('stays intact if any operation fails, the writer gets an error, and the next write works'),
    async () => {
      const { operations } = await crashesOf(file);
      let strikes = 0;
      for (let at = 1; at <= operations.length; at++) {
        for (const way of inForm({ usual: fewWays, endurance: ways }))
          strikes += Number(await withFault(file, { at, ...way }));
      }
      expect(strikes).toBeGreaterThan(operations.length);
    },
    hangMs,
  );
});
