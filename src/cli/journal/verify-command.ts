/** `bridle journal verify`: a store, or an exported file, against its chain and its signatures. */

import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { readRecordLine } from '../../journal/hash-chain.ts';
import type { CheckpointKey } from '../../journal/checkpoint.ts';
import { ExportVerifier, type VerifyJournalOptions, type JournalVerification } from '../../journal/verify-journal.ts';
import { type CommandReport, writeReport, shouldUseColours } from '../output/command-report.ts';
import { countText } from '../output/count-text.ts';
import { journalExitCodes } from '../exit/journal-exit-codes.ts';
import { journalFileLines } from './journal-file.ts';
import { readCount } from './tail-command.ts';
import { openInput } from '../options/open-input.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import { ProgressLine } from '../../terminal/output/progress-line.ts';
import { bridleHome } from '../options/bridle-home.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

export interface VerifyFlags extends StoreFlags {
  readonly head?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly strict?: boolean | undefined;
}

export async function verifyJournalCommand(run: StoreInvocation<VerifyFlags>): Promise<number> {
  const { words, options, scene } = run;
  const [file] = words;
  const progress = new ProgressLine(scene.streams);
  const onProgress = (count: number): void => progress.show(() => `${count} records checked …`);
  try {
    const verified = await (file === undefined ? verifyStore(run, onProgress) : verifyFile(run, file, onProgress));
    progress.clear();
    const colours = shouldUseColours(scene.env, scene.streams.stdout.isTTY);
    return writeReport(reportOf(verified), { json: options.json === true, colours });
  } finally {
    progress.clear();
  }
}

type OnProgress = (count: number) => void;

async function verifyStore(
  { options, scene }: StoreInvocation<VerifyFlags>,
  onProgress: OnProgress,
): Promise<JournalVerification> {
  if (options.from !== undefined) throw usageError('--from is for a file: a store is verified from its beginning');
  const head = readHead(options.head);
  const keys = await givenKeys(options.key);
  return withStore(options, scene.env, ({ journal }) => journal.verify({ head, keys, onProgress }));
}

async function verifyFile(
  { options, scene }: StoreInvocation<VerifyFlags>,
  path: string,
  onProgress: OnProgress,
): Promise<JournalVerification> {
  if (options.store !== undefined) throw usageError('name a file or --store, not both');
  const { knownJournalKeys } = await import('../../store/journal/journal-keys.ts');
  const known = knownJournalKeys(join(bridleHome(scene.env), 'keys'));
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
    // An export whose records are gone is as empty as one that never had any.
    if (verified.ok && verified.count === 0)
      throw usageError(`nothing was verified: there are no records in ${nameOf(path)}`);
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

/** What came before the first record of a part is for whoever has it. */
function hashBefore(line: string): string {
  const record = readRecordLine(line);
  return 'problem' in record ? '' : record.prev;
}

async function givenKeys(files: readonly string[] = []): Promise<readonly CheckpointKey[]> {
  if (files.length === 0) return [];
  const { readJournalKey } = await import('../../store/journal/journal-keys.ts');
  return files.map((file) => readJournalKey(file));
}

/** A hash, or what `bridle journal head` prints. */
function readHead(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = /^(?:\d+ )?([0-9a-f]{64})$/.exec(given.trim())?.[1];
  if (hash !== undefined) return hash;
  throw usageError(
    `--head takes what bridle journal head prints, or the hash in it: 64 hex digits; not ${JSON.stringify(given)}`,
  );
}

function reportOf(verified: JournalVerification): CommandReport {
  const code = verified.ok ? journalExitCodes.ok : journalExitCodes.fault;
  return { code, data: verified, lines: (paint) => linesOf(verified, paint) };
}

function linesOf(verified: JournalVerification, paint: Paint): readonly string[] {
  if (!verified.ok) {
    const fault = `${paint('bad', 'fault')} at record ${verified.at}: ${safeText(verified.problem)}`;
    const isUnknownKey = verified.problem.includes('not known here');
    return isUnknownKey
      ? [fault, 'if you know it, give its public key: --key, or a file keys/journal/<name>.pub']
      : [fault];
  }
  const { count, head, checkpoints, signed } = verified;
  const whole = `${paint('good', 'whole')}: ${countText(count, 'record')}, head ${head}`;
  if (count === 0) return [whole];
  if (signed === 0) return [whole, paint('warn', 'nothing is signed: who can write it can have written it anew')];
  const covered = signed === count ? 'every record is' : `the first ${signed} are`;
  return [whole, `${countText(checkpoints, 'checkpoint')}: ${covered} signed`];
}
