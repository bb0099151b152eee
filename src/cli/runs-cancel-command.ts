/** `bridle runs cancel`: ends runs for good. */

import { userInfo } from 'node:os';
import { cancelRun as cancelIn } from '../store/runs/cancel-run.ts';
import { deliver } from './command-report.ts';
import { runsExitCodes } from './runs-exit-codes.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';
import { spellOut } from './visible-text.ts';

export function cancelRun({ words, options, scene }: StoreRun): Promise<number> {
  const by = userInfo().username;
  return withStore(options, scene.env, async (store) => {
    const ends: { readonly id: string; readonly cancelled: boolean; readonly state: string | null }[] = [];
    for (const id of words) {
      const cancelled = await cancelIn(store, id, by);
      ends.push({ id, cancelled, state: (await store.runs.get(id))?.state ?? null });
    }
    const code = ends.every(({ cancelled }) => cancelled) ? runsExitCodes.ok : runsExitCodes.failed;
    const lines = (): readonly string[] =>
      ends.map(({ id, cancelled, state }) => {
        const before = state === null ? 'there is no such run' : `it had ended: ${state}`;
        return `${spellOut(id)}  ${cancelled ? 'cancelled' : before}`;
      });
    return deliver({ code, data: ends, lines }, { json: options.json === true, colours: false });
  });
}
