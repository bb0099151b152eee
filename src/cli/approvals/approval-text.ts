/** Formats approvals: one line for a list, everything before an answer. Record contents are untrusted text. */

import { cutText } from '../../kernel/json.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { ApprovalRecord, ApprovalState } from '../../approvals/signing/approval-record.ts';
import { processIdentity } from '../../approvals/signing/process-tree.ts';
import { callLines, cardRows, fullArgLines, isCut, placeLines, questionText } from '../../terminal/output/call-card.ts';
import { type FileChange, fileChangeOf } from '../../terminal/output/file-change.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { cutToColumns, textWidth } from '../../terminal/output/text-width.ts';

const tones: Readonly<Record<ApprovalState, Tone>> = {
  pending: 'warn',
  approved: 'good',
  used: 'good',
  denied: 'bad',
  expired: 'bad',
  cancelled: 'dim',
  void: 'bad',
};

/** The most characters of a call shown in a list. */
const maxCallLength = 100;
const minCallColumns = 16;
/** Characters of an id: enough to be unique, few enough to type. */
const shownIdLength = 8;

/** `1f3c2a9e  pending   run_command npm test  9 min left  (main, session s1)`, in one row if the width is given. */
export function approvalLine(record: ApprovalRecord, paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  const { id, state, shown, run, session, agent } = record;
  const whose = run === undefined ? `session ${session}` : `run ${run}`;
  const call = cutText(toOneLine(shown.text), maxCallLength);
  const parts: readonly (readonly [Tone, string])[] = [
    ['strong', safeText(id.slice(0, shownIdLength))],
    [tones[state] ?? 'plain', safeText(state).padEnd(9)],
    ['plain', call],
    ['plain', deadlineText(record)],
    ['dim', `(${toOneLine([...agent, whose].join(', '))})`],
  ];
  // The call leaves room for the deadline; the last part gets what is left.
  const others = parts.slice(0, -1).reduce((sum, [, text]) => sum + textWidth(text) + 2, -2 - textWidth(call));
  let left = columns;
  const shownParts = parts.flatMap(([tone, text]) => {
    const room = Math.min(left, text === call ? Math.max(minCallColumns, columns - others) : left);
    const part = room < 1 ? '' : cutToColumns(text, room);
    left -= textWidth(part) + 2;
    return part === '' ? [] : [paint(tone, part)];
  });
  return shownParts.join('  ');
}

/** Everything about an approval, with every argument in full, in rows of the screen. */
export function approvalCard(record: ApprovalRecord, paint: Paint, columns: number): readonly string[] {
  const { id, state, proposal, answerers, session, run, agent, asker, policyVersion, digest } = record;
  const fields = [
    ...(proposal === undefined ? [] : [fieldLine('proposes', `${safeText(proposal)}  (--remember … --rule)`)]),
    fieldLine(
      'approvers',
      answerers === undefined ? 'anyone whose key the asking machine trusts' : safeText(answerers.join(', ')),
    ),
    fieldLine('agent', safeText(agent.join(' > '))),
    fieldLine('session', safeText(session)),
    ...(run === undefined ? [] : [fieldLine('run', safeText(run))]),
    fieldLine('process', `${asker.pid} on ${safeText(asker.host)}`),
    fieldLine('policy', safeText(policyVersion)),
    fieldLine('digest', safeText(digest)),
    ...historyLines(record),
  ];
  return [
    `approval ${safeText(id)}  ${paint(tones[state] ?? 'plain', safeText(state))}  ${deadlineText(record)}`,
    ...callCard(record, paint, columns),
    ...fields.flatMap((line) => cardRows(line, paint, { columns, tone: 'plain' })),
  ];
}

/** The whole call of an approval, with every argument in full or as a diff of its file, and its questions. */
export function callCard(record: ApprovalRecord, paint: Paint, columns: number): readonly string[] {
  const { shown, questions } = record;
  const asked = questions.map((question) => fieldLine('question', questionText(question)));
  return [
    ...callLines(shown, paint, { change: changeOf(record), columns, isWhole: true }),
    ...(isCut(shown) ? [paint('strong', 'in full:'), ...fullArgLines(shown, paint, { columns })] : []),
    ...asked.flatMap((line) => cardRows(line, paint, { columns, tone: 'plain' })),
  ];
}

/** Computed once: everything that is shown of a call must agree. */
const changes = new WeakMap<ApprovalRecord['shown'], { readonly change: FileChange | undefined }>();

function changeOf(record: ApprovalRecord): FileChange | undefined {
  const known = changes.get(record.shown) ?? { change: readChange(record) };
  changes.set(record.shown, known);
  return known.change;
}

/** Only for a call that waits on this machine: elsewhere, and later, the path may name another file. */
function readChange({ state, asker, tool, server, args, shown }: ApprovalRecord): FileChange | undefined {
  const here = processIdentity();
  const { file_path: given } = args;
  if (state !== 'pending' || asker.host !== here.host || asker.realm !== here.realm) return undefined;
  if (typeof given !== 'string') return undefined;
  const places = placeLines(shown).map((line) => line.trimStart());
  const after = (start: string): string | undefined =>
    places.find((line) => line.startsWith(start))?.slice(start.length);
  const [cwd, path] = [after('in '), after(`${given} resolves to `)];
  // Escaped characters: the text is not the path.
  if ([given, cwd, path].some((each) => each?.includes('⟨'))) return undefined;
  return fileChangeOf({ tool, server, args, cwd, paths: path === undefined ? [] : [{ given, path }] });
}

function historyLines({ changes, answer }: ApprovalRecord): readonly string[] {
  const lines = changes.map(({ state, at, by }) =>
    fieldLine(state === 'pending' ? 'asked' : safeText(state), `at ${timeText(at)} by ${safeText(by)}`),
  );
  if (answer === undefined) return lines;
  const { answer: given, from, key, host } = answer;
  const place = `by process ${from.pid} on ${safeText(from.host)}${host === undefined ? '' : ', which runs the agent'}`;
  const signed = `${safeText(JSON.stringify(given))}, signed with key ${safeText(key)} ${place}`;
  return [...lines, fieldLine('answer', signed)];
}

function fieldLine(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}

function toOneLine(text: string): string {
  return makeVisible(text.replaceAll(/⟨newline⟩|\s+/g, ' '));
}

/** The time left to answer, or when the approval was settled. */
function deadlineText({ state, expiresAt, changes }: ApprovalRecord): string {
  const now = Date.now();
  if (state !== 'pending') return `at ${timeText(changes.at(-1)?.at ?? 0)}`;
  return expiresAt <= now ? 'expired' : `${durationText(expiresAt - now)} left`;
}

function durationText(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['min', 60_000],
  ] as const;
  // Rounded, so that a new question with a limit of a week says 7 days.
  const unit = units.find(([, size]) => Math.round(ms / size) >= 2);
  return unit === undefined ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / unit[1])} ${unit[0]}`;
}

function timeText(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? 'unknown time' : time.toISOString();
}
