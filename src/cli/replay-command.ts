/** `bridle replay`: a policy over a recorded journal, in constant memory. */

import { closeSync } from 'node:fs';
import { recordLine } from '../journal/chain.ts';
import type { LoadedPolicy } from '../documents/loaded-policy.ts';
import { replayJournal, type ReplayEvent, type ReplayReport } from '../documents/replay/replay-journal.ts';
import { callText, ruleText, tones } from './call-text.ts';
import type { ReportStyle } from './command-report.ts';
import { counted } from './counted.ts';
import { journalFileLines } from './journal-file.ts';
import { openInput } from './open-input.ts';
import { type Paint, paintWith } from './paint.ts';
import { type PolicyExitCode, policyExitCodes } from './policy-exit-codes.ts';
import type { StoredJournal } from '../store/journal/stored-journal.ts';
import { writeTo } from './sync-io.ts';
import { inset, safeJson } from './visible-text.ts';

const stdout = 1;

export interface ReplayStyle extends ReportStyle {
  /** True: what cannot be told counts as a flip. */
  readonly strict: boolean;
  /** Tells the person something that is no answer. */
  readonly note: (text: string) => void;
}

interface Recorded {
  readonly lines: AsyncIterable<string> | Iterable<string>;
  /** What a line is called; they count from 1. */
  readonly place: (line: number) => string;
}

/** `journal` is a file, or `-` for stdin. */
export async function replayFile(journal: string, policy: LoadedPolicy, style: ReplayStyle): Promise<PolicyExitCode> {
  const file = journal === '-' ? 0 : openInput(journal, 'the journal');
  try {
    return await replay({ lines: journalFileLines(file), place: String }, policy, style);
  } finally {
    closeSync(file);
  }
}

/** The journal of a store, record by record. */
export function replayStored(
  journal: StoredJournal,
  policy: LoadedPolicy,
  style: ReplayStyle,
): Promise<PolicyExitCode> {
  return replay({ lines: recordsOf(journal), place: (line) => `record ${line - 1}` }, policy, style);
}

async function* recordsOf(journal: StoredJournal): AsyncIterable<string> {
  for await (const record of journal.read()) yield recordLine(record);
}

/** What is found is written at once. */
async function replay({ lines, place }: Recorded, policy: LoadedPolicy, style: ReplayStyle): Promise<PolicyExitCode> {
  const paint = paintWith(style.colours);
  let code: PolicyExitCode = policyExitCodes.ok;
  for await (const event of replayJournal(lines, policy)) {
    const text = style.json ? safeJson(event) : eventLines(event, paint, place).join('\n');
    if (!writeTo(stdout, `${text}\n`)) return policyExitCodes.unread;
    if (event.type !== 'report') continue;
    code = codeOf(event.report, style);
    if (event.report.compared === 0) style.note(nothingCompared(event.report));
  }
  return code;
}

function codeOf(report: ReplayReport, { strict }: ReplayStyle): PolicyExitCode {
  const { compared, stricter, looser, cannotTell, damaged, broken } = report;
  if (damaged + broken > 0) return policyExitCodes.bad;
  if (stricter + looser > 0 || (strict && cannotTell > 0)) return policyExitCodes.found;
  // Without a call to compare, it is not known whether anything changes.
  return compared === 0 ? policyExitCodes.bad : policyExitCodes.ok;
}

function nothingCompared({ cannotTell, damaged, broken, leftOut }: ReplayReport): string {
  const others = cannotTell + damaged + broken + leftOut.hook + leftOut.unreadable + leftOut.otherwise;
  return others === 0 ? 'nothing was compared: there are no calls in the journal' : 'nothing was compared';
}

function eventLines(event: ReplayEvent, paint: Paint, place: Recorded['place']): readonly string[] {
  switch (event.type) {
    case 'flip': {
      const now = paint(tones[event.now], event.now);
      const reason = event.reason === undefined ? '' : `: ${inset(event.reason)}`;
      return [
        `${place(event.line)}: ${event.change}  ${event.was} → ${now}  ${callText(event)}`,
        `    was by ${ruleText(event.before)}, now by ${ruleText(event.rule)}${reason}`,
      ];
    }
    case 'cannot tell':
      return [`${place(event.line)}: cannot tell  was ${event.was}  ${callText(event)}`, `    ${inset(event.why)}`];
    case 'damaged':
    case 'broken':
      return [`${place(event.line)}: ${paint('bad', event.type)}: ${inset(event.problem)}`];
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
    `${counted(compared, 'call')} compared: ${same} the same, ${stricter} stricter, ${looser} looser, ${cannotTell} cannot be told`,
    ...(left === 0 ? [] : [`${left} left out: decided by hooks, or not readable`]),
    ...(damaged + broken === 0
      ? []
      : [paint('bad', `${counted(damaged, 'line')} no record, ${broken} not after the one before`)]),
    ...rules.map(({ hits, file, at, name, effect, target }) => {
      const line = `${String(hits).padStart(8)}  ${inset(file)}:${at.line}  ${inset(name ?? `${effect} ${target}`)}`;
      return hits === 0 ? paint('warn', `${line}  (dead)`) : line;
    }),
  ];
}
