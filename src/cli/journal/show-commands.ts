/** `bridle journal tail`, `show`, `head` and `export`: print records of a store in constant memory. */

import { ChainVerifier, type JournalRecord } from '../../journal/hash-chain.ts';
import type { StoredJournal } from '../../store/journal/open-journal.ts';
import { paintFor, writeNote } from '../command/command-report.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { readCount } from '../command/read-input.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';
import { recordDetails, recordJson, recordSummary } from './record-text.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

interface TailFlags extends StoreFlags {
  readonly lines?: string | undefined;
  readonly follow?: boolean | undefined;
}

interface ExportFlags extends StoreFlags {
  readonly from?: string | undefined;
}

const stdout = 1;
const maxBatchLength = 64 * 1024;

export async function tailRecords(invocation: Invocation<TailFlags>): Promise<number> {
  const { options, streams } = invocation;
  const count = readCount('--lines', options.lines ?? '10');
  const paint = paintFor(invocation);
  const lifetime = new Lifetime(streams);
  lifetime.onInterrupt(() => lifetime.end(exitCodes.cancelled));
  try {
    const code = await withStore(invocation, async ({ journal }) => {
      const follow = options.follow === true;
      for await (const record of journal.tail(count, { signal: lifetime.signal, follow })) {
        const text = options.json === true ? recordJson(record) : recordSummary(record, paint);
        if (!writeTo(stdout, `${text}\n`)) return exitCodes.brokenPipe;
      }
      return exitCodes.ok;
    });
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

/** One record in full, or all records of a call. */
export function showRecords(invocation: Invocation<StoreFlags>): Promise<number> {
  const { positionals, options } = invocation;
  const [wanted = ''] = positionals;
  const paint = paintFor(invocation);
  return withStore(invocation, async ({ journal }) => {
    let [shown, changed] = [0, 0];
    for await (const record of recordsOf(journal, wanted)) {
      const text = options.json === true ? recordJson(record) : recordDetails(record, paint).join('\n');
      if (!writeTo(stdout, `${text}\n`)) return exitCodes.brokenPipe;
      shown++;
      if (isIntact(record)) continue;
      changed++;
      writeNote(
        `the hash of record ${record.seq} does not match: it or the record before it was changed; run npx bridle journal verify`,
      );
    }
    if (shown === 0) writeNote(`there is no record or call ${escapeControls(JSON.stringify(wanted))}`);
    return shown === 0 || changed > 0 ? exitCodes.negative : exitCodes.ok;
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

/** The end of the hash chain, to save outside the store. */
export function showHead(invocation: Invocation<StoreFlags>): Promise<CommandReport> {
  return withStore(invocation, async ({ journal }) => {
    const head = await journal.head();
    return { code: exitCodes.ok, data: head, lines: () => [`${head.count} ${head.hash}`] };
  });
}

export function exportJournal(invocation: Invocation<ExportFlags>): Promise<number> {
  const from = readCount('--from', invocation.options.from ?? '0');
  return withStore(invocation, async ({ journal }) => {
    let text = '';
    for await (const line of journal.lines({ from })) {
      text += `${line}\n`;
      if (text.length < maxBatchLength) continue;
      if (!writeTo(stdout, text)) return exitCodes.brokenPipe;
      text = '';
    }
    return writeTo(stdout, text) ? exitCodes.ok : exitCodes.brokenPipe;
  });
}
