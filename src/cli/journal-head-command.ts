/** `bridle journal head`: the end of the chain, to be kept elsewhere. */

import { deliver } from './command-report.ts';
import { journalExitCodes } from './journal-exit-codes.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';

export function headCommand({ options, scene }: StoreRun): Promise<number> {
  return withStore(options, scene.env, async ({ journal }) => {
    const head = await journal.head();
    const report = { code: journalExitCodes.ok, data: head, lines: () => [`${head.count} ${head.hash}`] };
    return deliver(report, { json: options.json === true, colours: false });
  });
}
