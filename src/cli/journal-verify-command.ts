/** `bridle journal verify`: a store, or an exported file, against its chain and its signatures. */

import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { readRecordLine } from '../journal/chain.ts';
import type { CheckpointKey } from '../journal/checkpoint.ts';
import { ExportCheck, type JournalCheckOptions, type VerifiedJournal } from '../journal/journal-check.ts';
import { type CommandReport, deliver, wantsColours } from './command-report.ts';
import { counted } from './counted.ts';
import { journalExitCodes } from './journal-exit-codes.ts';
import { journalFileLines } from './journal-file.ts';
import { readCount } from './journal-tail-command.ts';
import { openInput } from './open-input.ts';
import type { Paint } from './paint.ts';
import { wrong } from './wrong-use.ts';
import { ProgressLine } from './progress-line.ts';
import { stateHome } from './state-home.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';
import { inset } from './visible-text.ts';

export interface VerifyFlags extends StoreFlags {
  readonly head?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly strict?: boolean | undefined;
}

export async function verifyCommand(run: StoreRun<VerifyFlags>): Promise<number> {
  const { words, options, scene } = run;
  const [file] = words;
  const progress = new ProgressLine(scene.streams);
  const onProgress = (count: number): void => progress.tell(() => `${count} records checked …`);
  try {
    const verified = await (file === undefined ? verifyStore(run, onProgress) : verifyFile(run, file, onProgress));
    progress.clear();
    const colours = wantsColours(scene.env, scene.streams.stdout.isTTY);
    return deliver(reportOf(verified), { json: options.json === true, colours });
  } finally {
    progress.clear();
  }
}

type OnProgress = (count: number) => void;

async function verifyStore(
  { options, scene }: StoreRun<VerifyFlags>,
  onProgress: OnProgress,
): Promise<VerifiedJournal> {
  if (options.from !== undefined) throw wrong('--from is for a file: a store is verified from its beginning');
  const head = readHead(options.head);
  const keys = await givenKeys(options.key);
  return withStore(options, scene.env, ({ journal }) => journal.verify({ head, keys, onProgress }));
}

async function verifyFile(
  { options, scene }: StoreRun<VerifyFlags>,
  path: string,
  onProgress: OnProgress,
): Promise<VerifiedJournal> {
  if (options.store !== undefined) throw wrong('name a file or --store, not both');
  const { knownJournalKeys } = await import('../store/journal/journal-keys.ts');
  const known = knownJournalKeys(join(stateHome(scene.env), 'keys'));
  const check: JournalCheckOptions = {
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
      throw wrong(`nothing was verified: there are no records in ${nameOf(path)}`);
    return verified;
  } finally {
    closeSync(file);
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : JSON.stringify(path);
}

interface FileCheck {
  readonly check: JournalCheckOptions;
  /** The number of the first record. */
  readonly first: number;
  readonly onProgress: OnProgress;
}

function checkLines(lines: Iterable<string>, { check, first, onProgress }: FileCheck): VerifiedJournal {
  let verifier = first === 0 ? new ExportCheck(check) : undefined;
  for (const line of lines) {
    verifier ??= new ExportCheck({ ...check, from: { seq: first, prev: hashBefore(line) } });
    const fault = verifier.line(line);
    if (fault !== undefined) return fault;
    onProgress(verifier.count);
  }
  return (verifier ?? new ExportCheck(check)).finish();
}

/** What came before the first record of a part is for whoever has it. */
function hashBefore(line: string): string {
  const record = readRecordLine(line);
  return 'problem' in record ? '' : record.prev;
}

async function givenKeys(files: readonly string[] = []): Promise<readonly CheckpointKey[]> {
  if (files.length === 0) return [];
  const { readJournalKey } = await import('../store/journal/journal-keys.ts');
  return files.map((file) => readJournalKey(file));
}

/** A hash, or what `bridle journal head` prints. */
function readHead(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = /^(?:\d+ )?([0-9a-f]{64})$/.exec(given.trim())?.[1];
  if (hash !== undefined) return hash;
  throw wrong(
    `--head takes what bridle journal head prints, or the hash in it: 64 hex digits; not ${JSON.stringify(given)}`,
  );
}

function reportOf(verified: VerifiedJournal): CommandReport {
  const code = verified.ok ? journalExitCodes.ok : journalExitCodes.found;
  return { code, data: verified, lines: (paint) => linesOf(verified, paint) };
}

function linesOf(verified: VerifiedJournal, paint: Paint): readonly string[] {
  if (!verified.ok) {
    const fault = `${paint('bad', 'fault')} at record ${verified.at}: ${inset(verified.problem)}`;
    const isStrange = verified.problem.includes('not known here');
    return isStrange
      ? [fault, 'if you know it, give its public key: --key, or a file keys/journal/<name>.pub']
      : [fault];
  }
  const { count, head, checkpoints, signed } = verified;
  const whole = `${paint('good', 'whole')}: ${counted(count, 'record')}, head ${head}`;
  if (count === 0) return [whole];
  if (signed === 0) return [whole, paint('warn', 'nothing is signed: who can write it can have written it anew')];
  const covered = signed === count ? 'every record is' : `the first ${signed} are`;
  return [whole, `${counted(checkpoints, 'checkpoint')}: ${covered} signed`];
}
