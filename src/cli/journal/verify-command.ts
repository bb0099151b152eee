/** `bridle journal verify`: checks the hash chain and the signatures of a store or an exported file. */

import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckpointKey, unknownKeyProblem } from '../../journal/checkpoint.ts';
import { readRecordLine } from '../../journal/hash-chain.ts';
import { ExportVerifier, type VerifyJournalOptions, type JournalVerification } from '../../journal/verify-journal.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { countText } from '../command/call-text.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { journalFileLines, openInput, readCount } from '../command/read-input.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import type { Streams } from '../../terminal/output/streams.ts';

interface VerifyFlags extends StoreFlags {
  readonly head?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly strict?: boolean | undefined;
}

export async function verifyJournalCommand(invocation: Invocation<VerifyFlags>): Promise<CommandReport> {
  const [file] = invocation.positionals;
  const progress = new ProgressLine(invocation.streams);
  const onProgress = (count: number): void => progress.show(count);
  try {
    const verified = await (file === undefined
      ? verifyStore(invocation, onProgress)
      : verifyFile(invocation, file, onProgress));
    const code = verified.ok ? exitCodes.ok : exitCodes.negative;
    return { code, data: verified, lines: (paint) => linesOf(verified, paint) };
  } finally {
    progress.clear();
  }
}

type OnProgress = (count: number) => void;

async function verifyStore(invocation: Invocation<VerifyFlags>, onProgress: OnProgress): Promise<JournalVerification> {
  const { options } = invocation;
  if (options.from !== undefined)
    throw usageError('--from needs a file: a store is always verified from its first record');
  const head = readHead(options.head);
  const keys = await givenKeys(options.key);
  return withStore(invocation, ({ journal }) => journal.verify({ head, keys, onProgress }));
}

async function verifyFile(
  { options, env }: Invocation<VerifyFlags>,
  path: string,
  onProgress: OnProgress,
): Promise<JournalVerification> {
  if (options.store !== undefined) throw usageError('give a file or --store, not both');
  const { knownJournalKeys } = await import('../../store/keys/open-key-ring.ts');
  const known = knownJournalKeys(join(bridleHome(env), 'keys'));
  const check: VerifyJournalOptions = {
    head: readHead(options.head),
    keys: [...(await givenKeys(options.key)), ...known],
    namespace: options.namespace,
    mustBeSigned: options.strict === true,
  };
  const first = options.from === undefined ? 0 : readCount('--from', options.from);
  const file = path === '-' ? 0 : openInput(path, 'the journal');
  try {
    const verified = checkLines(journalFileLines(file), { check, first, onProgress });
    // An export whose records were removed must not pass as an empty journal.
    if (verified.ok && verified.count === 0) throw usageError(`there are no records to verify in ${nameOf(path)}`);
    return verified;
  } finally {
    closeSync(file);
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : JSON.stringify(path);
}

interface FileCheck {
  readonly check: VerifyJournalOptions;
  /** The number of the first record. */
  readonly first: number;
  readonly onProgress: OnProgress;
}

function checkLines(lines: Iterable<string>, { check, first, onProgress }: FileCheck): JournalVerification {
  let verifier = first === 0 ? new ExportVerifier(check) : undefined;
  for (const line of lines) {
    verifier ??= new ExportVerifier({ ...check, from: { seq: first, prev: hashBefore(line) } });
    const fault = verifier.addLine(line);
    if (fault !== undefined) return fault;
    onProgress(verifier.count);
  }
  return (verifier ?? new ExportVerifier(check)).finish();
}

/** The hash before a partial export's first record: it can't be verified, so it is taken from the record. */
function hashBefore(line: string): string {
  const record = readRecordLine(line);
  return 'problem' in record ? '' : record.prev;
}

async function givenKeys(files: readonly string[] = []): Promise<readonly CheckpointKey[]> {
  if (files.length === 0) return [];
  const { readJournalKey } = await import('../../store/keys/open-key-ring.ts');
  return files.map((file) => readJournalKey(file));
}

/** A hash, or what `bridle journal head` prints. */
function readHead(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = /^(?:\d+ )?([0-9a-f]{64})$/.exec(given.trim())?.[1];
  if (hash !== undefined) return hash;
  throw usageError(
    `--head must be the output of npx bridle journal head, or its 64-digit hash, not ${JSON.stringify(given)}`,
  );
}

function linesOf(verified: JournalVerification, paint: Paint): readonly string[] {
  if (!verified.ok) {
    const fault = `${paint('bad', 'fault')} at record ${verified.at}: ${safeText(verified.problem)}`;
    const isUnknownKey = verified.problem.includes(unknownKeyProblem);
    return isUnknownKey
      ? [fault, 'if you know this key, pass its public key with --key, or put it into keys/journal/<name>.pub']
      : [fault];
  }
  const { count, head, checkpoints, signed } = verified;
  const intact = `${paint('good', 'intact')}: ${countText(count, 'record')}, head ${head}`;
  if (count === 0) return [intact];
  if (signed === 0)
    return [intact, paint('warn', 'no record is signed: anyone who can write the journal could have rewritten it')];
  const covered = signed === count ? 'every record is' : `the first ${signed} are`;
  return [intact, `${countText(checkpoints, 'checkpoint')}: ${covered} signed`];
}

const stderr = 2;
const firstShownMs = 1_000;
const intervalMs = 200;

/** Shows on a terminal how many records of a long journal are checked. */
class ProgressLine {
  private readonly isTerminal: boolean;
  private next = performance.now() + firstShownMs;
  private isShown = false;

  constructor({ stderr: output }: Streams) {
    this.isTerminal = output.isTTY;
  }

  show(count: number): void {
    if (!this.isTerminal || performance.now() < this.next) return;
    this.next = performance.now() + intervalMs;
    this.isShown = true;
    writeTo(stderr, `\r\u001B[K${count} records checked …`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.isShown) writeTo(stderr, '\r\u001B[K');
    this.isShown = false;
  }
}
