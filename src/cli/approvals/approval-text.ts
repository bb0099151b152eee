/** Formats approvals: one line for a list, everything before an answer. Record contents are untrusted text. */

import { cutText } from '../../kernel/json.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { ApprovalRecord, ApprovalState } from '../../approvals/signing/approval-record.ts';
import { callLines, fullArgLines, isCut, questionText } from '../../terminal/output/call-card.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

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
/** Characters of an id: enough to be unique, few enough to type. */
const shownIdLength = 8;

/** `1f3c2a9e  pending   run_command npm test  9 min left  (main, session s1)`. */
export function approvalLine(record: ApprovalRecord, now: number, paint: Paint): string {
  const { id, state, shown, run, session, agent } = record;
  const whose = run === undefined ? `session ${session}` : `run ${run}`;
  return [
    paint('strong', safeText(id.slice(0, shownIdLength))),
    paint(tones[state] ?? 'plain', safeText(state).padEnd(9)),
    cutText(toOneLine(shown.text), maxCallLength),
    deadlineText(record, now),
    paint('dim', `(${toOneLine([...agent, whose].join(', '))})`),
  ].join('  ');
}

/** Everything about an approval, with every argument in full. */
export function approvalCard(record: ApprovalRecord, now: number, paint: Paint): readonly string[] {
  const { id, state, shown, questions, proposal, answerers, session, run, agent, asker, policyVersion, digest } =
    record;
  return [
    `approval ${safeText(id)}  ${paint(tones[state] ?? 'plain', safeText(state))}  ${deadlineText(record, now)}`,
    ...callLines(shown, paint),
    ...(isCut(shown) ? [paint('strong', 'in full:'), ...fullArgLines(shown, paint)] : []),
    ...questions.map((question) => fieldLine('question', questionText(question))),
    ...(proposal === undefined
      ? []
      : [fieldLine('proposes', `${safeText(proposal)}  ${paint('dim', '(--remember … --rule)')}`)]),
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
function deadlineText({ state, expiresAt, changes }: ApprovalRecord, now: number): string {
  if (state !== 'pending') return `at ${timeText(changes.at(-1)?.at ?? 0)}`;
  return expiresAt <= now ? 'expired' : `${durationText(expiresAt - now)} left`;
}

function durationText(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ] as const;
  const unit = units.find(([, size]) => ms >= 2 * size);
  return unit === undefined ? `${Math.ceil(ms / 1000)} s` : `${Math.floor(ms / unit[1])} ${unit[0]}`;
}

function timeText(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? 'unknown time' : time.toISOString();
}
