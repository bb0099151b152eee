/** `bridle journal export`: prints the journal as lines of JSON, in constant memory. */

import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import { readCount } from './tail-command.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';

export interface ExportFlags extends StoreFlags {
  readonly from?: string | undefined;
}

const stdout = 1;
const maxBatchLength = 64 * 1024;

export function exportJournal({ options, context }: StoreInvocation<ExportFlags>): Promise<number> {
  const from = readCount('--from', options.from ?? '0');
  return withStore(options, context.env, async ({ journal }) => {
    let text = '';
    for await (const line of journal.lines({ from })) {
      text += `${line}\n`;
      if (text.length < maxBatchLength) continue;
      if (!writeTo(stdout, text)) return journalExitCodes.brokenPipe;
      text = '';
    }
    return writeTo(stdout, text) ? journalExitCodes.ok : journalExitCodes.brokenPipe;
  });
}
