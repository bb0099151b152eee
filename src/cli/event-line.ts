/** What a person is told of an event: one entry for each kind of event that is worth a line. */

import type { RuleRef } from '../call.ts';
import type { BridleEvent } from '../hooks/events.ts';
import type { JsonValue } from '../json.ts';
import type { Tone } from './paint.ts';
import { inset, safeJson } from './visible-text.ts';

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

const longestArgs = 300;
/** What really runs is worth more room. */
const longestEffective = 2000;

const calls: Lines = {
  tool_requested: (event) => ({
    tone: 'strong',
    text: `● ${nameOf(event)} ${argsText(event.args, longestArgs)}`.trimEnd(),
  }),
  tool_asked: (event) => warn(`  ? ${nameOf(event)}: asked: ${event.questions.map(inset).join('; ')}`),
  tool_approved: (event) =>
    good(`  ✓ ${nameOf(event)}: approved by ${inset(event.by)}${event.remembered ? ', remembered' : ''}`),
  tool_denied: (event) => {
    // The engine's own reasons name the tool and the rule.
    const isTold = event.reason.startsWith(`Denied ${nameOf(event)}`);
    return bad(`  ✗ ${isTold ? '' : `${nameOf(event)}: denied${byWhom(event)}: `}${inset(event.reason)}`);
  },
  tool_started: (event) => good(`  ✓ ${nameOf(event)}: allowed${byWhom(event)}`),
  tool_settled: (event) => {
    const took = `${nameOf(event)}: ${event.outcome}, ${duration(event.elapsedMs)}`;
    return event.outcome === 'ok'
      ? dim(`  ${took}`)
      : bad(`  ✗ ${took}${event.error === undefined ? '' : `: ${inset(event.error)}`}`);
  },
  tool_late: (event) => dim(`  ${nameOf(event)} ended after nobody waited for it any more`),
  rule_shadowed: (event) =>
    event.would === undefined && event.problem === undefined
      ? undefined
      : dim(`  ${nameOf(event)}: shadow ${ruleText(event.rule)} ${wouldText(event)}`),
};

const model: Lines = {
  llm_failed: (event) =>
    warn(`! ${inset(event.model)} failed: ${inset(event.error)}${nextText(event.next, event.afterMs)}`),
  llm_rejected: (event) =>
    warn(`! the answer was rejected by hook ${inset(event.hook)}: ${inset(event.reason)}${nextText(event.next, 0)}`),
  compacted: (event) =>
    dim(`[${event.removed} messages summarised: ${event.tokensBefore} → ${event.tokensAfter} tokens]`),
  compaction_skipped: (event) => dim(`[nothing was summarised: ${inset(event.reason)}]`),
  budget_exceeded: (event) => warn(`! the budget ${event.limit} is used up: ${event.used} of ${event.of}`),
};

const rest: Lines = {
  interaction_settled: (event) =>
    event.outcome === 'answered' ? undefined : warn(`  ! the question was ${event.outcome}`),
  subagent_started: (event) => dim(`[subagent ${inset(event.name)} begins]`),
  subagent_ended: (event) => dim(`[subagent ${inset(event.name)} ended: ${inset(event.stopReason)}]`),
  trigger_fired: (event) => dim(`[trigger ${inset(event.trigger)}]`),
  trigger_failed: (event) => warn(`! trigger ${inset(event.trigger)} failed: ${inset(event.message)}`),
  server_status: (event) => dim(`[server ${inset(event.server)}: ${event.status} ${inset(event.message)}]`),
  hook_failed: (event) => warn(`! hook ${inset(event.hook)} failed at ${event.point}: ${inset(event.message)}`),
  journal_failed: (event) => bad(`! the journal failed: ${inset(event.message)}`),
  policy_changed: (event) =>
    warn(
      event.trusted
        ? `! the policy has changed: ${event.files.map(inset).join(', ')}`
        : `! the policy has changed and only tightens: trust it with bridle trust ${event.files.map(inset).join(', ')}`,
    ),
  policy_failed: (event) => warn(`! ${inset(event.message)}`),
  memory_failed: (event) => warn(`! the memory failed: ${inset(event.message)}`),
  session_unsaved: (event) => bad(`! the session is not saved: ${inset(event.message)}`),
  events_dropped: (event) => dim(`[${event.count} events were not shown]`),
};

const lines: Lines = { ...calls, ...model, ...rest };

/** The line for an event, if it gets one; text that is streamed is none. */
export function eventLine(event: BridleEvent): EventLine | undefined {
  const make = lines[event.type] as ((event: BridleEvent) => EventLine | undefined) | undefined;
  return make?.(event);
}

/** For a call that starts with other args than it was requested with. */
export function changedArgsLine(event: EventOf<'tool_started'>): EventLine {
  return warn(`  ! ${nameOf(event)}: runs with ${argsText(event.args, longestEffective) || 'no args'}`);
}

/** `rule safe_confirm (ask)`; from a file, `rule tests (allow, bridle.yaml:14)`. */
function ruleText({ name, effect, at }: RuleRef): string {
  return `rule ${inset(name)} (${effect}${at === undefined ? '' : `, ${inset(at)}`})`;
}

function wouldText({ would, problem }: EventOf<'rule_shadowed'>): string {
  const answer = would === undefined ? 'would not decide' : `would ${would}`;
  return problem === undefined ? answer : `${answer}: ${inset(problem)}`;
}

function byWhom(event: { readonly rule: RuleRef | undefined; readonly hook?: string | undefined }): string {
  if (event.rule !== undefined) return ` by ${ruleText(event.rule)}`;
  return event.hook === undefined ? '' : ` by hook ${inset(event.hook)}`;
}

function nameOf({ server, tool }: { readonly server: string | undefined; readonly tool: string }): string {
  return inset(server === undefined ? tool : `${server}/${tool}`);
}

function argsText(args: JsonValue, longest: number): string {
  const pairs =
    typeof args === 'object' && args !== null && !Array.isArray(args)
      ? Object.entries(args).map(([name, value]) => `${inset(name)}=${safeJson(value)}`)
      : [safeJson(args)];
  const text = pairs.join(' ');
  const missing = text.length - longest;
  return missing <= 0 ? text : `${text.slice(0, longest)}… [${missing} more characters]`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function nextText(next: 'retry' | 'fallback' | 'fail', afterMs: number): string {
  if (next === 'fail') return '';
  if (next === 'fallback') return '; going on with another model';
  return afterMs > 0 ? `; trying again in ${duration(afterMs)}` : '; trying again';
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
