/**
 * The log of a run: every answer of the model, every call that begins and every result is a step in the store, together
 * with what the run needs to go on from there. Subagents' turns are part of it.
 */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { RunClaim } from '../../store/runs/run-record.ts';
import { callKey } from '../../store/store-approver.ts';
import type { ModelMessage } from '../model/model-messages.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import type { TurnPosition } from '../../kernel/guard/turn.ts';
import type { TurnCall } from '../../kernel/hooks/points/payloads.ts';
import { checkpointProblem } from '../turn/state/turn-checkpoint.ts';
import type { CheckpointKind, LoggedTurn, TurnCheckpoint, TurnLog } from '../turn/state/turn-log.ts';
import { retryStore } from './retry-store.ts';

const runVersion = 1;

/** The session of a run without its conversation, which is kept message by message. */
export type RunSession = Omit<SavedSession, 'messages'>;

/** What a run needs to go on. Frames are turns: the run's own is '', a subagent's has the calls that lead to it. */
interface RunState {
  readonly version: typeof runVersion;
  /** Who recorded it: how often the run was taken before. */
  readonly segment: number;
  readonly session: RunSession;
  readonly frames: Readonly<Record<string, TurnCheckpoint>>;
}

/** What a step adds to the conversation of its frame: from this message on, these. */
interface StepValue {
  readonly frame: string;
  readonly from: number;
  readonly messages: readonly ModelMessage[];
  /** Tool calls that have ended; missing in steps of older versions. */
  readonly settled?: readonly TurnCall[] | undefined;
}

/** A run as another process left it. */
export interface SavedRun {
  readonly segment: number;
  readonly session: RunSession;
  readonly frames: ReadonlyMap<string, TurnCheckpoint>;
  readonly messages: ReadonlyMap<string, readonly ModelMessage[]>;
  readonly settled: ReadonlyMap<string, readonly TurnCall[]>;
}

/** What was kept of a run; nothing if it had not begun. Another version, or another session, is refused. */
export async function loadRun(claim: RunClaim): Promise<SavedRun | undefined> {
  const state = await claim.state();
  if (state === undefined) return undefined;
  const { id } = claim.run;
  const refuse = (problem: string): never => {
    throw new BridleError('RUN_STATE', `the run "${id}" cannot be resumed: what was kept of it ${problem}`);
  };
  if (!isJsonObject(state)) return refuse('is no object');
  const { version, session, frames } = state;
  if (version !== runVersion) return refuse(`has the version ${JSON.stringify(version)}, and ${runVersion} is known`);
  if (!isJsonObject(session ?? null) || !isJsonObject(frames ?? null)) return refuse('is not whole');
  const saved = session as unknown as RunSession;
  if (saved.id !== id) return refuse(`is that of the session ${JSON.stringify(saved.id)}`);
  for (const [path, frame] of Object.entries(frames as JsonObject)) {
    const problem = checkpointProblem(frame);
    if (problem !== undefined) return refuse(`at "${path}" ${problem}`);
  }
  const messages = new Map<string, ModelMessage[]>();
  const settled = new Map<string, readonly TurnCall[]>();
  for (const { value } of await claim.steps()) {
    const { frame, from, messages: added, settled: ended = [] } = value as unknown as StepValue;
    settled.set(frame, [...(settled.get(frame) ?? []), ...ended]);
    const kept = messages.get(frame)?.slice(0, from) ?? [];
    messages.set(frame, [...kept, ...added]);
  }
  const turns = Object.entries(frames as unknown as RunState['frames']);
  return { segment: Number(state['segment']), session: saved, frames: new Map(turns), messages, settled };
}

interface RunLogParts {
  readonly claim: RunClaim;
  readonly saved: SavedRun | undefined;
  /** What the session has counted and its scopes hold now. */
  readonly session: () => RunSession;
  /** How long a store that cannot be written is tried again. */
  readonly retryMs: number;
}

/** Why a run stopped before its end, where it did not do so by itself. */
export type EarlyStop = { readonly type: 'released' } | { readonly type: 'failed'; readonly error: unknown };

export class RunLog {
  private readonly frames: Map<string, TurnCheckpoint>;
  private tail: Promise<void> = Promise.resolve();
  private readonly continuedCalls = new Set<string>();
  /** The calls that wait for an answer. */
  readonly waitingCalls = new Set<string>();
  private countRecords = 0;
  /** The session as it was last kept. */
  private lastSession: RunSession | undefined;
  private releasing = false;
  /** Set once the run does no more here. */
  earlyStop: EarlyStop | undefined;
  readonly root: TurnLog;

  constructor(private readonly parts: RunLogParts) {
    this.frames = new Map(parts.saved?.frames);
    this.root = new FrameLog(this, '');
  }

  get saved(): SavedRun | undefined {
    return this.parts.saved;
  }

  /** How many turns were asking the model when the run was left: whether they got an answer nobody knows. */
  get lostModelCalls(): number {
    const { saved: kept } = this.parts;
    return [...(kept?.frames.values() ?? [])].filter(isAskingModel).length;
  }

  /** Lets the run stop after the step that is being taken. */
  release(): void {
    this.releasing = true;
  }

  /** True for a call that goes on where another process had left it. */
  isContinued(call: string): boolean {
    return this.continuedCalls.has(call);
  }

  continueCalls(calls: readonly string[]): void {
    for (const call of calls) this.continuedCalls.add(call);
  }

  async saveCheckpoint(
    path: string,
    turn: LoggedTurn,
    step: { readonly kind: CheckpointKind; readonly name: string },
  ): Promise<void> {
    const saving = this.tail.then(() => this.write(path, turn, step));
    this.tail = saving.catch(() => undefined);
    await saving;
    if (this.releasing && step.kind !== 'begun') this.stop(turn, { type: 'released' });
  }

  private async write(
    path: string,
    turn: LoggedTurn,
    { kind, name }: { readonly kind: CheckpointKind; readonly name: string },
  ): Promise<void> {
    if (this.earlyStop !== undefined) this.stop(turn, this.earlyStop);
    const before = this.frames.get(path);
    const now = turn.checkpoint();
    // What hooks wrote about a call that is asked for again they will write again.
    const isAsked = kind === 'asked';
    this.frames.set(path, isAsked && before !== undefined ? { ...now, scope: before.scope } : now);
    if (isAsked) this.waitingCalls.add(callKey({ turn: now.place.number, step: now.place.step, id: name }));
    // A subagent's turn is over once the call that started it has a result.
    if (kind === 'settled') this.removeFrames(childPath(path, turn.place, name));
    const value: StepValue = { frame: path, ...turn.takeChanges() };
    const step = {
      kind,
      name: `${this.parts.claim.run.segment}/${path}${turn.place.number}/${turn.place.step}/${kind}/${name}`,
      value: toJson(value),
    };
    try {
      await this.record(step, isAsked);
    } catch (error) {
      this.stop(turn, { type: 'failed', error });
    }
  }

  /** Keeps what was counted, between two steps: what a rejected answer has cost counts too. */
  recordCounts(): Promise<void> {
    const name = `counted/${this.parts.claim.run.segment}/${this.countRecords++}`;
    const value: StepValue = { frame: '', from: Number.MAX_SAFE_INTEGER, messages: [] };
    const counting = this.tail.then(() => this.record({ kind: 'counted', name, value: toJson(value) }, false));
    this.tail = counting.catch(() => undefined);
    return counting;
  }

  private async record(step: Parameters<RunClaim['record']>[0], isAsked: boolean): Promise<void> {
    const { claim, retryMs: patienceMs } = this.parts;
    const session = this.session(isAsked);
    const state: RunState = {
      version: runVersion,
      segment: claim.run.segment,
      session,
      frames: Object.fromEntries(this.frames),
    };
    const kept = toJson(state);
    await retryStore(patienceMs, () => claim.record(step, kept));
    this.lastSession = session;
  }

  /** Calls in flight that are counted when they are asked for again are not counted now. */
  private session(isAsked: boolean): RunSession {
    const now = this.parts.session();
    const retaken = [...this.frames.values()].reduce((sum, frame) => sum + frame.retaken, 0);
    const counts = { ...now.counts, toolCalls: now.counts.toolCalls - retaken };
    const { state, toolState } = (isAsked ? this.lastSession : undefined) ?? now;
    return { ...now, counts, state, toolState };
  }

  private removeFrames(path: string): void {
    for (const each of this.frames.keys()) if (each.startsWith(path)) this.frames.delete(each);
  }

  private stop(turn: LoggedTurn, earlyStop: EarlyStop): never {
    this.earlyStop ??= earlyStop;
    return turn.stop('The run was let go; whoever resumes it goes on from here.');
  }
}

class FrameLog implements TurnLog {
  readonly resumed: TurnCheckpoint | undefined;
  readonly messages: readonly ModelMessage[];
  readonly settled: readonly TurnCall[];

  constructor(
    private readonly log: RunLog,
    private readonly path: string,
  ) {
    this.resumed = log.saved?.frames.get(path);
    this.messages = this.resumed === undefined ? [] : (log.saved?.messages.get(path) ?? []);
    this.settled = this.resumed === undefined ? [] : (log.saved?.settled.get(path) ?? []);
  }

  saveCheckpoint(turn: LoggedTurn, kind: CheckpointKind, name = ''): Promise<void> {
    return this.log.saveCheckpoint(this.path, turn, { kind, name });
  }

  child(place: TurnPosition, callId: string): TurnLog {
    return new FrameLog(this.log, childPath(this.path, place, callId));
  }

  continueCalls({ number, step }: TurnPosition, callIds: readonly string[]): void {
    this.log.continueCalls(callIds.map((id) => callKey({ turn: number, step, id })));
  }
}

/** True for a turn that goes on by asking the model. */
function isAskingModel({ steps, calls, pending, results, stopped }: TurnCheckpoint): boolean {
  if (stopped !== null) return false;
  return calls.length === 0 ? steps === 0 : pending.length === results.length;
}

/** Models count their calls anew in every answer, so the place of a call belongs to its frame. */
function childPath(path: string, { number, step }: TurnPosition, callId: string): string {
  return `${path}${number}.${step}.${encodeURIComponent(callId)}/`;
}

/** Everything here was made by this code, out of JSON data. */
function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
