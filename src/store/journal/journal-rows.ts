/** All SQL for the journal of one namespace, and the seal of its end. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import { chainStart, type JournalRecord } from '../../journal/hash-chain.ts';
import type { Checkpoint, JournalHead } from '../../journal/checkpoint.ts';
import type { Queries, Row, SqlValue } from '../database/database.ts';
import type { SealedColumns, Sealer } from '../namespace/sealed-row.ts';

/** A stored record. The previous hash is read from the row before it. */
export type RecordRow = Omit<JournalRecord, 'prev'>;

/** The end of the chain and its sealed copy, read at the same moment. */
export interface JournalEnd {
  readonly head: JournalHead;
  readonly sealed: { readonly body: SqlValue; readonly mac: SqlValue } | undefined;
}

/** A single statement, since another process may write between two. */
const selectEnd = `SELECT ends.seq, ends.hash, heads.body, heads.mac FROM (SELECT 1 AS one) AS once
  LEFT JOIN (SELECT seq, hash FROM bridle_journal WHERE namespace = ? ORDER BY seq DESC LIMIT 1) AS ends ON 1 = 1
  LEFT JOIN bridle_journal_heads AS heads ON heads.namespace = ?`;

export class JournalRows {
  constructor(readonly namespace: string) {}

  async end(queries: Queries): Promise<JournalEnd> {
    const [row = {}] = await queries.all(selectEnd, [this.namespace, this.namespace]);
    const { seq = null, hash, body = null, mac = null } = row;
    const sealed = body === null ? undefined : { body, mac };
    if (seq === null) return { head: { count: 0, hash: chainStart }, sealed };
    if (!isSeq(seq) || !isHash(hash)) throw this.damaged(`Record ${String(seq)}`);
    return { head: { count: seq + 1, hash }, sealed };
  }

  async head(queries: Queries): Promise<JournalHead> {
    return (await this.end(queries)).head;
  }

  async seal(queries: Queries, { body, mac }: SealedColumns): Promise<void> {
    await queries.run(
      `INSERT INTO bridle_journal_heads (namespace, body, mac) VALUES (?, ?, ?)
       ON CONFLICT (namespace) DO UPDATE SET body = excluded.body, mac = excluded.mac`,
      [this.namespace, body, mac],
    );
  }

  /** Rows in order from `seq` on. 0 means from the first row, even if its number is not 0. */
  async page(queries: Queries, seq: number, limit: number): Promise<readonly RecordRow[]> {
    const rows =
      seq === 0
        ? await queries.all('SELECT seq, hash, text FROM bridle_journal WHERE namespace = ? ORDER BY seq LIMIT ?', [
            this.namespace,
            limit,
          ])
        : await queries.all(
            'SELECT seq, hash, text FROM bridle_journal WHERE namespace = ? AND seq >= ? ORDER BY seq LIMIT ?',
            [this.namespace, seq, limit],
          );
    // Return the rows before a damaged one; the next read reports the damage.
    const damaged = rows.findIndex((row) => !isRecordRow(row));
    if (damaged === 0) throw this.damaged(`Record ${String(rows[0]?.['seq'])}`);
    return (damaged === -1 ? rows : rows.slice(0, damaged)) as unknown as readonly RecordRow[];
  }

  async hashAt(queries: Queries, seq: number): Promise<string | undefined> {
    const [row] = await queries.all('SELECT hash FROM bridle_journal WHERE namespace = ? AND seq = ?', [
      this.namespace,
      seq,
    ]);
    return row?.['hash'] as string | undefined;
  }

  /** The numbers of records from `from` on whose text contains `part`. */
  async seqsContaining(
    queries: Queries,
    part: string,
    { from, limit }: { from: number; limit: number },
  ): Promise<number[]> {
    const pattern = `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const rows = await queries.all(
      String.raw`SELECT seq FROM bridle_journal WHERE namespace = ? AND seq >= ? AND text LIKE ? ESCAPE '\' ORDER BY seq LIMIT ?`,
      [this.namespace, from, pattern, limit],
    );
    return rows.map(({ seq }) => seq as number);
  }

  /** Inserts records with consecutive numbers. */
  async insert(queries: Queries, records: readonly RecordRow[]): Promise<void> {
    const inserts = [...chunksOf(records)].map(async (part) => {
      const values: SqlValue[] = [this.namespace, (part[0] as RecordRow).seq];
      for (const { hash, text } of part) values.push(hash, text);
      return queries.run(insertStatement(part.length), values);
    });
    await Promise.all(inserts);
  }

  /** Checkpoints whose count is above `after` and at most `upTo`, in order. */
  async checkpoints(queries: Queries, after: number, upTo: number): Promise<readonly Checkpoint[]> {
    const rows = await queries.all(
      `SELECT count, hash, at, key, signature FROM bridle_journal_checkpoints
       WHERE namespace = ? AND count > ? AND count <= ? ORDER BY count`,
      [this.namespace, after, upTo],
    );
    return rows.map((row) => this.checkpoint(row));
  }

  /** The record count of the last checkpoint; undefined if there is none. */
  async lastCheckpoint(queries: Queries): Promise<number | undefined> {
    const [last] = await queries.all(
      'SELECT count FROM bridle_journal_checkpoints WHERE namespace = ? ORDER BY count DESC LIMIT 1',
      [this.namespace],
    );
    return last?.['count'] as number | undefined;
  }

  /** Keeps an existing checkpoint with the same count. */
  async insertCheckpoint(queries: Queries, { count, hash, at, key, signature }: Checkpoint): Promise<void> {
    await queries.run(
      `INSERT INTO bridle_journal_checkpoints (namespace, count, hash, at, key, signature)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, count) DO NOTHING`,
      [this.namespace, count, hash, at, key, signature],
    );
  }

  private checkpoint({ count, hash, at, key, signature }: Row): Checkpoint {
    const isWhole =
      typeof count === 'number' && typeof at === 'number' && typeof key === 'string' && typeof signature === 'string';
    if (!isWhole || !isHash(hash)) throw this.damaged(`The checkpoint after ${String(count)} records`);
    return { namespace: this.namespace, count, hash, at, key, signature };
  }

  private damaged(what: string): BridleError {
    const whose = `the journal of ${JSON.stringify(this.namespace)}`;
    return new BridleError('STORE_DAMAGED', `${what} in ${whose} is damaged or was modified.`);
  }
}

/** Rejects rows Bridle cannot have written: a line break in a text would add a line to an export. */
function isRecordRow({ seq, hash, text }: Row): boolean {
  return typeof seq === 'number' && isHash(hash) && isText(text);
}

/** Rows per statement: a full batch or a power of two, so that few statements are prepared. */
const maxRows = 1_000;

function* chunksOf(records: readonly RecordRow[]): Iterable<readonly RecordRow[]> {
  for (let at = 0; at < records.length;) {
    const size = Math.min(maxRows, 2 ** Math.floor(Math.log2(records.length - at)));
    yield records.slice(at, at + size);
    at += size;
  }
}

const insertStatements = new Map<number, string>();

/** Binds namespace and first number once: drivers spend most time on binding values. */
function insertStatement(rows: number): string {
  let sql = insertStatements.get(rows);
  if (sql === undefined) {
    const moreRows = Array.from({ length: rows - 1 }, (_, i) => `, (?1, CAST(?2 AS BIGINT) + ${i + 1}, ?, ?)`);
    sql = `INSERT INTO bridle_journal (namespace, seq, hash, text) VALUES (?, CAST(? AS BIGINT), ?, ?)${moreRows.join('')}`;
    insertStatements.set(rows, sql);
  }
  return sql;
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < Number.MAX_SAFE_INTEGER;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('{') && !value.includes('\n');
}

const headRow = { table: 'bridle_journal_heads', key: [] };

/**
 * Seals the end of a journal with the store's secret, in every write. Without the secret, an attacker can build a new
 * chain, but cannot seal its end.
 */
export function sealHead(sealer: Sealer, { count, hash }: JournalHead): SealedColumns {
  return sealer.seal(headRow, JSON.stringify({ count, hash }));
}

/** Why the end of a journal is not the sealed one; undefined if it is. */
export function endProblem(sealer: Sealer, end: JournalEnd): string | undefined {
  const { count, hash } = end.head;
  if (end.sealed === undefined) return count === 0 ? undefined : 'its seal is missing';
  const sealed = openHead(sealer, end.sealed);
  if (typeof sealed === 'string') return sealed;
  if (count !== sealed.count) return `it was sealed after ${sealed.count} records, but ends after ${count}`;
  return hash === sealed.hash ? undefined : `it was sealed after ${count} other records`;
}

function openHead(sealer: Sealer, columns: NonNullable<JournalEnd['sealed']>): JournalHead | string {
  try {
    return JSON.parse(sealer.open(headRow, columns)) as JournalHead;
  } catch (error) {
    return messageOf(error);
  }
}
