/**
 * The end of a journal, sealed with the store's secret in every write. Without the secret, an attacker can build a new
 * chain, but cannot seal its end.
 */

import { messageOf } from '../../kernel/errors.ts';
import type { JournalHead } from '../../journal/checkpoint.ts';
import type { SealedColumns, Sealer } from '../namespace/sealed-row.ts';
import type { JournalEnd } from './journal-rows.ts';

const row = { table: 'bridle_journal_heads', key: [] };

export function sealHead(sealer: Sealer, { count, hash }: JournalHead): SealedColumns {
  return sealer.seal(row, JSON.stringify({ count, hash }));
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
    return JSON.parse(sealer.open(row, columns)) as JournalHead;
  } catch (error) {
    return messageOf(error);
  }
}
