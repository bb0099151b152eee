/** Formats events for people: one entry for each event type that gets a line. */

import type { RuleRef } from '../../kernel/call.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Tone } from '../output/paint.ts';
import { safeText } from '../output/safe-text.ts';
import { argsText, durationText } from './call-line.ts';

export interface EventLine {
  readonly tone: Tone;
  readonly text: string;
}

type EventType = BridleEvent['type'];
type EventOf<T extends EventType, E = BridleEvent> = E extends { readonly type: infer U }
  ? T extends U
    ? E
    : never
  : never;
type Lines = { readonly [T in EventType]?: (event: EventOf<T>) => EventLine | undefined };

const maxArgsLength = 300;
/** Changed args are what really runs, so more of them is shown. */
const maxChangedArgsLength = 2000;

const callLines: Lines = {
  tool_requested: (event) => ({
    tone: 'strong',
    text: `● ${nameOf(event)} ${argsText(event.args, maxArgsLength)}`.trimEnd(),
  }),
  tool_asked: (event) => warn(`  ? ${nameOf(event)}: asked: ${event.questions.map(safeText).join('; ')}`),
  tool_approved: (event) =>
    good(`  ✓ ${nameOf(event)}: approved by ${safeText(event.by)}${event.remembered ? ', remembered' : ''}`),
  tool_denied: (event) => {
    // The policy engine's reasons already name the tool and the rule.
    const isComplete = event.reason.startsWith(`Denied ${nameOf(event)}`);
    return bad(`  ✗ ${isComplete ? '' : `${nameOf(event)}: denied${deciderText(event)}: `}${safeText(event.reason)}`);
  },
  tool_started: (event) => {
    // A rule that asks allows nothing: the line before says who approved the call.
    const how = event.rule?.effect === 'ask' ? 'asked' : 'allowed';
    return good(`  ✓ ${nameOf(event)}: ${how}${deciderText(event)}${how === 'asked' ? ', and approved' : ''}`);
  },
  tool_settled: (event) => {
    const took = `${nameOf(event)}: ${event.outcome}, ${durationText(event.elapsedMs)}`;
    return event.outcome === 'ok'
      ? dim(`  ${took}`)
      : bad(`  ✗ ${took}${event.error === undefined ? '' : `: ${safeText(event.error)}`}`);
  },
  tool_late: (event) => dim(`  ${nameOf(event)} finished after its timeout or cancellation`),
  rule_shadowed: (event) =>
    event.would === undefined && event.problem === undefined
      ? undefined
      : dim(`  ${nameOf(event)}: shadow ${ruleText(event.rule)} ${wouldText(event)}`),
};

const modelLines: Lines = {
  llm_failed: (event) =>
    warn(`! ${safeText(event.model)} failed: ${safeText(event.error)}${nextText(event.next, event.afterMs)}`),
  llm_rejected: (event) =>
    warn(
      `! the answer was rejected by hook ${safeText(event.hook)}: ${safeText(event.reason)}${nextText(event.next, 0)}`,
    ),
  compacted: (event) =>
    dim(`[${event.removed} messages summarised: ${event.tokensBefore} → ${event.tokensAfter} tokens]`),
  compaction_skipped: (event) => dim(`[compaction skipped: ${safeText(event.reason)}]`),
  budget_exceeded: (event) => warn(`! budget ${event.limit} used up: ${event.used} of ${event.of}`),
};

const otherLines: Lines = {
  interaction_settled: (event) =>
    event.outcome === 'answered' ? undefined : warn(`  ! the question was ${event.outcome}`),
  subagent_started: (event) => dim(`[subagent ${safeText(event.name)} started]`),
  subagent_ended: (event) => dim(`[subagent ${safeText(event.name)} ended: ${safeText(event.stopReason)}]`),
  trigger_fired: (event) => dim(`[trigger ${safeText(event.trigger)}]`),
  trigger_failed: (event) => warn(`! trigger ${safeText(event.trigger)} failed: ${safeText(event.message)}`),
  server_status: (event) => dim(`[server ${safeText(event.server)}: ${event.status} ${safeText(event.message)}]`),
  hook_failed: (event) => warn(`! hook ${safeText(event.hook)} failed at ${event.point}: ${safeText(event.message)}`),
  journal_failed: (event) => bad(`! the journal failed: ${safeText(event.message)}`),
  policy_changed: (event) =>
    warn(
      event.trusted
        ? `! the policy has changed: ${event.files.map(safeText).join(', ')}`
        : `! the policy has changed and is not trusted, so it can deny or ask more, but not allow more (to trust it: npx bridle trust ${event.files.map(safeText).join(', ')})`,
    ),
  policy_failed: (event) => warn(`! ${safeText(event.message)}`),
  memory_failed: (event) => warn(`! the memory failed: ${safeText(event.message)}`),
  session_unsaved: (event) => bad(`! the session could not be saved: ${safeText(event.message)}`),
  events_dropped: (event) => dim(`[${event.count} events not shown]`),
};

const lines: Lines = { ...callLines, ...modelLines, ...otherLines };

/** The line for an event; undefined if it gets none, like streamed text. */
export function eventLine(event: BridleEvent): EventLine | undefined {
  const make = lines[event.type] as ((event: BridleEvent) => EventLine | undefined) | undefined;
  return make?.(event);
}

/** For a call that runs with other args than the model requested. */
export function changedArgsLine(event: EventOf<'tool_started'>): EventLine {
  return warn(`  ! ${nameOf(event)}: runs with ${argsText(event.args, maxChangedArgsLength) || 'no args'}`);
}

/** `rule safe_confirm (ask)`; from a file, `rule tests (allow, bridle.yaml:14)`. */
function ruleText({ name, effect, at }: RuleRef): string {
  return `rule ${safeText(name)} (${effect}${at === undefined ? '' : `, ${safeText(at)}`})`;
}

function wouldText({ would, problem }: EventOf<'rule_shadowed'>): string {
  const answer = would === undefined ? 'would not decide' : `would ${would}`;
  return problem === undefined ? answer : `${answer}: ${safeText(problem)}`;
}

function deciderText(event: { readonly rule: RuleRef | undefined; readonly hook?: string | undefined }): string {
  if (event.rule !== undefined) return ` by ${ruleText(event.rule)}`;
  return event.hook === undefined ? '' : ` by hook ${safeText(event.hook)}`;
}

function nameOf({ server, tool }: { readonly server: string | undefined; readonly tool: string }): string {
  return safeText(server === undefined ? tool : `${server}/${tool}`);
}

function nextText(next: 'retry' | 'fallback' | 'fail', afterMs: number): string {
  if (next === 'fail') return '';
  if (next === 'fallback') return '; switching to another model';
  return afterMs > 0 ? `; retrying in ${durationText(afterMs)}` : '; retrying';
}

function dim(text: string): EventLine {
  return { tone: 'dim', text };
}

function good(text: string): EventLine {
  return { tone: 'good', text };
}

function bad(text: string): EventLine {
  return { tone: 'bad', text };
}

function warn(text: string): EventLine {
  return { tone: 'warn', text };
}
