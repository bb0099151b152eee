/**
 * SQLite reads its write-ahead log (WAL) up to the first invalid frame and silently drops the rest. After a crash that
 * is right; after damage it loses acknowledged commits, and a used approval could be used again. So the WAL is checked
 * before SQLite opens it: by its own checksums, and by its index (`-shm`), which a killed process leaves behind.
 */

import { readFileSync, statSync } from 'node:fs';
import { endianness, uptime } from 'node:os';
import { BridleError } from '../../kernel/errors.ts';
import { isMissing } from '../keys/key-files.ts';

const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;
const indexVersion = 3_007_000;
/** Tries until a write in progress has finished. */
const maxTries = 5;

/** What the WAL index says about the WAL. */
interface WalIndex {
  /** Frames up to the last commit. */
  readonly frames: number;
  /** How many of them are already in the database file. */
  readonly copied: number;
  readonly salts: Buffer;
}

/** Refuses a store whose WAL has lost commits. Safe while other processes use the store. */
export function checkWal(path: string): void {
  if (isOpenHere(path)) return;
  for (let tries = 0; tries < maxTries; tries++) {
    const index = readIfPresent(`${path}-shm`);
    if (!hasLostCommits(readIfPresent(`${path}-wal`), usableIndex(path, index))) return;
    if (readIfPresent(`${path}-shm`).equals(index)) throw damagedWal(path);
  }
}

/** How often this process has each store open, for systems without `/proc`. */
const openCounts = new Map<string, number>();

/** Registers a store as open in this process. The returned function unregisters it. */
export function markOpen(path: string): () => void {
  openCounts.set(path, (openCounts.get(path) ?? 0) + 1);
  return () => {
    const left = (openCounts.get(path) ?? 1) - 1;
    if (left > 0) openCounts.set(path, left);
    else openCounts.delete(path);
  };
}

/**
 * Closing a file releases all locks the process has on it, including those of SQLite's other connections. The next
 * process that opens the store would then truncate the index mapped here, and this process would crash.
 */
function isOpenHere(path: string): boolean {
  if (openCounts.has(path)) return true;
  // Five columns come before the path: addresses, rights, offset, device, inode. A line break is written as \\012.
  const lines = readIfPresent('/proc/self/maps').toString('latin1').split('\n');
  const index = Buffer.from(`${path}-shm`)
    .toString('latin1')
    .replaceAll('\n', String.raw`\012`);
  return lines.some((line) => line.replace(/^(?:\S+ +){5}/, '') === index);
}

function hasLostCommits(log: Buffer, index: WalIndex | undefined): boolean {
  if (log.length < headerBytes) return index !== undefined && index.copied < index.frames;
  const found = readWal(log);
  if (found === undefined) return index === undefined ? log.length > headerBytes : index.frames > 0;
  // A second commit starts only after the first is on disk.
  if (index === undefined || index.frames === 0) return found.after > 1;
  return found.whole < index.frames || !log.subarray(16, 24).equals(index.salts);
}

interface WalFrames {
  /** Valid frames: up to the last commit before the first invalid frame. */
  readonly whole: number;
  /** Commit frames after that. */
  readonly after: number;
}

/** Undefined if even the header is invalid. */
function readWal(log: Buffer): WalFrames | undefined {
  const isBig = (log.readUInt32BE(0) & 1) === 1;
  const sums = new Checksums(log, isBig);
  sums.add(0, 24);
  const pageBytes = log.readUInt32BE(8);
  const isHeader = (log.readUInt32BE(0) & ~1) === magic && pageBytes >= 512 && sums.match(log, 24);
  if (!isHeader) return undefined;
  const size = frameHeaderBytes + pageBytes;
  let [whole, after, fits] = [0, 0, true];
  for (let n = 1, at = headerBytes; at + size <= log.length; n++, at += size) {
    const isOwn = log.compare(log, 16, 24, at + 8, at + 16) === 0;
    if (fits) {
      sums.add(at, 8);
      sums.add(at + frameHeaderBytes, pageBytes);
      fits = isOwn && sums.match(log, at + 16);
    }
    if (!isOwn || log.readUInt32BE(at + 4) === 0) continue;
    if (fits) whole = n;
    else after++;
  }
  return { whole, after };
}

/** SQLite's running checksums over 32-bit words, in the byte order that the WAL header names. */
class Checksums {
  private readonly words: Int32Array;
  private one = 0;
  private two = 0;

  constructor(bytes: Buffer, isBig: boolean) {
    const copy = Buffer.alloc(bytes.length - (bytes.length % 4));
    bytes.copy(copy);
    if (isBig !== (endianness() === 'BE')) copy.swap32();
    this.words = new Int32Array(copy.buffer, copy.byteOffset, copy.length / 4);
  }

  add(start: number, length: number): void {
    // Local variables: most processes end before this loop is optimised.
    const { words } = this;
    const end = (start + length) / 4;
    let [one, two] = [this.one | 0, this.two | 0];
    for (let at = start / 4; at < end; at += 2) {
      one = (one + (words[at] as number) + two) | 0;
      two = (two + (words[at + 1] as number) + one) | 0;
    }
    [this.one, this.two] = [one >>> 0, two >>> 0];
  }

  /** Whether the WAL has these checksums at an offset. */
  match(log: Buffer, at: number): boolean {
    return log.readUInt32BE(at) === this.one && log.readUInt32BE(at + 4) === this.two;
  }
}

/** An index last written before the machine booted may be older than the WAL, since it is never synced. */
function usableIndex(path: string, bytes: Buffer): WalIndex | undefined {
  if (bytes.length < 136 || endianness() !== 'LE') return undefined;
  const [one, other] = [bytes.subarray(0, 48), bytes.subarray(48, 96)];
  const sums = new Checksums(one, false);
  sums.add(0, 40);
  const isWhole = one.equals(other) && one.readUInt32LE(0) === indexVersion && one[12] === 1;
  const swapped = Buffer.from(one.subarray(40, 48)).swap32();
  if (!isWhole || !sums.match(swapped, 0) || changedAt(`${path}-shm`) < Date.now() - uptime() * 1000) return undefined;
  return { frames: one.readUInt32LE(16), copied: bytes.readUInt32LE(96), salts: one.subarray(32, 40) };
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
}

function damagedWal(path: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The write-ahead log of the store, ${path}-wal, has lost commits: it is damaged, truncated or replaced. Restore the ` +
      `store from a backup. To continue without the lost commits, remove ${path}-shm: used approvals may then be ` +
      'usable again, and reached limits may be open again.',
  );
}
