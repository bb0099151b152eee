/** `bridle journal head`: prints the end of the hash chain, to save outside the store. */

import { writeReport } from '../output/command-report.ts';
import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';

export function showHead({ options, context }: StoreInvocation): Promise<number> {
  return withStore(options, context.env, async ({ journal }) => {
    const head = await journal.head();
    const report = { code: journalExitCodes.ok, data: head, lines: () => [`${head.count} ${head.hash}`] };
    return writeReport(report, { json: options.json === true, colours: false });
  });
}
