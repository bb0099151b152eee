import { BridleError } from '../../kernel/errors.ts';
import type { JournalFault } from '../../journal/hash-chain.ts';
import type { CheckpointKey } from '../../journal/checkpoint.ts';
import { JournalVerifier, type JournalVerification } from '../../journal/verify-journal.ts';
import type { Sealer } from '../namespace/sealed-row.ts';
import { endProblem, type JournalEnd } from './journal-rows.ts';
import { interleave, type JournalPage, type JournalSource, readPages } from './read-journal.ts';

export interface VerifyOptions {
  /** The hash of a record that used to be the last one. */
  readonly head?: string | undefined;
  /** Trusted keys in addition to those of the store's key ring. */
  readonly keys?: readonly CheckpointKey[] | undefined;
  /** Called from time to time with the number of records checked so far. */
  readonly onProgress?: ((count: number) => void) | undefined;
}

export interface VerifySource extends JournalSource {
  readonly sealer: Sealer;
  /** Trusted checkpoint keys. */
  readonly keys: readonly CheckpointKey[];
}

/**
 * Checks every record against the chain, every checkpoint against its key, and the end against its seal. Safe while
 * others write.
 */
export async function verifyJournal(
  source: VerifySource,
  { head, keys = [], onProgress }: VerifyOptions = {},
): Promise<JournalVerification> {
  const { queries, rows } = source;
  const trusted = [...source.keys, ...keys];
  const check = new JournalVerifier({ head, keys: trusted, namespace: rows.namespace, mustBeSigned: true });
  try {
    // Read first: the end, which is read later, cannot be before a checkpoint that already exists.
    const lastSigned = await rows.lastCheckpoint(queries);
    for (;;) {
      for await (const page of readPages(source, { from: check.count })) {
        const fault = checkPage(check, page);
        if (fault !== undefined) return fault;
        onProgress?.(check.count);
      }
      if (lastSigned !== undefined && (lastSigned > check.count || lastSigned <= 0))
        return check.fault(`the journal ends here, but there is a checkpoint after ${lastSigned} records`);
      const end = await rows.end(queries);
      // The seal covers only the last record: read on if another process has written in the meantime.
      if (end.head.count <= check.count) return checkEnd(check, end, source.sealer);
    }
  } catch (error) {
    if (!(error instanceof BridleError) || error.code !== 'STORE_DAMAGED') throw error;
    return check.fault(error.message);
  }
}

function checkEnd(check: JournalVerifier, end: JournalEnd, sealer: Sealer): JournalVerification {
  const problem = endProblem(sealer, end);
  if (problem !== undefined) return check.fault(`this is not the original end: ${problem}`);
  const verified = check.finish();
  const isSame = !verified.ok || (end.head.count === check.count && end.head.hash === verified.head);
  return isSame ? verified : check.fault('the end changed while it was read');
}

function checkPage(check: JournalVerifier, { records, checkpoints }: JournalPage): JournalFault | undefined {
  for (const item of interleave(records, checkpoints)) {
    if (!('text' in item)) {
      const fault = check.addCheckpoint(item);
      if (fault !== undefined) return fault;
      continue;
    }
    const fault = check.addRecord(item);
    if (fault !== undefined) return orRecordBefore(fault, item.seq);
  }
  return undefined;
}

/** A record that was modified and rehashed is detected at the next one. */
function orRecordBefore(fault: JournalFault, seq: number): JournalFault {
  const isChanged = fault.problem.endsWith('was changed') && seq > 0;
  return isChanged ? { ...fault, problem: `${fault.problem}, or record ${seq - 1} was` } : fault;
}
