/**
 * The tool calls of one `query()`. A call is decided when Claude Code is about to run it, and settled when it reports the
 * result. Between both, other hooks and prompts of the user may change the call, which is then decided again.
 */

import { replaceOutput } from '../../hosts/claude/replace-output.ts';
import { reasonText } from '../../hosts/reason-text.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import { newId } from '../../kernel/ids.ts';
import { type DecidedCall, type EndedCall, refusalError, refusalText } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import { askUser } from './ask-user.ts';
import { type ClaudeEvent, type ClaudeEvents } from './claude-event.ts';
import type { HookContext, HookPayload, Prompt } from './claude-options.ts';
import { accepts, type ServedCall, textOf, viewOf } from './in-process-tools.ts';

export const frameworkName = 'claude-agent-sdk';

type RunningCall = Extract<DecidedCall, { type: 'runs' }>;

/** What Claude Code is told about a call. */
export type Verdict =
  | { readonly type: 'runs'; readonly runs: readonly RunningCall[]; readonly input: JsonObject; readonly by?: 'user' }
  | { readonly type: 'deferred'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string; readonly stops?: boolean };

/** What the user has answered to a prompt of Claude Code. It does not count for a question of Bridle. */
interface GivenAnswer extends HookContext {
  readonly answer?: FrameworkAnswer | undefined;
}

interface KnownCall {
  readonly event: ClaudeEvent;
  verdict: Verdict;
}

/** Calls that Claude Code has not reported a result of. */
const maxCalls = 1000;
/** How often the user is asked about one call that changes with every answer. */
const maxQuestions = 3;
const changedText =
  'The call ran with other args than those that were decided: a hook outside of the program changed them.';

export class ToolCalls {
  private readonly known = new Map<string, KnownCall>();
  /** The call that waits in each turn: Claude Code keeps only one. */
  private readonly waiting = new Map<string, string>();
  private session: string;
  /** Why no other call runs: Claude Code goes on after an error, even if a hook stops the run. */
  private problem: string | undefined;

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly events: ClaudeEvents,
    private readonly prompt: Prompt | undefined,
  ) {
    this.session = guard.defaultSession;
  }

  /** Decides a call. It never throws. */
  async decide(payload: JsonObject, context: HookContext): Promise<Verdict> {
    let event: ClaudeEvent;
    try {
      event = this.events.read(payload);
      this.session = event.session;
    } catch (error) {
      return refused(error);
    }
    return this.decideEvent(event, context);
  }

  /** Decides a call again, because a hook or a prompt of the user gave it another input. */
  async decideAgain(id: string, input: JsonObject, given: GivenAnswer): Promise<Verdict> {
    const before = this.known.get(id);
    if (before === undefined) return refused('The call is not known.');
    this.drop(id, 'The call was changed after it was decided.');
    try {
      const event = this.events.read({ ...before.event.payload, tool_input: input });
      return await this.decideEvent(event, given);
    } catch (error) {
      return refused(error);
    }
  }

  /** The call with this id, if it may run; or any call of this name and input. */
  find(
    id: string | undefined,
    tool?: unknown,
    input?: JsonValue,
  ): { readonly id: string; readonly input: JsonObject } | undefined {
    for (const [key, { verdict, event }] of this.known) {
      if (verdict.type !== 'runs') continue;
      const isSame = event.payload['tool_name'] === tool && input !== undefined && sameJson(verdict.input, input);
      if (id === undefined ? isSame : key === id) return { id: key, input: verdict.input };
    }
    return undefined;
  }

  /** The call does not run. */
  drop(id: string, reason: string): void {
    const verdict = this.known.get(id)?.verdict;
    this.known.delete(id);
    if (verdict?.type === 'runs') for (const each of verdict.runs) each.abandon(reason);
  }

  /** The turn of an agent is over: Claude Code has refused what it has not run. */
  endTurn(session: string): void {
    for (const [id, { event }] of this.known)
      if (event.session === session && event.payload['agent_id'] === undefined)
        this.drop(id, 'Claude Code did not run the call.');
  }

  /** Decides a call that no hook has reported, for example because hooks are off. */
  async decideUnreported(id: string, call: JsonObject, given: GivenAnswer): Promise<Verdict> {
    try {
      const payload = this.events.payloadOf(this.session, { ...call, tool_use_id: id });
      return await this.decideEvent(this.events.read(payload), given);
    } catch (error) {
      return refused(error);
    }
  }

  /** Runs a call of an in-process tool. */
  async serve({ id = newId(), fullName, args, signal, run }: ServedCall): Promise<EndedCall> {
    if (this.known.get(id)?.event.payload['tool_name'] !== fullName) {
      this.drop(id, 'Claude Code called another tool.');
      const call = { tool_name: fullName, tool_input: args, mcp_server: { name: 'sdk', source: 'sdk' } };
      await this.decideUnreported(id, call, { signal: signal ?? new AbortController().signal });
    }
    const verdict = this.known.get(id)?.verdict ?? refused('The call was not decided.');
    this.known.delete(id);
    const [call] = verdict.type === 'runs' ? verdict.runs : [];
    if (call === undefined) throw refusal('reason' in verdict ? verdict.reason : 'Denied.');
    return call.run((decided, { signal: aborted }) => run(decided, aborted), signal);
  }

  /** Settles a call that ran. Returns what the model gets instead of its result: undefined if nothing changes. */
  async settle(
    { tool_use_id: id, tool_input: input }: HookPayload,
    output: JsonValue,
  ): Promise<{ readonly output: JsonValue | undefined } | undefined> {
    this.checkInput(id, input);
    const view = viewOf(output);
    const changed: unknown[] = [];
    for (const call of this.take(id)) {
      const { result, value } = await call.run(() => view);
      if (result.isError) changed.push(result.text);
      else if (value !== view) changed.push(value);
    }
    return changed.length === 0 ? undefined : { output: replaceOutput(output, textOf(changed.at(-1))) };
  }

  /** Settles a call that failed. Returns what a hook has put in place of the error. */
  async fail({ tool_use_id: id, tool_input: input, error }: HookPayload): Promise<string | undefined> {
    this.checkInput(id, input);
    let text: string | undefined;
    for (const call of this.take(id)) {
      const { result } = await call.run(() => {
        throw new BridleError('TOOL_FAILED', error);
      });
      if (result.text !== error) text = result.text;
    }
    return text;
  }

  /** Throws if a call did not run as it was decided: hooks outside of the options can change it later. */
  private checkInput(id: string, ran: JsonValue = null): void {
    const known = this.known.get(id);
    if (known === undefined) return;
    const { event, verdict } = known;
    if (verdict.type === 'runs' && this.events.isSameCall(event, verdict.input, ran)) return;
    this.drop(id, changedText);
    this.problem = verdict.type === 'runs' ? changedText : 'The call ran although it was refused.';
    throw refusal(this.problem);
  }

  private take(id: string): readonly RunningCall[] {
    const verdict = this.known.get(id)?.verdict;
    this.known.delete(id);
    return verdict?.type === 'runs' ? verdict.runs : [];
  }

  private async decideEvent(event: ClaudeEvent, given: GivenAnswer): Promise<Verdict> {
    const { problem } = this;
    const verdict =
      problem === undefined
        ? await this.verdictOn(event, given).catch(refused)
        : { ...refused(`Bridle stopped the run: ${problem}`), stops: true };
    this.known.set(event.id, { event, verdict });
    if (this.known.size > maxCalls) this.drop(this.known.keys().next().value as string, 'The result was not reported.');
    return verdict;
  }

  private async verdictOn(event: ClaudeEvent, { signal, answer }: GivenAnswer): Promise<Verdict> {
    let decided = await this.decideCalls(event, answer);
    let by: 'user' | undefined;
    for (let asked = 0; 'question' in decided; asked++) {
      const { question, input } = decided;
      const { prompt } = this;
      if (prompt === undefined || question.isSigned) return this.defer(event, question);
      if (asked === maxQuestions) return { type: 'refused', reason: refusalText({ type: 'asks', question }) };
      const given = await askUser(prompt, { event, question, input, signal });
      const edited = given.input === undefined ? undefined : this.events.withInput(event, given.input);
      if (given.input !== undefined && edited?.calls.length !== 1)
        return { type: 'refused', reason: 'The call cannot be edited in this way.' };
      const args = edited?.calls[0]?.request.args as JsonObject | undefined;
      decided = await this.decideCalls(event, given.type === 'approve' ? { ...given, args } : given);
      by = 'user';
      if (given.type === 'deny' && given.stops && decided.type === 'refused') return { ...decided, stops: true };
    }
    return decided.type === 'runs' && by !== undefined ? { ...decided, by } : decided;
  }

  /** Decides all calls of an event. If one does not run, none does. */
  private async decideCalls(
    event: ClaudeEvent,
    answer?: FrameworkAnswer,
  ): Promise<Verdict | { readonly type: 'asks'; readonly question: PausedQuestion; readonly input: JsonObject }> {
    const session = await this.guard.session(frameworkName, event.session);
    const runs: RunningCall[] = [];
    let input = event.payload['tool_input'] as JsonObject;
    for (const { request, toInput } of event.calls) {
      const decided = await session.decide(request, answer);
      const args = decided.type === 'asks' ? decided.question.args : decided.type === 'runs' ? decided.args : undefined;
      if (decided.type === 'runs') runs.push(decided);
      const sent = args === undefined ? input : await this.inputOf(event, { args, requested: request.args, toInput });
      if (decided.type === 'runs' && sent !== undefined) {
        input = sent;
        continue;
      }
      for (const each of runs) each.abandon('Claude Code does not run the call.');
      if (sent === undefined) return refused('Claude Code cannot run this call with the args that a hook changed.');
      return decided.type === 'asks'
        ? { type: 'asks', question: decided.question, input: sent }
        : refused(refusalError(decided as Exclude<DecidedCall, RunningCall>));
    }
    return { type: 'runs', runs, input };
  }

  /** The input that Claude Code gets for decided args; undefined if it cannot express them. */
  private async inputOf(
    event: ClaudeEvent,
    {
      args,
      requested,
      toInput,
    }: { args: JsonObject; requested: unknown; toInput: (args: JsonObject) => JsonValue | undefined },
  ): Promise<JsonObject | undefined> {
    const given = event.payload['tool_input'] as JsonObject;
    if (sameJson(args, requested as JsonValue)) return given;
    // The tool runs with the decided args in any case; Claude Code only shows them, and checks them again.
    if (event.own !== undefined) return (await accepts(event.own, args)) ? args : given;
    const input = event.calls.length === 1 ? (toInput(args) as JsonObject | undefined) : undefined;
    return input !== undefined && this.events.withInput(event, input) !== undefined ? input : undefined;
  }

  /** A question that waits in the store. Claude Code keeps one call of the main agent until the session is resumed. */
  private defer({ id, session, payload }: ClaudeEvent, question: PausedQuestion): Verdict {
    const reason = refusalText({ type: 'asks', question });
    if (!this.guard.hasStore) return { type: 'refused', reason };
    const place = JSON.stringify([session, payload['prompt_id'] ?? null]);
    const other = this.waiting.get(place);
    if (payload['agent_id'] !== undefined || (other !== undefined && other !== id))
      return { type: 'refused', reason: `${reason} Make exactly the same call again after it was approved.` };
    this.waiting.set(place, id);
    return { type: 'deferred', reason };
  }
}

function refusal(reason: string): BridleError {
  return new BridleError('CALL_REFUSED', reason);
}

function refused(problem: unknown): Extract<Verdict, { type: 'refused' }> {
  return { type: 'refused', reason: reasonText(typeof problem === 'string' ? problem : messageOf(problem)) };
}
