/** Changes that somebody with write access to a store, but without keys, might make to its journal. */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import type { ReferenceCheckpoint, ReferenceRow, ReferenceSeal } from '../reference/journal.ts';

export interface JournalState {
  readonly rows: readonly ReferenceRow[];
  readonly checkpoints: readonly ReferenceCheckpoint[];
  readonly seal: ReferenceSeal | undefined;
}

/** Where to apply it: any two numbers, brought into range. */
interface Place {
  readonly a: number;
  readonly b: number;
}

/** Parts that are not returned stay unchanged. */
type Mutation = (state: JournalState, place: Place) => Partial<JournalState>;

const stranger = generateKeyPairSync('ed25519').privateKey;
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
const forgedText = (text: string): string => text.replace('"turn":1', '"turn":2');
const flipped = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);

/** Assigns numbers and hashes as a writer would, from a position on. */
function rechain(rows: readonly ReferenceRow[], from: number): ReferenceRow[] {
  let prev = rows[from - 1]?.hash ?? '0'.repeat(64);
  return rows.map((row, seq) => {
    if (seq < from) return row;
    const hash = createHash('sha256').update(`${prev}\n${seq}\n${row.text}`).digest('hex');
    prev = hash;
    return { seq, hash, text: row.text };
  });
}

function withRow(rows: readonly ReferenceRow[], at: number, change: Partial<ReferenceRow>): ReferenceRow[] {
  return rows.map((row, each) => (each === at % rows.length ? { ...row, ...change } : row));
}

function forge({ rows, checkpoints }: JournalState, { a }: Place): Pick<JournalState, 'rows' | 'checkpoints'> {
  const at = a % rows.length;
  return { rows: rechain(withRow(rows, at, { text: forgedText(pick(rows, a).text) }), at), checkpoints };
}

/** Always detected, by the chain alone. */
const ofRecords: Readonly<Record<string, Mutation>> = {
  'a text changed': ({ rows, checkpoints }, { a }) => ({
    rows: withRow(rows, a, { text: forgedText(pick(rows, a).text) }),
    checkpoints,
  }),
  'a hash changed': ({ rows, checkpoints }, { a }) => ({
    rows: withRow(rows, a, { hash: flipped(pick(rows, a).hash) }),
    checkpoints,
  }),
  'one deleted before the end': ({ rows, checkpoints }, { a }) => ({
    rows: rows.filter((_, at) => at !== a % (rows.length - 1)),
    checkpoints,
  }),
  'one deleted before the end, the rest renumbered': ({ rows, checkpoints }, { a }) => ({
    rows: rows.filter((_, at) => at !== a % (rows.length - 1)).map((row, seq) => ({ ...row, seq })),
    checkpoints,
  }),
  'two swapped': ({ rows, checkpoints }, { a }) => {
    const [one, two] = [a % (rows.length - 1), (a % (rows.length - 1)) + 1];
    const moved = withRow(withRow(rows, one, { ...rows[two], seq: one }), two, { ...rows[one], seq: two });
    return { rows: moved, checkpoints };
  },
  'one doubled at the end': ({ rows, checkpoints }, { a }) => ({
    rows: [...rows, { ...pick(rows, a), seq: rows.length }],
    checkpoints,
  }),
  'one before the first': ({ rows, checkpoints }, { a }) => ({
    rows: [{ ...pick(rows, a), seq: -1 - (a % 5) }, ...rows],
    checkpoints,
  }),
  'one far behind the end': ({ rows, checkpoints }, { a, b }) => ({
    rows: [...rows, { ...pick(rows, a), seq: rows.length + 1 + (b % 1_000) }],
    checkpoints,
  }),
  'the first ones cut off': ({ rows, checkpoints }, { a }) => ({
    rows: rows.slice(1 + (a % (rows.length - 1))),
    checkpoints,
  }),
};

/** Detected by signatures, if something signed is changed. */
const ofForgers: Readonly<Record<string, Mutation>> = {
  'one forged, everything sealed anew': forge,
  'one put in, everything sealed anew': ({ rows, checkpoints }, { a }) => {
    const at = a % (rows.length + 1);
    const forged = { ...pick(rows, a), text: forgedText(pick(rows, a).text) };
    return { rows: rechain([...rows.slice(0, at), forged, ...rows.slice(at)], at), checkpoints };
  },
  'one taken out, everything sealed anew': ({ rows, checkpoints }, { a }) => {
    const at = a % rows.length;
    return { rows: rechain([...rows.slice(0, at), ...rows.slice(at + 1)], at), checkpoints };
  },
  'the end cut off': ({ rows, checkpoints }, { a }) => ({ rows: rows.slice(0, a % rows.length), checkpoints }),
  'the end cut off, with its checkpoints': ({ rows, checkpoints }, { a }) => {
    const left = a % rows.length;
    return { rows: rows.slice(0, left), checkpoints: checkpoints.filter(({ count }) => count <= left) };
  },
  'one forged, with checkpoints for the new hashes': (state, place) => {
    const { rows, checkpoints } = forge(state, place);
    return { rows, checkpoints: checkpoints.map((one) => ({ ...one, hash: rows[one.count - 1]?.hash ?? one.hash })) };
  },
  'one forged, with checkpoints of a stranger': (state, place) => {
    const { rows, checkpoints } = forge(state, place);
    const signedAnew = checkpoints.map((one) => {
      const hash = rows[one.count - 1]?.hash ?? one.hash;
      const bytes = JSON.stringify(['bridle journal checkpoint 1', one.namespace, one.count, hash, one.at]);
      return { ...one, hash, signature: sign(null, Buffer.from(bytes), stranger).toString('base64') };
    });
    return { rows, checkpoints: signedAnew };
  },
  'one forged, the checkpoints after it taken away': (state, place) => {
    const { rows, checkpoints } = forge(state, place);
    return { rows, checkpoints: checkpoints.filter(({ count }) => count <= place.a % state.rows.length) };
  },
};

const ofCheckpoints: Readonly<Record<string, Mutation>> = {
  'a checkpoint at another time': ({ rows, checkpoints }, { a }) => ({
    rows,
    checkpoints: checkpoints.map((one, at) => (at === a % checkpoints.length ? { ...one, at: one.at + 1 } : one)),
  }),
  'a checkpoint elsewhere': ({ rows, checkpoints }, { a, b }) => {
    const count = 1 + (b % (rows.length + 3));
    return {
      rows,
      checkpoints: checkpoints.map((one, at) => (at === a % checkpoints.length ? { ...one, count } : one)),
    };
  },
  'a checkpoint before the first record': ({ rows, checkpoints }, { a }) => ({
    rows,
    checkpoints: [...checkpoints, { ...pick(checkpoints, a), count: -(a % 3), hash: '0'.repeat(64) }],
  }),
  'a checkpoint of a key nobody knows': ({ rows, checkpoints }, { a }) => ({
    rows,
    checkpoints: checkpoints.map((one, at) =>
      at === a % checkpoints.length ? { ...one, key: flipped(one.key) } : one,
    ),
  }),
  'checkpoints swapped': ({ rows, checkpoints }) => ({
    rows,
    checkpoints: checkpoints.map((one, at) => ({ ...pick(checkpoints, at + 1), count: one.count })),
  }),
  'signatures swapped': ({ rows, checkpoints }) => ({
    rows,
    checkpoints: checkpoints.map((one, at) => ({ ...one, signature: pick(checkpoints, at + 1).signature })),
  }),
  'a checkpoint taken away': ({ rows, checkpoints }, { a }) => ({
    rows,
    checkpoints: checkpoints.filter((_, at) => at !== a % checkpoints.length),
  }),
};

/** The seal that somebody without the secret could write. */
function sealOf(rows: readonly ReferenceRow[]): string {
  return JSON.stringify({ count: rows.length, hash: rows.at(-1)?.hash ?? '0'.repeat(64) });
}

const ofSeals: Readonly<Record<string, Mutation>> = {
  'the seal taken away': () => ({ seal: undefined }),
  'another code on the seal': ({ seal }) => ({ seal: seal && { ...seal, mac: flipped(seal.mac) } }),
  'a seal of fewer records': ({ rows, seal }, { a }) => ({
    seal: seal && { ...seal, body: sealOf(rows.slice(0, a % rows.length)) },
  }),
  'one forged, with nothing signed and the seal for what came of it': (state, place) => {
    const { rows } = forge(state, place);
    return { rows, checkpoints: [], seal: state.seal && { ...state.seal, body: sealOf(rows) } };
  },
  'one forged, with nothing signed or sealed': (state, place) => ({
    rows: forge(state, place).rows,
    checkpoints: [],
    seal: undefined,
  }),
};

const mutations = { ...ofRecords, ...ofForgers, ...ofCheckpoints, ...ofSeals };

export const anyMutation = fc.record({
  kind: fc.constantFrom(...Object.keys(mutations)),
  place: fc.record({ a: fc.nat(100_000), b: fc.nat(100_000) }),
});

export function mutate(state: JournalState, { kind, place }: { kind: string; place: Place }): JournalState {
  // After another mutation, nothing may be left to change.
  if (state.rows.length < 2 || state.checkpoints.length === 0) return state;
  const mutated = { ...state, ...(mutations[kind] as Mutation)(state, place) };
  // A table cannot contain two rows at the same position.
  const rows = [...new Map(mutated.rows.map((one) => [one.seq, one])).values()];
  const checkpoints = [...new Map(mutated.checkpoints.map((one) => [one.count, one])).values()];
  return { rows, checkpoints, seal: mutated.seal };
}

/** True for changes to records or the seal, which every journal check must detect. */
export function mustBeFound(kind: string): boolean {
  return !Object.hasOwn(ofCheckpoints, kind);
}

export const mutationKinds: readonly string[] = Object.keys(mutations);
