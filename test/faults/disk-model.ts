/**
 * A naive disk: what is durable, and what was done since and may be lost. A name is durable once its folder is synced,
 * content once its file is synced. After a crash any part of the rest may be there: names in any combination, content
 * complete, truncated, empty or zeros.
 */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

interface FileNode {
  readonly type: 'file';
  bytes: Buffer;
  /** The durable content; undefined if there is none. */
  synced: Buffer | undefined;
}

interface FolderNode {
  readonly type: 'folder';
  readonly names: Map<string, Node>;
  readonly synced: Map<string, Node>;
  /** Changes of names since the folder was synced, in order. */
  pending: Change[];
}

type Node = FileNode | FolderNode;

/** One atomic change of a folder: names it sets and names it removes. */
interface Change {
  readonly set?: readonly [name: string, node: Node];
  readonly unset?: string;
}

/** A folder after a crash: relative paths of files with their content, and of folders with undefined. */
export type Remains = ReadonlyMap<string, Buffer | undefined>;

export class DiskModel {
  private readonly top: FolderNode;
  private readonly opened = new Map<number, Node>();

  /** The initial contents of the folder are durable. */
  constructor(private readonly root: string) {
    this.top = readFolder(root);
  }

  open(file: number, path: string, flags: string): void {
    if (flags === 'wx') this.change(dirname(path), { set: [basename(path), newFile()] });
    const node = this.find(path);
    if (node !== undefined) this.opened.set(file, node);
  }

  write(file: number, bytes: Uint8Array): void {
    const node = this.opened.get(file);
    if (node?.type === 'file') node.bytes = Buffer.concat([node.bytes, bytes]);
  }

  sync(file: number): void {
    const node = this.opened.get(file);
    if (node?.type === 'file') node.synced = node.bytes;
    if (node?.type !== 'folder') return;
    node.synced.clear();
    for (const [name, each] of node.names) node.synced.set(name, each);
    node.pending = [];
  }

  rename(from: string, to: string): void {
    const node = this.find(from);
    if (node === undefined || dirname(from) !== dirname(to)) throw new RangeError(`unexpected rename to ${to}`);
    this.change(dirname(to), { set: [basename(to), node], unset: basename(from) });
  }

  link(from: string, to: string): void {
    const node = this.find(from);
    if (node !== undefined) this.change(dirname(to), { set: [basename(to), node] });
  }

  unlink(path: string): void {
    if (this.find(path) !== undefined) this.change(dirname(path), { unset: basename(path) });
  }

  makeFolder(path: string): void {
    this.change(dirname(path), { set: [basename(path), newFolder()] });
  }

  /** Every possible content of the disk if the machine stops here. */
  crashes(): readonly Remains[] {
    const found = new Map<string, Remains>();
    for (const remains of remainsOf(this.top)) {
      const key = JSON.stringify(Array.from(remains, ([path, bytes]) => [path, bytes?.toString('base64')]));
      found.set(key, remains);
    }
    return [...found.values()];
  }

  private change(folder: string, change: Change): void {
    const node = this.find(folder);
    // Changes above the watched folder are ignored.
    if (node?.type !== 'folder') return;
    apply(node.names, change);
    node.pending.push(change);
  }

  private find(path: string): Node | undefined {
    const parts = relative(this.root, path)
      .split('/')
      .filter((part) => part !== '');
    if (parts[0] === '..') return undefined;
    let node: Node | undefined = this.top;
    for (const part of parts) node = node?.type === 'folder' ? node.names.get(part) : undefined;
    return node;
  }
}

/** Writes the contents after a crash into a folder. */
export function restore(folder: string, remains: Remains): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const [path, bytes] of remains) {
    if (bytes === undefined) mkdirSync(join(folder, path), { mode: 0o700 });
    else writeFileSync(join(folder, path), bytes, { mode: 0o600 });
  }
}

function apply(names: Map<string, Node>, { set, unset }: Change): void {
  if (unset !== undefined) names.delete(unset);
  if (set !== undefined) names.set(...set);
}

function newFile(): FileNode {
  return { type: 'file', bytes: Buffer.alloc(0), synced: undefined };
}

function newFolder(): FolderNode {
  return { type: 'folder', names: new Map(), synced: new Map(), pending: [] };
}

function readFolder(path: string): FolderNode {
  const node = newFolder();
  for (const name of readdirSync(path)) {
    const each = join(path, name);
    const bytes = statSync(each).isDirectory() ? undefined : readFileSync(each);
    const child: Node = bytes === undefined ? readFolder(each) : { type: 'file', bytes, synced: bytes };
    node.names.set(name, child);
    node.synced.set(name, child);
  }
  return node;
}

function* remainsOf(folder: FolderNode): Generator<Map<string, Buffer | undefined>> {
  for (const kept of subsets(folder.pending)) {
    const names = new Map(folder.synced);
    for (const change of kept) apply(names, change);
    yield* combine([...names].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function* combine(names: readonly (readonly [string, Node])[]): Generator<Map<string, Buffer | undefined>> {
  const [first, ...rest] = names;
  if (first === undefined) {
    yield new Map();
    return;
  }
  const [name, node] = first;
  for (const others of combine(rest)) {
    if (node.type === 'file') {
      for (const bytes of contentsOf(node)) yield new Map([[name, bytes], ...others]);
      continue;
    }
    for (const inside of remainsOf(node)) {
      const moved = Array.from(inside, ([path, bytes]) => [join(name, path), bytes] as const);
      yield new Map<string, Buffer | undefined>([[name, undefined], ...moved, ...others]);
    }
  }
}

function contentsOf({ bytes, synced }: FileNode): readonly Buffer[] {
  if (synced === bytes) return [bytes];
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  return [synced ?? Buffer.alloc(0), bytes, half, Buffer.alloc(bytes.length)];
}

function subsets<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** all.length }, (_, mask) => all.filter((_each, bit) => (mask >> bit) & 1));
}
