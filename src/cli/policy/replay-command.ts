/** `bridle replay`: decides the calls of a recorded journal again, in constant memory. */

import { closeSync } from 'node:fs';
import type { LoadedPolicy } from '../../policy-files/loaded-policy.ts';
import { replayJournal, type ReplayEvent, type ReplayReport } from '../../policy-files/replay/replay-journal.ts';
import { recordedTools } from '../../policy-files/replay/recorded-tools.ts';
import { callText, countText, effectTones, ruleLabel } from '../command/call-text.ts';
import { paintFor, writeNote } from '../command/command-report.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { journalFileLines, openInput } from '../command/read-input.ts';
import { loadPolicyAlone, type PolicyOptions } from '../command/policy-options.ts';
import { recordLines, type StoreFlags, withStore } from '../command/store-options.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeText, safeJson } from '../../terminal/output/safe-text.ts';

const stdout = 1;

interface ReplayOptions extends PolicyOptions, StoreFlags {
  /** Count calls that can't be compared as changes. */
  readonly strict?: boolean | undefined;
}

interface RecordedLines {
  readonly lines: AsyncIterable<string> | Iterable<string>;
  /** How to refer to a line; lines count from 1. */
  readonly lineName: (line: number) => string;
}

/** Replays a file, stdin (`-`), or by default the journal of the store. */
export async function replayCommand(invocation: Invocation<ReplayOptions>): Promise<number> {
  const { positionals, options, env } = invocation;
  const [journal] = positionals;
  if (journal !== undefined && options.store !== undefined) throw usageError('give a journal or --store, not both');
  const policy = loadPolicyAlone(options, env, recordedTools());
  if (journal === undefined) {
    return withStore(invocation, (store) =>
      replay({ lines: recordLines(store.journal), lineName: (line) => `record ${line - 1}` }, policy, invocation),
    );
  }
  const file = journal === '-' ? 0 : openInput(journal, 'the journal');
  try {
    return await replay({ lines: journalFileLines(file), lineName: String }, policy, invocation);
  } finally {
    closeSync(file);
  }
}

/** Writes each result as soon as it is known. */
async function replay(
  { lines, lineName }: RecordedLines,
  policy: LoadedPolicy,
  invocation: Invocation<ReplayOptions>,
): Promise<ExitCode> {
  const { json = false, strict = false } = invocation.options;
  const paint = paintFor(invocation);
  let code: ExitCode = exitCodes.ok;
  for await (const event of replayJournal(lines, policy)) {
    const text = json ? safeJson(event) : eventLines(event, paint, lineName).join('\n');
    if (!writeTo(stdout, `${text}\n`)) return exitCodes.brokenPipe;
    if (event.type !== 'report') continue;
    code = codeOf(event.report, strict);
    if (event.report.compared === 0) writeNote(nothingCompared(event.report));
  }
  return code;
}

function codeOf(report: ReplayReport, strict: boolean): ExitCode {
  const { compared, stricter, looser, cannotTell, damaged, broken } = report;
  if (damaged + broken > 0) return exitCodes.usage;
  if (stricter + looser > 0 || (strict && cannotTell > 0)) return exitCodes.negative;
  // No calls compared is not the same as no changes.
  return compared === 0 ? exitCodes.usage : exitCodes.ok;
}

function nothingCompared({ cannotTell, damaged, broken, leftOut }: ReplayReport): string {
  const others = cannotTell + damaged + broken + leftOut.hook + leftOut.unreadable + leftOut.otherwise;
  return others === 0 ? 'no calls compared: the journal has no calls' : 'no calls compared';
}

function eventLines(event: ReplayEvent, paint: Paint, lineName: RecordedLines['lineName']): readonly string[] {
  switch (event.type) {
    case 'flip': {
      const now = paint(effectTones[event.now], event.now);
      const reason = event.reason === undefined ? '' : `: ${safeText(event.reason)}`;
      return [
        `${lineName(event.line)}: ${event.change}  ${event.was} → ${now}  ${callText(event)}`,
        `    was by ${ruleLabel(event.before)}, now by ${ruleLabel(event.rule)}${reason}`,
      ];
    }
    case 'cannot tell':
      return [
        `${lineName(event.line)}: not comparable  was ${event.was}  ${callText(event)}`,
        `    ${safeText(event.why)}`,
      ];
    case 'damaged':
    case 'broken':
      return [`${lineName(event.line)}: ${paint('bad', event.type)}: ${safeText(event.problem)}`];
    case 'report':
      return reportLines(event.report, paint);
    default:
      return event satisfies never;
  }
}

function reportLines(report: ReplayReport, paint: Paint): readonly string[] {
  const { compared, same, stricter, looser, cannotTell, damaged, broken, leftOut, rules } = report;
  const left = leftOut.hook + leftOut.unreadable + leftOut.otherwise;
  return [
    `${countText(compared, 'call')} compared: ${same} unchanged, ${stricter} stricter, ${looser} looser, ${cannotTell} not comparable`,
    ...(left === 0 ? [] : [`${left} skipped: decided by hooks, or not readable`]),
    ...(damaged + broken === 0
      ? []
      : [paint('bad', `${countText(damaged, 'damaged line')}, ${countText(broken, 'break')} in the hash chain`)]),
    ...rules.map(({ hits, file, at, name, effect, target }) => {
      const line = `${String(hits).padStart(8)}  ${safeText(file)}:${at.line}  ${safeText(name ?? `${effect} ${target}`)}`;
      return hits === 0 ? paint('warn', `${line}  (never used)`) : line;
    }),
  ];
}
