/** Formats journal records. Their contents are untrusted text: control characters are escaped. */

import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { JournalRecord } from '../../journal/hash-chain.ts';
import { cutText, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';

const maxValueLength = 300;

const tones: Readonly<Record<string, Tone>> = {
  allowed: 'good',
  approved: 'good',
  ok: 'good',
  recovered: 'good',
  asked: 'warn',
  denied: 'bad',
  refused: 'bad',
  expired: 'bad',
  error: 'bad',
  timeout: 'bad',
  interrupted: 'bad',
};

/** `17  2026-11-15T10:00:00.000Z  decided  denied  run_command {"command_line":"rm x"}`. */
export function recordSummary({ seq, text }: JournalRecord, paint: Paint): string {
  const entry = entryOf(text);
  const { at, kind, status, tool, server, args, result, detail, reason, error, elapsedMs } = entry;
  const shownStatus = oneLine(status);
  const name = server === undefined ? oneLine(tool) : `${oneLine(server)}/${oneLine(tool)}`;
  const parts = [
    String(seq).padStart(6),
    timeText(at),
    hostText(entry),
    oneLine(kind).padEnd(7),
    paint(tones[shownStatus] ?? 'plain', shownStatus.padEnd(9)),
    tool === undefined ? '' : name,
    ...[args, detail, result].filter((each) => each !== undefined).map(oneLine),
    typeof elapsedMs === 'number' ? `(${Math.round(elapsedMs)} ms)` : '',
    ...[reason, error === result ? undefined : error]
      .filter((each) => each !== undefined)
      .map((each) => paint('dim', oneLine(each))),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** For a session of a coding agent, its name and the start of its id: `claude:8226f1a0`. */
function hostText({ session, agent }: JsonObject): string {
  const [name] = /^(?:claude|codex|gemini|copilot|opencode):[^\s]{1,8}/.exec(oneLine(session)) ?? [];
  if (name === undefined) return '';
  const subagents = Array.isArray(agent) ? agent.slice(1).map(oneLine) : [];
  return [name, ...subagents].join('/').padEnd(17);
}

/** As JSON. Unlike an exported line, it contains no control characters. */
export function recordJson({ seq, prev, hash, text }: JournalRecord): string {
  return safeJson({ seq, prev, hash, entry: entryOf(text) });
}

/** The whole record, one field per line; further lines of a value are marked. */
export function recordDetails({ seq, hash, text }: JournalRecord, paint: Paint): readonly string[] {
  const { at, ...fields } = entryOf(text);
  return [
    paint('strong', `record ${seq}`),
    `  hash: ${hash}`,
    `  at: ${timeText(at)}`,
    ...Object.entries(fields).flatMap(([name, value]) => fieldLines(name, value, '  ')),
  ];
}

function fieldLines(name: string, value: JsonValue, indent: string): readonly string[] {
  const shown = makeVisible(/^[\p{L}\p{N}_.$-]+$/u.test(name) ? name : JSON.stringify(name));
  if (value !== null && isJsonObject(value)) {
    const inside = Object.entries(value).flatMap(([each, below]) => fieldLines(each, below, `${indent}  `));
    return [`${indent}${shown}:${inside.length === 0 ? ' {}' : ''}`, ...inside];
  }
  const text = typeof value === 'string' ? makeVisible(value) : showData(value);
  return [`${indent}${shown}: ${text.replaceAll('\n', `\n${indent}  │ `)}`];
}

function showData(value: JsonValue): string {
  const isSmall = !Array.isArray(value) || value.every((each) => typeof each !== 'object' || each === null);
  return JSON.stringify(value, undefined, isSmall ? 0 : 2)
    .split('\n')
    .map(makeVisible)
    .join('\n');
}

/** Parses an entry; invalid text becomes an entry that says so. */
function entryOf(text: string): JsonObject {
  const bare = { kind: 'not an entry', text };
  try {
    const entry = JSON.parse(text) as JsonValue;
    return entry !== null && isJsonObject(entry) ? entry : bare;
  } catch {
    return bare;
  }
}

function oneLine(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return cutText(makeVisible(text).replaceAll('\n', ' '), maxValueLength);
}

function timeText(at: JsonValue | undefined): string {
  const time = new Date(typeof at === 'number' ? at : Number.NaN);
  return Number.isNaN(time.getTime()) ? oneLine(at ?? 'unknown time') : time.toISOString();
}
