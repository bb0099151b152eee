/** `bridle journal export`: the journal as lines of JSON, in constant memory. */

import { journalExitCodes } from './journal-exit-codes.ts';
import { readCount } from './journal-tail-command.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';
import { writeTo } from './sync-io.ts';

export interface ExportFlags extends StoreFlags {
  readonly from?: string | undefined;
}

const stdout = 1;
const mostCharacters = 64 * 1024;

export function exportCommand({ options, scene }: StoreRun<ExportFlags>): Promise<number> {
  const from = readCount('--from', options.from ?? '0');
  return withStore(options, scene.env, async ({ journal }) => {
    let text = '';
    for await (const line of journal.lines({ from })) {
      text += `${line}\n`;
      if (text.length < mostCharacters) continue;
      if (!writeTo(stdout, text)) return journalExitCodes.unread;
      text = '';
    }
    return writeTo(stdout, text) ? journalExitCodes.ok : journalExitCodes.unread;
  });
}
