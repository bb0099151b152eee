/**
 * The log of a run: every answer of the model, every call that begins and every result is a step in the store, together
 * with what the run needs to go on from there. Subagents' turns are part of it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { RunClaim } from '../../store/runs/run-record.ts';
import { callKey } from '../../store/store-approver.ts';
import type { ModelMessage } from '../model-messages.ts';
import type { SavedSession } from '../saved-session.ts';
import type { TurnPlace } from '../../guard/turn.ts';
import { checkpointProblem } from '../turn-checkpoint.ts';
import type { CheckpointKind, LoggedTurn, TurnCheckpoint, TurnLog } from '../turn-log.ts';

const runVersion = 1;

/** The session of a run without its conversation, which is kept message by message. */
export type RunSession = Omit<SavedSession, 'messages'>;

/** What a run needs to go on. Frames are turns: the run's own is '', a subagent's has the calls that lead to it. */
interface RunState {
  readonly version: typeof runVersion;
  readonly session: RunSession;
  readonly frames: Readonly<Record<string, TurnCheckpoint>>;
}

/** What a step adds to the conversation of its frame: from this message on, these. */
interface StepValue {
  readonly frame: string;
  readonly from: number;
  readonly messages: readonly ModelMessage[];
}

/** A run as another process left it. */
export interface KeptRun {
  readonly session: RunSession;
  readonly frames: ReadonlyMap<string, TurnCheckpoint>;
  readonly messages: ReadonlyMap<string, readonly ModelMessage[]>;
}

/** What was kept of a run; nothing if it had not begun. Another version, or another session, is refused. */
export async function loadRun(claim: RunClaim): Promise<KeptRun | undefined> {
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
  for (const { value } of await claim.steps()) {
    const { frame, from, messages: added } = value as unknown as StepValue;
    const kept = messages.get(frame)?.slice(0, from) ?? [];
    messages.set(frame, [...kept, ...added]);
  }
  const turns = Object.entries(frames as unknown as RunState['frames']);
  return { session: saved, frames: new Map(turns), messages };
}

interface RunLogParts {
  readonly claim: RunClaim;
  readonly kept: KeptRun | undefined;
  /** What the session has counted and its scopes hold now. */
  readonly session: () => RunSession;
  /** How long a store that cannot be written is tried again. */
  readonly patienceMs: number;
}

/** Why a run stopped before its end, where it did not do so by itself. */
export type LetGo = { readonly type: 'released' } | { readonly type: 'failed'; readonly error: unknown };

export class RunLog {
  private readonly frames: Map<string, TurnCheckpoint>;
  private tail: Promise<void> = Promise.resolve();
  private readonly going = new Set<string>();
  private releasing = false;
  /** Set once the run does no more here. */
  letGo: LetGo | undefined;
  readonly root: TurnLog;

  constructor(private readonly parts: RunLogParts) {
    this.frames = new Map(parts.kept?.frames);
    this.root = new FrameLog(this, '');
  }

  get kept(): KeptRun | undefined {
    return this.parts.kept;
  }

  /** Lets the run stop after the step that is being taken. */
  release(): void {
    this.releasing = true;
  }

  /** True for a call that goes on where another process had left it. */
  goesOn(call: string): boolean {
    return this.going.has(call);
  }

  goOn(calls: readonly string[]): void {
    for (const call of calls) this.going.add(call);
  }

  async keep(
    path: string,
    turn: LoggedTurn,
    step: { readonly kind: CheckpointKind; readonly name: string },
  ): Promise<void> {
    const keeping = this.tail.then(() => this.write(path, turn, step));
    this.tail = keeping.catch(() => undefined);
    await keeping;
    if (this.releasing && step.kind !== 'begun') this.stop(turn, { type: 'released' });
  }

  private async write(
    path: string,
    turn: LoggedTurn,
    { kind, name }: { readonly kind: CheckpointKind; readonly name: string },
  ): Promise<void> {
    if (this.letGo !== undefined) this.stop(turn, this.letGo);
    this.frames.set(path, turn.checkpoint());
    // A subagent's turn is over once the call that started it has a result.
    if (kind === 'settled') this.forget(childPath(path, name));
    const value: StepValue = { frame: path, ...turn.takeChanges() };
    const step = { kind, name: `${path}${turn.place.number}/${turn.place.step}/${kind}/${name}`, value: asJson(value) };
    try {
      await this.patiently(() => this.parts.claim.record(step, this.state()));
    } catch (error) {
      this.stop(turn, { type: 'failed', error });
    }
  }

  private state(): JsonValue {
    const state: RunState = {
      version: runVersion,
      session: this.parts.session(),
      frames: Object.fromEntries(this.frames),
    };
    return asJson(state);
  }

  private forget(path: string): void {
    for (const each of this.frames.keys()) if (each.startsWith(path)) this.frames.delete(each);
  }

  /** A store that is away comes back, or another process takes over: until then it is tried again. */
  private async patiently(record: () => Promise<void>): Promise<void> {
    const until = Date.now() + this.parts.patienceMs;
    for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
      try {
        await record();
        return;
      } catch (error) {
        const passing = error instanceof BridleError && error.code === 'STORE_FAILED';
        if (!passing || Date.now() + pause >= until) throw error;
      }
      await sleep(pause);
    }
  }

  private stop(turn: LoggedTurn, letGo: LetGo): never {
    this.letGo ??= letGo;
    return turn.stop('The run was let go; whoever resumes it goes on from here.');
  }
}

class FrameLog implements TurnLog {
  readonly resumed: TurnCheckpoint | undefined;
  readonly messages: readonly ModelMessage[];

  constructor(
    private readonly log: RunLog,
    private readonly path: string,
  ) {
    this.resumed = log.kept?.frames.get(path);
    this.messages = log.kept?.messages.get(path) ?? [];
  }

  keep(turn: LoggedTurn, kind: CheckpointKind, name = ''): Promise<void> {
    return this.log.keep(this.path, turn, { kind, name });
  }

  child(callId: string): TurnLog {
    return new FrameLog(this.log, childPath(this.path, callId));
  }

  goOn({ number, step }: TurnPlace, callIds: readonly string[]): void {
    this.log.goOn(callIds.map((id) => callKey({ turn: number, step, id })));
  }
}

function childPath(path: string, callId: string): string {
  return `${path}${encodeURIComponent(callId)}/`;
}

/** Everything here was made by this code, out of JSON data. */
function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
