/**
 * Replays a journal against a policy (D09): which decisions would change, and which rules are used. Lines are processed
 * one by one, and only counts are kept. Paths are resolved against the current files.
 */

import type { Effect, RuleRef } from '../../kernel/call.ts';
import type { DecidedEntry } from '../../kernel/records/journal-entry.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { FilePosition } from '../policy-file.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { type RuleEntry, PolicyRules } from '../policy-rules.ts';
import { FirstDecisions, recordedEffect } from './first-decisions.ts';
import { type JournalLine, journalLines } from './journal-lines.ts';
import { ReplayEvaluator } from './replay-evaluator.ts';

/** A recorded call whose decision would change, or for which Bridle cannot tell. */
export interface ReplayedCall {
  readonly line: number;
  /** Its number in the journal, if the line is a chained record. */
  readonly seq?: number | undefined;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly server?: string | undefined;
  readonly args: JsonValue;
  readonly was: Effect;
}

export type ReplayEvent =
  | ({ readonly type: 'flip' } & ReplayedCall & {
        readonly now: Effect;
        readonly change: 'stricter' | 'looser';
        readonly before?: RuleRef | undefined;
        readonly rule?: RuleRef | undefined;
        readonly reason?: string | undefined;
      })
  | ({ readonly type: 'cannot tell'; readonly why: string } & ReplayedCall)
  | { readonly type: 'damaged' | 'broken'; readonly line: number; readonly problem: string }
  /** The last event. */
  | { readonly type: 'report'; readonly report: ReplayReport };

export interface ReplayReport {
  readonly lines: number;
  /** Calls that the policy decided both then and now. */
  readonly compared: number;
  readonly same: number;
  readonly stricter: number;
  readonly looser: number;
  readonly cannotTell: number;
  /** Decisions of hooks, calls that could not be parsed then or now, and refusals for other reasons. */
  readonly leftOut: { readonly hook: number; readonly unreadable: number; readonly otherwise: number };
  /** Lines that are not records, and records that do not continue the hash chain. */
  readonly damaged: number;
  readonly broken: number;
  readonly was: Readonly<Record<Effect, number>>;
  readonly now: Readonly<Record<Effect, number>>;
  readonly rules: readonly ReplayedRule[];
  /** The rules without hits. */
  readonly dead: readonly ReplayedRule[];
}

export interface ReplayedRule {
  readonly file: string;
  readonly at: FilePosition;
  readonly name?: string | undefined;
  readonly effect: RuleRef['effect'];
  readonly target: string;
  readonly shadow: boolean;
  /** The number of calls it decided; for a shadow rule, would have decided. */
  readonly hits: number;
}

/** Replays the lines of an exported journal. The last event is the report. */
export async function* replayJournal(
  lines: AsyncIterable<string> | Iterable<string>,
  policy: LoadedPolicy,
): AsyncGenerator<ReplayEvent, void, undefined> {
  const replay = new Replay(policy);
  for await (const line of journalLines(lines)) {
    const event = await replay.processLine(line);
    if (event !== undefined) yield event;
  }
  yield { type: 'report', report: replay.report() };
}

const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

class Replay {
  private readonly policyRules: PolicyRules;
  private readonly firstDecisions = new FirstDecisions();
  private readonly evaluator: ReplayEvaluator;
  private readonly hits = new Map<RuleEntry, number>();
  private lines = 0;
  private readonly counts = { same: 0, stricter: 0, looser: 0, cannotTell: 0, damaged: 0, broken: 0 };
  private readonly leftOut = { hook: 0, unreadable: 0, otherwise: 0 };
  private readonly was = { allow: 0, ask: 0, deny: 0 };
  private readonly now = { allow: 0, ask: 0, deny: 0 };

  constructor(policy: LoadedPolicy) {
    this.policyRules = new PolicyRules(policy);
    this.evaluator = new ReplayEvaluator(policy);
  }

  async processLine(line: JournalLine): Promise<ReplayEvent | undefined> {
    if (line.type !== 'broken') this.lines++;
    if (line.type !== 'entry') {
      this.counts[line.type]++;
      return line;
    }
    const entry = this.firstDecisions.firstDecision(line.entry);
    if (entry === undefined) return undefined;
    const was = recordedEffect(entry);
    if (was !== 'hook' && was !== 'otherwise') return this.compare(entry, was, line);
    this.leftOut[was]++;
    return undefined;
  }

  report(): ReplayReport {
    const rules = this.policyRules.entries.map((entry): ReplayedRule => {
      const { layer, rule, writtenTarget } = entry;
      const { name, effect, at, shadow = false } = rule;
      const named = name === undefined ? {} : { name };
      const hits = this.hits.get(entry) ?? 0;
      return { file: layer.policyFile.file, at, ...named, effect, target: writtenTarget.text, shadow, hits };
    });
    const { same, stricter, looser } = this.counts;
    return {
      lines: this.lines,
      compared: same + stricter + looser,
      ...this.counts,
      leftOut: { ...this.leftOut },
      was: { ...this.was },
      now: { ...this.now },
      rules,
      dead: rules.filter(({ hits }) => hits === 0),
    };
  }

  private async compare(
    entry: DecidedEntry,
    was: Effect,
    line: Extract<JournalLine, { type: 'entry' }>,
  ): Promise<ReplayEvent | undefined> {
    const redecided = await this.evaluator.decide(entry);
    if (redecided.type === 'unreadable') {
      this.leftOut.unreadable++;
      return undefined;
    }
    const recordedCall = { ...callFields(entry, line), was };
    if (redecided.type === 'cannot tell') {
      this.counts.cannotTell++;
      return { type: 'cannot tell', why: redecided.why, ...recordedCall };
    }
    const { decision, shadows } = redecided;
    const { effect: now, rule, reason } = decision;
    this.was[was]++;
    this.now[now]++;
    for (const each of [decision, ...(decision.additionalQuestions ?? [])]) this.countHit(each.rule);
    for (const shadow of shadows) if (shadow.would !== undefined) this.countHit(shadow.rule);
    const change = now === was ? 'same' : strictness[now] > strictness[was] ? 'stricter' : 'looser';
    this.counts[change]++;
    return change === 'same'
      ? undefined
      : { type: 'flip', ...recordedCall, now, change, before: entry.rule, rule, reason };
  }

  private countHit(ref: RuleRef | undefined): void {
    const entry = this.policyRules.entryOf(ref);
    if (entry !== undefined) this.hits.set(entry, (this.hits.get(entry) ?? 0) + 1);
  }
}

function callFields(
  { session, call, tool, server, args }: DecidedEntry,
  { line, seq }: Extract<JournalLine, { type: 'entry' }>,
): Omit<ReplayedCall, 'was'> {
  return { line, seq, session, call, tool, server, args };
}
