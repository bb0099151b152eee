/** Ways to damage a file, and the regions of a store where it matters. */

import { frameHeaderBytes, framesOf, logHeaderBytes } from './write-ahead-log.ts';

/** A change of a file. Offsets beyond its end have no effect. */
export type Mutation =
  | { readonly type: 'flip'; readonly at: number; readonly bit: number }
  | { readonly type: 'set'; readonly at: number; readonly bytes: readonly number[] }
  | { readonly type: 'zero'; readonly at: number; readonly length: number }
  | { readonly type: 'swap'; readonly at: number; readonly other: number; readonly length: number }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'append'; readonly bytes: readonly number[] };

/** A range of a file with one kind of data. */
export interface Region {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

export interface Mutant {
  /** The suffix of the file name: none, `-wal` or `-shm`. */
  readonly file: string;
  readonly region: string;
  readonly mutation: Mutation;
}

export function mutate(file: Buffer, mutation: Mutation): Buffer {
  const made = Buffer.from(file);
  switch (mutation.type) {
    case 'flip': {
      const { at, bit } = mutation;
      if (at < made.length) made[at] = (made[at] as number) ^ (1 << bit);
      return made;
    }
    case 'set':
      made.set(mutation.bytes.slice(0, Math.max(0, made.length - mutation.at)), Math.min(mutation.at, made.length));
      return made;
    case 'zero':
      return made.fill(0, mutation.at, Math.min(mutation.at + mutation.length, made.length));
    case 'swap': {
      const { at, other, length } = mutation;
      file.copy(made, at, other, other + length);
      file.copy(made, other, at, at + length);
      return made;
    }
    case 'cut':
      return made.subarray(0, mutation.at);
    case 'append':
      return Buffer.concat([made, Buffer.from(mutation.bytes)]);
    default:
      return mutation satisfies never;
  }
}

const pageBytes = 4096;
const pageKinds: Readonly<Record<number, string>> = {
  2: 'interior of an index',
  5: 'interior of a table',
  10: 'leaf of an index',
  13: 'leaf of a table',
};

/** The regions of a database file. */
export function regionsOf(database: Buffer): readonly Region[] {
  const free = freePages(database);
  const pages = Array.from({ length: database.length / pageBytes }, (_, index) => index);
  return [
    { kind: 'header of the file', start: 0, end: 100 },
    ...pages.flatMap((page) => pageRegions(database, page, free.get(page + 1))),
  ];
}

/** Trunk and leaf pages of the free list, counted from 1. */
function freePages(database: Buffer): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (let trunk = database.readUInt32BE(32); trunk !== 0 && !found.has(trunk);) {
    const start = (trunk - 1) * pageBytes;
    found.set(trunk, 'trunk of free pages');
    const count = database.readUInt32BE(start + 4);
    for (let n = 0; n < count; n++) found.set(database.readUInt32BE(start + 8 + n * 4), 'free page');
    trunk = database.readUInt32BE(start);
  }
  return found;
}

function pageRegions(database: Buffer, page: number, free: string | undefined): readonly Region[] {
  const begin = page * pageBytes;
  const end = begin + pageBytes;
  const start = page === 0 ? 100 : begin;
  const kind = pageKinds[database[start] as number];
  if (free !== undefined) return [{ kind: free, start: begin, end }];
  if (kind === undefined) return [{ kind: 'overflow of a row', start: begin, end }];
  const headerBytes = kind.startsWith('interior') ? 12 : 8;
  const pointers = start + headerBytes;
  const unused = pointers + database.readUInt16BE(start + 3) * 2;
  const cells = begin + (database.readUInt16BE(start + 5) || 65_536);
  const regions = [
    { kind: `${kind}: header`, start, end: pointers },
    { kind: `${kind}: pointers`, start: pointers, end: unused },
    { kind: `${kind}: unused`, start: unused, end: cells },
    { kind: `${kind}: cells`, start: cells, end },
  ];
  return regions.filter((region) => region.end > region.start);
}

export function regionsOfLog(log: Buffer): readonly Region[] {
  const frames = framesOf(log).flatMap(({ start, end }) => [
    { kind: 'header of a frame', start, end: start + frameHeaderBytes },
    { kind: 'page of a frame', start: start + frameHeaderBytes, end },
  ]);
  return [{ kind: 'header of the log', start: 0, end: logHeaderBytes }, ...frames];
}

/** The WAL index: two copies of its header, the checkpoint state, and a table of pages. */
export function regionsOfIndex(index: Buffer): readonly Region[] {
  return [
    { kind: 'header of the index of the log', start: 0, end: 96 },
    { kind: 'marks of the index of the log', start: 96, end: 136 },
    { kind: 'pages of the index of the log', start: 136, end: index.length },
  ];
}

export interface MutantSource {
  readonly file: string;
  readonly bytes: Buffer;
  readonly regions: readonly Region[];
}

/** An endless sequence of mutants: all kinds of regions equally often, and sometimes any offset. */
export function* mutantsOf(source: MutantSource, chance: () => number): Generator<Mutant, never> {
  const { file, bytes, regions } = source;
  const below = (count: number) => Math.floor(chance() * count);
  const kinds = [...new Set(regions.map(({ kind }) => kind))];
  for (let n = 0; ; n++) {
    const kind = kinds[n % kinds.length];
    const these = regions.filter((region) => region.kind === kind);
    const region = these[below(these.length)] as Region;
    const isAnywhere = n % 5 === 4;
    const { start, end } = isAnywhere ? { start: 0, end: bytes.length } : region;
    const at = start + below(end - start);
    yield { file, region: isAnywhere ? 'anywhere' : region.kind, mutation: mutationAt(at, bytes.length, below) };
  }
}

function mutationAt(at: number, length: number, below: (count: number) => number): Mutation {
  const bytes = Array.from({ length: 1 + below(16) }, () => below(256));
  const page = at - (at % pageBytes);
  const others = Math.max(1, Math.floor(length / pageBytes));
  const ways: readonly Mutation[] = [
    { type: 'flip', at, bit: below(8) },
    { type: 'flip', at, bit: below(8) },
    { type: 'flip', at, bit: below(8) },
    { type: 'set', at, bytes: bytes.slice(0, 1) },
    { type: 'set', at, bytes },
    { type: 'zero', at, length: 1 + below(64) },
    { type: 'zero', at: page, length: pageBytes },
    { type: 'swap', at: page, other: below(others) * pageBytes, length: pageBytes },
    { type: 'cut', at },
    { type: 'append', bytes },
  ];
  return ways[below(ways.length)] as Mutation;
}
