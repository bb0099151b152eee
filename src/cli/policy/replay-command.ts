/** `bridle replay`: decides the calls of a recorded journal again, in constant memory. */

import { closeSync } from 'node:fs';
import { recordLine } from '../../journal/hash-chain.ts';
import type { LoadedPolicy } from '../../policy-files/loaded-policy.ts';
import { replayJournal, type ReplayEvent, type ReplayReport } from '../../policy-files/replay/replay-journal.ts';
import { callText, ruleLabel, effectTones } from '../output/call-text.ts';
import type { ReportStyle } from '../output/command-report.ts';
import { countText } from '../output/count-text.ts';
import { journalFileLines } from '../journal/journal-file.ts';
import { openInput } from '../options/open-input.ts';
import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { type PolicyExitCode, policyExitCodes } from '../exit/policy-exit-codes.ts';
import type { StoredJournal } from '../../store/journal/stored-journal.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeText, safeJson } from '../../terminal/output/safe-text.ts';

const stdout = 1;

export interface ReplayStyle extends ReportStyle {
  /** Count calls that can't be compared as changes. */
  readonly strict: boolean;
  /** Writes a note to stderr. */
  readonly note: (text: string) => void;
}

interface RecordedLines {
  readonly lines: AsyncIterable<string> | Iterable<string>;
  /** How to refer to a line; lines count from 1. */
  readonly lineName: (line: number) => string;
}

/** `journal` is a file, or `-` for stdin. */
export async function replayFile(journal: string, policy: LoadedPolicy, style: ReplayStyle): Promise<PolicyExitCode> {
  const file = journal === '-' ? 0 : openInput(journal, 'the journal');
  try {
    return await replay({ lines: journalFileLines(file), lineName: String }, policy, style);
  } finally {
    closeSync(file);
  }
}

/** Replays the journal of a store. */
export function replayStore(journal: StoredJournal, policy: LoadedPolicy, style: ReplayStyle): Promise<PolicyExitCode> {
  return replay({ lines: recordsOf(journal), lineName: (line) => `record ${line - 1}` }, policy, style);
}

async function* recordsOf(journal: StoredJournal): AsyncIterable<string> {
  for await (const record of journal.read()) yield recordLine(record);
}

/** Writes each result as soon as it is known. */
async function replay(
  { lines, lineName }: RecordedLines,
  policy: LoadedPolicy,
  style: ReplayStyle,
): Promise<PolicyExitCode> {
  const paint = paintWith(style.colours);
  let code: PolicyExitCode = policyExitCodes.ok;
  for await (const event of replayJournal(lines, policy)) {
    const text = style.json ? safeJson(event) : eventLines(event, paint, lineName).join('\n');
    if (!writeTo(stdout, `${text}\n`)) return policyExitCodes.brokenPipe;
    if (event.type !== 'report') continue;
    code = codeOf(event.report, style);
    if (event.report.compared === 0) style.note(nothingCompared(event.report));
  }
  return code;
}

function codeOf(report: ReplayReport, { strict }: ReplayStyle): PolicyExitCode {
  const { compared, stricter, looser, cannotTell, damaged, broken } = report;
  if (damaged + broken > 0) return policyExitCodes.invalid;
  if (stricter + looser > 0 || (strict && cannotTell > 0)) return policyExitCodes.findings;
  // No calls compared is not the same as no changes.
  return compared === 0 ? policyExitCodes.invalid : policyExitCodes.ok;
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
