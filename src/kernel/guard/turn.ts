/** A turn. Its scope lives as long as the turn, and all its tool calls go through `guard`. */

import type { CallRequest } from '../call.ts';
import type { ToolView } from '../catalog/catalog.ts';
import { BridleError } from '../errors.ts';
import { type DispatchResult, refusalReasonOf } from '../hooks/dispatch/dispatch-result.ts';
import type { EventBody, TurnEnd } from '../hooks/points/events.ts';
import type { Interaction, TurnOrigin, Prompt, Question } from '../hooks/points/payloads.ts';
import type { ActionAt, PointPayloads, PointName } from '../hooks/points/points.ts';
import { prompt as readPrompt } from '../hooks/points/payload-shapes.ts';
import { Invalid } from '../shapes.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { createScope, type Scope } from '../scope/scope.ts';
import { guardCall, settleReported } from './calls/call-path.ts';
import type { SessionState } from './state/session-state.ts';
import { HookActivity, type TurnState } from './state/hook-activity.ts';
import type { CallResult } from './calls/call-result.ts';
import type { CallOrigin } from './calls/pending-call.ts';
import type { CallOutcome, ToolHost } from './calls/run-tool.ts';

/** The host dispatches these. `enter`: preTurn, `ask`: onInteraction, observers: onEvent, session and call path: the rest. */
const hostPoints = [
  'postTurn',
  'onTurnError',
  'preLlmCall',
  'postLlmCall',
  'onLlmError',
  'preCompaction',
  'postCompaction',
] as const satisfies readonly PointName[];

export type HostPoint = (typeof hostPoints)[number];

export type EnterResult =
  | { readonly type: 'entered'; readonly prompt: Prompt }
  | { readonly type: 'rejected'; readonly reason: string; readonly hook: string | undefined };

/** The number of a turn, and its current step. */
export interface TurnPosition {
  readonly number: number;
  readonly step: number;
}

/** Only a turn itself changes its state. */
type WritableState = { -readonly [K in 'step' | 'isCancelled']: Turn[K] };

export class Turn implements TurnState {
  /** The number of the turn within the session. Turns of subagents count too. */
  readonly number: number;
  /** State that lives as long as this turn. */
  readonly scope: Scope;
  private readonly activity: HookActivity;
  /** The current step: a model call and its tool calls. */
  readonly step: number;
  readonly isCancelled: boolean = false;
  private ended = false;
  private readonly onCancel = new Set<() => void>();
  private controller: AbortController | undefined;

  /** @internal */
  constructor(
    private readonly session: SessionState,
    private readonly origin: TurnOrigin,
    resumed?: TurnPosition,
  ) {
    this.number = resumed?.number ?? session.nextTurn();
    this.step = resumed?.step ?? 0;
    this.scope = createScope(session.scope, session.parts);
    this.activity = new HookActivity(session, this, 'turn');
    this.emit(() => ({ type: 'turn_started', origin }));
  }

  /** Aborted when the turn is cancelled. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.isCancelled) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** Runs one tool call if policy, hooks and approver allow it. Every tool call takes this path. */
  guard(call: CallRequest, host: ToolHost): Promise<CallResult> {
    return this.guardWith((tools) => tools, call, host);
  }

  /** @internal {@link guard}, with another view of the tools: for tools that are declared by wrapping them. */
  async guardWith(view: (tools: ToolView) => ToolView, call: CallRequest, host: ToolHost): Promise<CallResult> {
    this.checkOpen();
    if (!canRun(host)) throw new BridleError('OPTION_INVALID', 'guard(call, host) needs a host with a run method');
    return guardCall(this.callOrigin(view(this.session.parts.visibleTools)), call, host);
  }

  /** Settles a call of this turn that ran in another process: the hooks and the journal get its outcome. */
  settle(call: CallRequest, outcome: Pick<CallOutcome, 'type' | 'value'>): Promise<CallResult> {
    return settleReported(this.callOrigin(this.session.parts.visibleTools), call, outcome);
  }

  /** Passes a prompt through `preTurn`. The returned prompt is the one for the model. */
  async enter(input: string | Prompt, origin: TurnOrigin = this.origin): Promise<EnterResult> {
    this.checkOpen();
    const prompt = readPrompt(typeof input === 'string' ? { text: input } : input, this.session.parts.limits);
    if (prompt instanceof Invalid) return rejected(`The prompt is invalid: ${prompt.textAbout('the prompt')}`);
    if (prompt.text.trim() === '' && prompt.media.length === 0) return rejected('The prompt is empty');
    const result = await this.activity.dispatch('preTurn', Object.freeze({ prompt, origin }));
    if (result.type === 'passed') return { type: 'entered', prompt: result.payload?.prompt ?? prompt };
    return rejected(refusalReasonOf(result), result.hook);
  }

  /** Calls the hooks of a point that the host's loop has reached. */
  dispatch<P extends HostPoint>(
    point: P,
    payload: PointPayloads[P],
  ): MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
    this.checkOpen();
    if (!hostPoints.includes(point)) {
      throw new BridleError(
        'OPTION_INVALID',
        `"${String(point)}" is not a point that a host dispatches; use turn.enter, turn.guard or turn.ask`,
      );
    }
    return this.activity.dispatch(point, payload);
  }

  /** @internal True if this turn belongs to the guard with these tools. */
  belongsTo(allTools: ToolView): boolean {
    return this.session.parts.allTools === allTools;
  }

  /** True if this point has hooks. */
  hasHooks(point: HostPoint): boolean {
    return !this.session.parts.hooks.chains[point].isEmpty;
  }

  /** False if no hook of this point can answer. Then text can be streamed without waiting for the hooks. */
  canAnswer(point: HostPoint): boolean {
    return this.session.parts.hooks.chains[point].canAnswer;
  }

  /** Asks a person through `onInteraction`. */
  async ask(questions: readonly Question[]): Promise<Interaction> {
    this.checkOpen();
    return this.activity.ask(questions);
  }

  /** Begins the next step: another model call within this turn. */
  nextStep(): number {
    return ++(this as WritableState).step;
  }

  /** Emits an event. `make` is called only if there are observers or listeners. */
  emit(make: () => EventBody): void {
    this.activity.emit(make);
  }

  /** Emits a custom event of the host. */
  emitCustom(name: string, data?: unknown): void {
    this.activity.emitCustom(name, data);
  }

  /** Calls `stop` once when the turn is cancelled, immediately if it is already. The returned function unsubscribes. */
  whenCancelled(stop: () => void): () => void {
    if (this.isCancelled) stop();
    else this.onCancel.add(stop);
    return () => void this.onCancel.delete(stop);
  }

  /** Cancels everything that runs in this turn. Calling it again has no effect. */
  cancel(): void {
    if (this.isCancelled) return;
    (this as WritableState).isCancelled = true;
    this.controller?.abort();
    for (const stop of this.onCancel) stop();
    this.onCancel.clear();
  }

  /** Ends the turn and cancels everything that still runs or waits in it. A new turn of the session also ends it. */
  end(how: TurnEnd = {}): void {
    if (this.ended) return;
    this.ended = true;
    if (this.session.currentTurn === this) this.session.currentTurn = undefined;
    this.cancel();
    this.emit(() => ({ type: 'turn_ended', ...how }));
  }

  private callOrigin(tools: ToolView): CallOrigin {
    const { session, number: turn, step } = this;
    const { limits, deadlines, policy } = session.parts;
    const { id, agent, cwd } = session.info;
    const position = { session: id, agent, cwd, turn, step };
    return { session, turn: this, position, catalog: tools, limits, deadlines, policy };
  }

  private checkOpen(): void {
    if (this.ended) throw new BridleError('SESSION_ENDED', `turn ${this.number} has ended`);
  }
}

function rejected(reason: string, hook?: string): EnterResult {
  return { type: 'rejected', reason, hook };
}

function canRun(host: unknown): boolean {
  try {
    return typeof (host as Partial<ToolHost> | undefined)?.run === 'function';
  } catch {
    return false;
  }
}
