/**
 * The log of a run. Every answer of the model, every started call and every result is recorded in the store as a step,
 * together with the state needed to resume from there. The turns of subagents are part of it.
 */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { RunClaim } from '../../store/runs/run-record.ts';
import { callKey } from '../../store/store-approver.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import type { TurnPosition } from '../../kernel/guard/turn.ts';
import type { TurnCall } from '../../kernel/hooks/points/payloads.ts';
import {
  checkpointProblem,
  type CheckpointKind,
  type LoggedTurn,
  type TurnCheckpoint,
  type TurnLog,
} from '../turn/turn-log.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const runVersion = 1;

/** The session of a run without its conversation, which is stored step by step. */
export type RunSession = Omit<SavedSession, 'messages'>;

/**
 * The state needed to resume a run. A frame is a turn: the path of the run's own turn is '', that of a subagent's turn
 * lists the calls that lead to it.
 */
interface SavedRunState {
  readonly version: typeof runVersion;
  /** The segment that recorded it: how often the run had been claimed before. */
  readonly segment: number;
  readonly session: RunSession;
  readonly frames: Readonly<Record<string, TurnCheckpoint>>;
}

/** The changes of a frame's conversation: `messages` replaces everything from index `from`. */
interface StepValue {
  readonly frame: string;
  readonly from: number;
  readonly messages: readonly ModelMessage[];
  /** Tool calls that have ended. Missing in steps of older versions. */
  readonly settled?: readonly TurnCall[] | undefined;
}

/** The saved state of a run. */
export interface SavedRun {
  readonly segment: number;
  readonly session: RunSession;
  readonly frames: ReadonlyMap<string, TurnCheckpoint>;
  readonly messages: ReadonlyMap<string, readonly ModelMessage[]>;
  readonly settled: ReadonlyMap<string, readonly TurnCall[]>;
}

/** Loads the saved state of a run; undefined if it has not started. Throws for another version or session. */
export async function loadRun(claim: RunClaim): Promise<SavedRun | undefined> {
  const state = await claim.state();
  if (state === undefined) return undefined;
  const { id } = claim.run;
  const refuse = (problem: string): never => {
    throw new BridleError('RUN_STATE', `the run "${id}" cannot be resumed: its saved state ${problem}`);
  };
  if (!isJsonObject(state)) return refuse('is not an object');
  const { version, session, frames } = state;
  if (version !== runVersion)
    return refuse(
      `has version ${JSON.stringify(version)}, but this version of Bridle reads only version ${runVersion}`,
    );
  if (!isJsonObject(session ?? null) || !isJsonObject(frames ?? null)) return refuse('is incomplete');
  const saved = session as unknown as RunSession;
  if (saved.id !== id) return refuse(`belongs to the session ${JSON.stringify(saved.id)}`);
  for (const [path, frame] of Object.entries(frames as JsonObject)) {
    const problem = checkpointProblem(frame);
    if (problem !== undefined) return refuse(`at "${path}" ${problem}`);
  }
  const messages = new Map<string, ModelMessage[]>();
  const settled = new Map<string, readonly TurnCall[]>();
  for (const { value } of await claim.steps()) {
    const { frame, from, messages: added, settled: ended = [] } = value as unknown as StepValue;
    settled.set(frame, [...(settled.get(frame) ?? []), ...ended]);
    const unchanged = messages.get(frame)?.slice(0, from) ?? [];
    messages.set(frame, [...unchanged, ...added]);
  }
  const turns = Object.entries(frames as unknown as SavedRunState['frames']);
  return { segment: Number(state['segment']), session: saved, frames: new Map(turns), messages, settled };
}

interface RunLogParts {
  readonly claim: RunClaim;
  readonly saved: SavedRun | undefined;
  /** The current counts and scopes of the session. */
  readonly session: () => RunSession;
  /** How long writes are retried while the store is unavailable. */
  readonly retryMs: number;
}

/** Why a run was stopped from outside before its end. */
export type EarlyStop = { readonly type: 'released' } | { readonly type: 'failed'; readonly error: unknown };

export class RunLog {
  private readonly frames: Map<string, TurnCheckpoint>;
  private tail: Promise<void> = Promise.resolve();
  private readonly continuedCalls = new Set<string>();
  /** The calls that wait for approval. */
  readonly waitingCalls = new Set<string>();
  private countRecords = 0;
  /** The session as it was last recorded. */
  private lastSession: RunSession | undefined;
  private releasing = false;
  /** Set once the run must stop in this process. */
  earlyStop: EarlyStop | undefined;
  readonly root: TurnLog;

  constructor(private readonly parts: RunLogParts) {
    this.frames = new Map(parts.saved?.frames);
    this.root = new RunTurnLog(this, '');
  }

  get saved(): SavedRun | undefined {
    return this.parts.saved;
  }

  /** How many turns were calling the model when the process stopped. Their usage is unknown. */
  get lostModelCalls(): number {
    return [...(this.saved?.frames.values() ?? [])].filter(isAskingModel).length;
  }

  /** Stops the run after the current step. */
  release(): void {
    this.releasing = true;
  }

  /** True for a call that continues where another process left it. */
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
    // A suspended call starts over and its hooks run again, so what they wrote to the scope is not saved.
    const isAsked = kind === 'asked';
    this.frames.set(path, isAsked && before !== undefined ? { ...now, scope: before.scope } : now);
    if (isAsked) this.waitingCalls.add(callKey({ turn: now.place.number, step: now.place.step, id: name }));
    // A subagent's turn has ended once the call that started it has a result.
    if (kind === 'settled') this.removeFrames(childPath(path, turn.position, name));
    const value: StepValue = { frame: path, ...turn.takeChanges() };
    const step = {
      kind,
      name: `${this.parts.claim.run.segment}/${path}${turn.position.number}/${turn.position.step}/${kind}/${name}`,
      value: toJson(value),
    };
    try {
      await this.record(step, isAsked);
    } catch (error) {
      this.stop(turn, { type: 'failed', error });
    }
  }

  /** Records the counts between two steps, so that the cost of a rejected answer is not lost. */
  recordCounts(): Promise<void> {
    const name = `counted/${this.parts.claim.run.segment}/${this.countRecords++}`;
    const value: StepValue = { frame: '', from: Number.MAX_SAFE_INTEGER, messages: [] };
    const counting = this.tail.then(() => this.record({ kind: 'counted', name, value: toJson(value) }, false));
    this.tail = counting.catch(() => undefined);
    return counting;
  }

  private async record(step: Parameters<RunClaim['record']>[0], isAsked: boolean): Promise<void> {
    const { claim, retryMs } = this.parts;
    const session = this.session(isAsked);
    const state: SavedRunState = {
      version: runVersion,
      segment: claim.run.segment,
      session,
      frames: Object.fromEntries(this.frames),
    };
    const stateJson = toJson(state);
    await retryStore(retryMs, () => claim.record(step, stateJson));
    this.lastSession = session;
  }

  /** Leaves out calls in flight that will be repeated, because they are counted again then. */
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
    return turn.stop('The run was released. Resume it to continue.');
  }
}

class RunTurnLog implements TurnLog {
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

  child(position: TurnPosition, callId: string): TurnLog {
    return new RunTurnLog(this.log, childPath(this.path, position, callId));
  }

  continueCalls({ number, step }: TurnPosition, callIds: readonly string[]): void {
    this.log.continueCalls(callIds.map((id) => callKey({ turn: number, step, id })));
  }
}

/** True for a turn that resumes by calling the model. */
function isAskingModel({ steps, calls, pending, results, stopped }: TurnCheckpoint): boolean {
  if (stopped !== null) return false;
  return calls.length === 0 ? steps === 0 : pending.length === results.length;
}

/** The path of a subagent's frame. It includes turn and step, because models may reuse call ids in every answer. */
function childPath(path: string, { number, step }: TurnPosition, callId: string): string {
  return `${path}${number}.${step}.${encodeURIComponent(callId)}/`;
}

/** Safe for the values in this file, which consist of JSON data only. */
function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Retries `work` with backoff while the store is unavailable, for up to `timeoutMs`. */
export async function retryStore<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
    try {
      return await work();
    } catch (error) {
      const isTransient = error instanceof BridleError && error.code === 'STORE_FAILED';
      if (!isTransient || Date.now() + pause >= until) throw error;
    }
    await sleep(pause);
  }
}
