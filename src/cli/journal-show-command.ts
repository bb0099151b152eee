/** `bridle journal show`: a record whole, or every record of a call. */

import { ChainCheck, type JournalRecord } from '../journal/chain.ts';
import type { StoredJournal } from '../store/journal/stored-journal.ts';
import { wantsColours } from './command-report.ts';
import { journalExitCodes } from './journal-exit-codes.ts';
import { recordDetails, recordJson } from './journal-record-text.ts';
import { paintWith } from './paint.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';
import { spellOut } from './visible-text.ts';

const [stdout, stderr] = [1, 2];

export function showCommand({ words, options, scene }: StoreRun): Promise<number> {
  const [wanted = ''] = words;
  const paint = paintWith(wantsColours(scene.env, scene.streams.stdout.isTTY));
  return withStore(options, scene.env, async ({ journal }) => {
    let [shown, changed] = [0, 0];
    for await (const record of recordsOf(journal, wanted)) {
      const text = options.json === true ? recordJson(record) : recordDetails(record, paint).join('\n');
      if (!writeTo(stdout, `${text}\n`)) return journalExitCodes.unread;
      shown++;
      if (isWhole(record)) continue;
      changed++;
      writeTo(stderr, `bridle: record ${record.seq} was changed, or the one before it was: bridle journal verify\n`);
    }
    if (shown === 0) writeTo(stderr, `bridle: there is no record, and no call, ${spellOut(JSON.stringify(wanted))}\n`);
    return shown === 0 || changed > 0 ? journalExitCodes.found : journalExitCodes.ok;
  });
}

/** A number is that of a record; anything else is the id of a call, and so is a number no record has. */
async function* recordsOf(journal: StoredJournal, wanted: string): AsyncIterable<JournalRecord> {
  if (/^\d{1,15}$/.test(wanted)) {
    for await (const record of journal.read({ from: Number(wanted), limit: 1 })) {
      if (record.seq !== Number(wanted)) break;
      yield record;
      return;
    }
  }
  yield* journal.ofCall(wanted);
}

function isWhole(record: JournalRecord): boolean {
  const { seq, prev } = record;
  return new ChainCheck({ from: { seq, prev } }).take(record) === undefined;
}
