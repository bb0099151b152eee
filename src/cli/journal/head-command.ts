/** `bridle journal head`: the end of the chain, to be kept elsewhere. */

import { writeReport } from '../output/command-report.ts';
import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';

export function showHead({ options, scene }: StoreInvocation): Promise<number> {
  return withStore(options, scene.env, async ({ journal }) => {
    const head = await journal.head();
    const report = { code: journalExitCodes.ok, data: head, lines: () => [`${head.count} ${head.hash}`] };
    return writeReport(report, { json: options.json === true, colours: false });
  });
}
