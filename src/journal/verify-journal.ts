/**
 * Verifies a journal in constant memory: records in order, and the checkpoints between them, each right after the last
 * record it covers. A checkpoint is due after every full segment: who cannot sign can neither change what is under one
 * nor take one away.
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
  /** Keys whose checkpoints count. Signatures are not looked at if not given. */
  readonly keys?: readonly { readonly id: string; readonly publicKey: KeyObject }[] | undefined;
  /** Whose journal it must be; that of the first checkpoint if not given. */
  readonly namespace?: string | undefined;
  /** True: full segments must have their checkpoints, even if there is none at all. False if not given. */
  readonly mustBeSigned?: boolean | undefined;
}

/** `signed`: how many records, from the first one on, are under a checkpoint whose signature holds. */
export type JournalVerification =
  | (Extract<ChainVerification, { readonly ok: true }> & { readonly checkpoints: number; readonly signed: number })
  | JournalFault;

export class JournalVerifier {
  private readonly chain: ChainVerifier;
  private namespace: string | undefined;
  private checkpoints = 0;
  private covered = 0;
  /** The full segment whose checkpoint comes next. */
  private due: number | undefined;
  /** The first one whose checkpoint did not come. */
  private missed: number | undefined;

  constructor(private readonly options: VerifyJournalOptions = {}) {
    this.chain = new ChainVerifier(options);
    this.namespace = options.namespace;
  }

  /** How many records there are up to here. */
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
    if (problem !== undefined) return this.chain.wrong(`the checkpoint after ${checkpoint.count} records ${problem}`);
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

  wrong(problem: string): JournalFault {
    return this.chain.wrong(problem);
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
    if (hash !== end.hash) return 'is for other records than these';
    if (this.checkpoints > 0 && count === this.covered) return 'stands there twice';
    if (this.namespace !== undefined && namespace !== this.namespace)
      return `is for the journal of ${JSON.stringify(namespace)}, and this is that of ${JSON.stringify(this.namespace)}`;
    return count > 0 ? undefined : 'covers nothing';
  }

  private signerProblem(checkpoint: Checkpoint): string | undefined {
    return this.options.keys === undefined ? undefined : checkpointSignatureProblem(checkpoint, this.options.keys);
  }
}

/** Checks an exported journal, line by line; a line that is no record is a fault, an empty last line is not. */
export class ExportVerifier {
  private readonly journal: JournalVerifier;
  private lines = 0;
  private isOver = false;

  constructor(options: VerifyJournalOptions = {}) {
    this.journal = new JournalVerifier(options);
  }

  /** How many records there are up to here. */
  get count(): number {
    return this.journal.count;
  }

  addLine(line: string): JournalFault | undefined {
    this.lines++;
    if (this.isOver) return this.wrong('follows an empty line');
    this.isOver = line === '';
    if (this.isOver) return undefined;
    const checkpoint = readCheckpointLine(line);
    if (checkpoint !== undefined) return this.journal.addCheckpoint(checkpoint);
    const record = readRecordLine(line);
    return 'problem' in record ? this.wrong(record.problem) : this.journal.addRecord(record);
  }

  finish(): JournalVerification {
    return this.journal.finish();
  }

  private wrong(problem: string): JournalFault {
    return this.journal.wrong(`line ${this.lines} ${problem}`);
  }
}

/** Verifies exported lines, records and checkpoints; without `keys` signatures are not looked at. */
export function verifyLines(lines: Iterable<string>, options: VerifyJournalOptions = {}): JournalVerification {
  const check = new ExportVerifier(options);
  for (const line of lines) {
    const fault = check.addLine(line);
    if (fault !== undefined) return fault;
  }
  return check.finish();
}

/** {@link verifyLines} for lines that come one after another. */
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
