/**
 * Verifies a journal in constant memory: records in order, and the checkpoints between them, each directly after the last
 * record it covers. A checkpoint is required after every full segment, so without the key no one can change the records
 * under a checkpoint or remove a checkpoint.
 */

import type { KeyObject } from 'node:crypto';
import {
  ChainVerifier,
  type VerifyChainOptions,
  type JournalFault,
  type JournalRecord,
  readRecordLine,
  type ChainVerification,
} from './hash-chain.ts';
import { type Checkpoint, checkpointEvery, readCheckpointLine, checkpointSignatureProblem } from './checkpoint.ts';

export interface VerifyJournalOptions extends VerifyChainOptions {
  /** Trusted keys. Without them, signatures are not verified. */
  readonly keys?: readonly { readonly id: string; readonly publicKey: KeyObject }[] | undefined;
  /** The expected namespace. Default: that of the first checkpoint. */
  readonly namespace?: string | undefined;
  /** True: every full segment must have a checkpoint, even if the journal has no checkpoints at all. Default: false. */
  readonly mustBeSigned?: boolean | undefined;
}

/** `signed`: the number of records, from the first, that a checkpoint with a valid signature covers. */
export type JournalVerification =
  | (Extract<ChainVerification, { readonly ok: true }> & { readonly checkpoints: number; readonly signed: number })
  | JournalFault;

export class JournalVerifier {
  private readonly chain: ChainVerifier;
  private namespace: string | undefined;
  private checkpoints = 0;
  private covered = 0;
  /** The end of a full segment whose checkpoint must come next. */
  private due: number | undefined;
  /** The end of the first full segment without a checkpoint. */
  private missed: number | undefined;

  constructor(private readonly options: VerifyJournalOptions = {}) {
    this.chain = new ChainVerifier(options);
    this.namespace = options.namespace;
  }

  /** The number of records so far. */
  get count(): number {
    return this.chain.end.count;
  }

  addRecord(record: JournalRecord): JournalFault | undefined {
    const fault = this.passSegment() ?? this.chain.add(record);
    if (fault === undefined && this.count % checkpointEvery === 0) this.due = this.count;
    return fault;
  }

  addCheckpoint(checkpoint: Checkpoint): JournalFault | undefined {
    const problem = this.placeProblem(checkpoint) ?? this.signerProblem(checkpoint);
    if (problem !== undefined) return this.chain.fault(`the checkpoint after ${checkpoint.count} records ${problem}`);
    this.namespace = checkpoint.namespace;
    this.covered = checkpoint.count;
    this.checkpoints++;
    this.due = undefined;
    return this.missed === undefined ? undefined : this.missing(this.missed);
  }

  finish(): JournalVerification {
    const fault = this.passSegment();
    if (fault !== undefined) return fault;
    const verified = this.chain.finish();
    const signed = this.options.keys === undefined ? 0 : this.covered;
    return verified.ok ? { ...verified, checkpoints: this.checkpoints, signed } : verified;
  }

  fault(problem: string): JournalFault {
    return this.chain.fault(problem);
  }

  private passSegment(): JournalFault | undefined {
    if (this.due === undefined) return undefined;
    const { due } = this;
    this.due = undefined;
    if (this.options.mustBeSigned === true || this.checkpoints > 0) return this.missing(due);
    this.missed ??= due;
    return undefined;
  }

  private missing(count: number): JournalFault {
    return { ok: false, at: count, problem: `the checkpoint after ${count} records is missing` };
  }

  private placeProblem({ namespace, count, hash }: Checkpoint): string | undefined {
    const { end } = this.chain;
    if (count !== end.count) return `is out of place: there are ${end.count} before it`;
    if (hash !== end.hash) return 'belongs to other records';
    if (this.checkpoints > 0 && count === this.covered) return 'is there twice';
    if (this.namespace !== undefined && namespace !== this.namespace)
      return `belongs to the namespace ${JSON.stringify(namespace)}, not to ${JSON.stringify(this.namespace)}`;
    return count > 0 ? undefined : 'covers nothing';
  }

  private signerProblem(checkpoint: Checkpoint): string | undefined {
    return this.options.keys === undefined ? undefined : checkpointSignatureProblem(checkpoint, this.options.keys);
  }
}

/** Verifies an exported journal line by line. An invalid line is a fault, but the last line may be empty. */
export class ExportVerifier {
  private readonly journal: JournalVerifier;
  private lines = 0;
  private isOver = false;

  constructor(options: VerifyJournalOptions = {}) {
    this.journal = new JournalVerifier(options);
  }

  /** The number of records so far. */
  get count(): number {
    return this.journal.count;
  }

  addLine(line: string): JournalFault | undefined {
    this.lines++;
    if (this.isOver) return this.fault('follows an empty line');
    this.isOver = line === '';
    if (this.isOver) return undefined;
    const checkpoint = readCheckpointLine(line);
    if (checkpoint !== undefined) return this.journal.addCheckpoint(checkpoint);
    const record = readRecordLine(line);
    return 'problem' in record ? this.fault(record.problem) : this.journal.addRecord(record);
  }

  finish(): JournalVerification {
    return this.journal.finish();
  }

  private fault(problem: string): JournalFault {
    return this.journal.fault(`line ${this.lines} ${problem}`);
  }
}

/** Verifies exported lines: records and checkpoints. Without `keys`, signatures are not verified. */
export function verifyLines(lines: Iterable<string>, options: VerifyJournalOptions = {}): JournalVerification {
  const check = new ExportVerifier(options);
  for (const line of lines) {
    const fault = check.addLine(line);
    if (fault !== undefined) return fault;
  }
  return check.finish();
}

/** {@link verifyLines}, for an asynchronous source of lines. */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: VerifyJournalOptions = {},
): Promise<JournalVerification> {
  const check = new ExportVerifier(options);
  for await (const line of lines) {
    const fault = check.addLine(line);
    if (fault !== undefined) return fault;
  }
  return check.finish();
}
