/** `bridle journal show`: shows one record in full, or all records of a call. */

import { ChainVerifier, type JournalRecord } from '../../journal/hash-chain.ts';
import type { StoredJournal } from '../../store/journal/stored-journal.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import { recordDetails, recordJson } from './record-text.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

const [stdout, stderr] = [1, 2];

export function showRecords({ positionals, options, context }: StoreInvocation): Promise<number> {
  const [wanted = ''] = positionals;
  const paint = paintWith(shouldUseColours(context.env, context.streams.stdout.isTTY));
  return withStore(options, context.env, async ({ journal }) => {
    let [shown, changed] = [0, 0];
    for await (const record of recordsOf(journal, wanted)) {
      const text = options.json === true ? recordJson(record) : recordDetails(record, paint).join('\n');
      if (!writeTo(stdout, `${text}\n`)) return journalExitCodes.brokenPipe;
      shown++;
      if (isIntact(record)) continue;
      changed++;
      writeTo(
        stderr,
        `bridle: the hash of record ${record.seq} does not match: it or the record before it was changed; run bridle journal verify\n`,
      );
    }
    if (shown === 0) writeTo(stderr, `bridle: there is no record or call ${escapeControls(JSON.stringify(wanted))}\n`);
    return shown === 0 || changed > 0 ? journalExitCodes.fault : journalExitCodes.ok;
  });
}

/** A number is a record's; anything else, or a number without a record, is the id of a call. */
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

function isIntact(record: JournalRecord): boolean {
  const { seq, prev } = record;
  return new ChainVerifier({ from: { seq, prev } }).add(record) === undefined;
}
