/** Approvals for people: in short for a list, whole before a yes. What stands in a record may be anybody's. */

import { cutText } from '../json.ts';
import { makeVisible } from '../guard/show-call.ts';
import type { ApprovalRecord, ApprovalState } from '../store/approvals/approval-record.ts';
import type { Paint, Tone } from './paint.ts';
import { inset } from './visible-text.ts';

const tones: Readonly<Record<ApprovalState, Tone>> = {
  pending: 'warn',
  approved: 'good',
  used: 'good',
  denied: 'bad',
  expired: 'bad',
  cancelled: 'dim',
  void: 'bad',
};

/** Characters of a call in a list. */
const shortLength = 100;
/** Characters of an id: enough to tell it from others, and to be typed. */
const idLength = 8;

/** `1f3c2a9e  pending   run_command npm test  9 min left  (main, session s1)`. */
export function approvalLine(record: ApprovalRecord, now: number, paint: Paint): string {
  const { id, state, shown, run, session, agent } = record;
  const whose = run === undefined ? `session ${session}` : `run ${run}`;
  return [
    paint('strong', inset(id.slice(0, idLength))),
    paint(tones[state] ?? 'plain', inset(state).padEnd(9)),
    cutText(oneLine(shown.text), shortLength),
    timeOf(record, now),
    paint('dim', `(${oneLine([...agent, whose].join(', '))})`),
  ].join('  ');
}

/** Everything about an approval; every argument uncut. */
export function approvalCard(record: ApprovalRecord, now: number, paint: Paint): readonly string[] {
  const { id, state, questions, proposal, answerers, session, run, agent, asker, policyVersion, digest } = record;
  return [
    `approval ${inset(id)}  ${paint(tones[state] ?? 'plain', inset(state))}  ${timeOf(record, now)}`,
    ...callLines(record, paint),
    ...questions.map(({ text, rule, hook }) => row('asks', `${inset(text)}${askedBy(rule, hook)}`)),
    ...(proposal === undefined
      ? []
      : [row('proposes', `${inset(proposal)}  ${paint('dim', '(--remember … --rule)')}`)]),
    row('answers', answerers === undefined ? 'whoever has a key that is trusted there' : inset(answerers.join(', '))),
    row('agent', inset(agent.join(' > '))),
    row('session', inset(session)),
    ...(run === undefined ? [] : [row('run', inset(run))]),
    row('process', `${asker.pid} on ${inset(asker.host)}`),
    row('policy', inset(policyVersion)),
    row('digest', inset(digest)),
    ...historyLines(record),
  ];
}

/** The whole call, as it was shown to nobody yet. A further line of an argument is set apart. */
function callLines({ shown }: ApprovalRecord, paint: Paint): readonly string[] {
  const isCut = shown.args.some(({ missing }) => missing > 0);
  const text = shown.text.split('\n').map((line) => inset(line));
  if (!isCut) return text.map((line) => paint('strong', line));
  const whole = shown.args.map(({ name, full }) => `  ${inset(name)}: ${inset(full).replaceAll('\n', '\n    │ ')}`);
  return [...text, 'and nothing cut:', ...whole].map((line) => paint('strong', line));
}

function historyLines({ changes, answer }: ApprovalRecord): readonly string[] {
  const lines = changes.map(({ state, at, by }) => row(inset(state), `${timeText(at)} by ${inset(by)}`));
  if (answer === undefined) return lines;
  const { answer: given, from, key, host } = answer;
  const place = `by process ${from.pid} on ${inset(from.host)}${host === undefined ? '' : ', which hosts the agent'}`;
  const signed = `${inset(JSON.stringify(given))}, signed with key ${inset(key)} ${place}`;
  return [...lines, row('answer', signed)];
}

function askedBy(rule: string | undefined, hook: string | undefined): string {
  if (rule !== undefined) return ` — rule ${inset(rule)}`;
  return hook === undefined ? '' : ` — hook ${inset(hook)}`;
}

function row(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}

function oneLine(text: string): string {
  return makeVisible(text.replaceAll(/⟨newline⟩|\s+/g, ' '));
}

/** How long there is to answer, or since when there is nothing to answer. */
function timeOf({ state, expiresAt, changes }: ApprovalRecord, now: number): string {
  if (state !== 'pending') return `since ${timeText(changes.at(-1)?.at ?? 0)}`;
  return expiresAt <= now ? 'its time is over' : `${spanText(expiresAt - now)} left`;
}

function spanText(ms: number): string {
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
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString();
}
