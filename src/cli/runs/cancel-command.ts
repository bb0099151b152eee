/** `bridle runs cancel`: cancels runs for good. */

import { userInfo } from 'node:os';
import { cancelRun as cancelIn } from '../../store/cancel-run.ts';
import { writeReport } from '../output/command-report.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

export function cancelRuns({ positionals, options, context }: StoreInvocation): Promise<number> {
  const by = userInfo().username;
  return withStore(options, context.env, async (store) => {
    const ends: { readonly id: string; readonly cancelled: boolean; readonly state: string | null }[] = [];
    for (const id of positionals) {
      const cancelled = await cancelIn(store, id, by);
      ends.push({ id, cancelled, state: (await store.runs.get(id))?.state ?? null });
    }
    const code = ends.every(({ cancelled }) => cancelled) ? runsExitCodes.ok : runsExitCodes.failed;
    const lines = (): readonly string[] =>
      ends.map(({ id, cancelled, state }) => {
        const before = state === null ? 'no such run' : `had already ended: ${state}`;
        return `${escapeControls(id)}  ${cancelled ? 'cancelled' : before}`;
      });
    return writeReport({ code, data: ends, lines }, { json: options.json === true, colours: false });
  });
}
