import { BridleError } from '../../errors.ts';
import type { Fault } from '../../journal/chain.ts';
import type { CheckpointKey } from '../../journal/checkpoint.ts';
import { JournalCheck, type VerifiedJournal } from '../../journal/journal-check.ts';
import { interleave, type JournalPage, type JournalSource, readPages } from './read-journal.ts';
import type { VerifyOptions } from './stored-journal.ts';

/** Every record against the chain, every checkpoint against its key; others may write meanwhile. */
export async function verifyJournal(
  source: JournalSource,
  known: readonly CheckpointKey[],
  { head, keys = [], onProgress }: VerifyOptions = {},
): Promise<VerifiedJournal> {
  const { queries, rows } = source;
  const check = new JournalCheck({ head, keys: [...known, ...keys], namespace: rows.namespace, mustBeSigned: true });
  try {
    // What is signed by now is there by now: read later, the end cannot lie before it.
    const signed = await rows.lastCheckpoint(queries);
    for await (const page of readPages(source)) {
      const fault = checkPage(check, page);
      if (fault !== undefined) return fault;
      onProgress?.(check.count);
    }
    if (signed !== undefined && (signed > check.count || signed <= 0))
      return check.wrong(`the journal ends here, and there is a checkpoint after ${signed} records`);
    return check.finish();
  } catch (error) {
    if (!(error instanceof BridleError) || error.code !== 'STORE_DAMAGED') throw error;
    return check.wrong(error.message);
  }
}

function checkPage(check: JournalCheck, { records, checkpoints }: JournalPage): Fault | undefined {
  for (const item of interleave(records, checkpoints)) {
    if (!('text' in item)) {
      const fault = check.checkpoint(item);
      if (fault !== undefined) return fault;
      continue;
    }
    const fault = check.record(item);
    if (fault !== undefined) return orBefore(fault, item.seq);
  }
  return undefined;
}

/** A record that was changed and sealed again shows at the next one. */
function orBefore(fault: Fault, seq: number): Fault {
  const isChanged = fault.problem.endsWith('was changed') && seq > 0;
  return isChanged ? { ...fault, problem: `${fault.problem}, or record ${seq - 1} was` } : fault;
}
