/** One session of an agent: its conversation, its turns one after another, and what they used. */

import type { Session } from '../../kernel/guard/session.ts';
import { deadlinesOf } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Message, TurnOrigin } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Scope } from '../../kernel/scope/scope.ts';
import type { AgentInSession } from '../turn/state/agent-in-session.ts';
import { checkChatOptions } from '../options/check-options.ts';
import { compact } from '../turn/steps/compaction.ts';
import { summarise } from '../turn/steps/model-step.ts';
import { type PromptInput, readPrompt } from '../turn/state/prompt-input.ts';
import { type RunningTurn, runTurn } from '../turn/run-turn.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import { SessionSaver } from '../saved-sessions/session-saver.ts';
import type { SessionStore } from '../saved-sessions/session-store.ts';
import { type OutputSchema, createSchemaCheck } from '../turn/state/structured-output.ts';
import type { TurnResult } from '../turn/state/turn-result.ts';
import { TurnStream } from './turn-stream.ts';
import { TurnWork } from '../turn/state/turn-work.ts';
import type { SessionUsage, UsageReport } from './session-usage.ts';

export interface ChatOptions<Data = unknown> {
  /** The answer must be JSON that fits this Standard Schema or JSON Schema; it is then in `data`. */
  readonly schema?: OutputSchema<Data> | undefined;
  /** Cancels the turn when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What a session is made of. */
export interface AgentSessionParts {
  readonly session: Session;
  readonly agent: AgentInSession;
  readonly sessionUsage: SessionUsage;
  readonly store: SessionStore | undefined;
  readonly agentName: string;
  /** Called once the session has ended. */
  readonly onEnd: () => void;
}

interface QueuedTurn {
  readonly options: ChatOptions;
  readonly origin: TurnOrigin;
  /** Set when the turn is dropped before it began. */
  cancelled: boolean;
  running?: RunningTurn;
}

export class AgentSession {
  private readonly session: Session;
  private readonly agent: AgentInSession;
  private tail: Promise<unknown> = Promise.resolve();
  private running: Pick<RunningTurn, 'cancel'> | undefined;
  private stopping: Promise<void> | undefined;
  /** How many messages there were before the turn that runs now. */
  private messagesBeforeTurn = 0;
  private readonly saver: SessionSaver | undefined;

  constructor(private readonly parts: AgentSessionParts) {
    this.session = parts.session;
    this.agent = parts.agent;
    this.saver = this.createSaver(parts.store);
    const { saver } = this;
    if (saver !== undefined) parts.sessionUsage.onCheckpoint = () => saver.checkpoint(this.messagesBeforeTurn);
  }

  get id(): string {
    return this.session.id;
  }

  /** State that lives as long as the session. */
  get scope(): Scope {
    return this.session.scope;
  }

  /** The conversation, as the model is sent it. */
  get history(): readonly Message[] {
    return Object.freeze(this.agent.own.history.snapshot()) as readonly unknown[] as readonly Message[];
  }

  /** Tokens and cost so far, in total and for each agent. */
  get usage(): UsageReport {
    return this.parts.sessionUsage.report();
  }

  /** Asks the agent and waits for what comes of it. Turns of a session run one after another. */
  chat<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = {}): Promise<TurnResult<Data>> {
    return this.enqueue<Data>(prompt, { options, origin: 'user', cancelled: false });
  }

  /** {@link chat}, to be watched while it happens. */
  stream<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = {}): TurnStream<Data> {
    const queued: QueuedTurn = { options, origin: 'user', cancelled: false };
    return new TurnStream(
      (push) => this.enqueue<Data>(prompt, queued, () => this.watch(push)),
      () => this.cancelQueued(queued),
    );
  }

  /** A prompt from something that is not a person. */
  send(prompt: PromptInput, origin: TurnOrigin): Promise<TurnResult> {
    return this.enqueue(prompt, { options: {}, origin, cancelled: false });
  }

  /** Cancels the turn that runs now; twice is once. */
  cancel(): void {
    this.running?.cancel();
  }

  /** Makes the conversation shorter now; tells how many messages were summarised. */
  compact(): Promise<number> {
    return this.runInOrder(async () => {
      this.agent.tracker.budget.startTurn();
      const turn = this.agent.own.newTurn('user');
      this.running = turn;
      const request = {
        prompt: { text: '', media: [] },
        origin: 'user',
        schema: undefined,
        signal: undefined,
      } as const;
      try {
        return await compact(new TurnWork(this.agent, turn, request), summarise);
      } finally {
        this.running = undefined;
        turn.end();
        await this.saver?.save();
      }
    });
  }

  /** Ends the session: cancels what runs, drops what waits. Twice is once. */
  stop(reason = 'stopped'): Promise<void> {
    this.stopping ??= this.finish(reason);
    return this.stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async finish(reason: string): Promise<void> {
    this.cancel();
    await this.tail;
    if (this.saver?.saveError !== undefined) await this.saver.save();
    try {
      await this.session.end(reason);
    } finally {
      // What hooks have kept since the last turn, at the end of the session too.
      if (this.session.turnCount > 0) await this.saver?.save();
      this.parts.onEnd();
    }
    if (this.saver?.saveError !== undefined) throw this.saver.saveError;
  }

  /** The events of the next turn: what others before it still tell is not among them, nor what comes after its end. */
  private watch(push: (event: BridleEvent) => void): () => void {
    const number = this.session.turnCount + 1;
    let ended = false;
    return this.session.listen((event) => {
      if (ended || (event.turn !== 0 && event.turn < number)) return;
      ended = event.type === 'turn_ended' && event.turn === number;
      push(event);
    });
  }

  private cancelQueued(queued: QueuedTurn): void {
    queued.cancelled = true;
    queued.running?.cancel();
  }

  private async enqueue<Data = JsonValue>(
    prompt: PromptInput,
    queued: QueuedTurn,
    listen?: () => () => void,
  ): Promise<TurnResult<Data>> {
    const { origin, options } = queued;
    checkChatOptions(options);
    const schema =
      options.schema === undefined ? undefined : createSchemaCheck(options.schema, deadlinesOf(this.agent.parts.clock));
    const reading = readPrompt(prompt, this.agent.parts.limits);
    const turn = this.runInOrder(async () => {
      const read = await reading;
      this.checkOpen();
      const forget = listen?.();
      try {
        this.agent.tracker.budget.startTurn();
        this.saver?.startTurn();
        // Hooks and observers may cancel before the turn is at hand.
        this.running = { cancel: () => this.cancelQueued(queued) };
        this.messagesBeforeTurn = this.agent.own.history.length;
        const running = runTurn(this.agent, { prompt: read, origin, schema, signal: options.signal });
        queued.running = running;
        if (queued.cancelled) running.cancel();
        // What fits a schema is what the schema says.
        return (await running.result) as TurnResult<Data>;
      } finally {
        this.running = undefined;
        this.agent.own.caller.reset();
        forget?.();
        await this.saver?.save();
      }
    });
    // A prompt that takes long to read keeps its place, and one that cannot be taken is refused at once.
    turn.catch(() => undefined);
    await reading;
    return turn;
  }

  private checkOpen(): void {
    if (this.stopping !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    // Its turns and their keys would be those of the process that has gone on with it.
    if (this.saver?.conflict !== undefined) throw this.saver.conflict;
  }

  private runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = this.tail.then(() => {
      this.checkOpen();
      return work();
    });
    this.tail = next.catch(() => undefined);
    return next;
  }

  private createSaver(store: SessionStore | undefined): SessionSaver | undefined {
    return (
      store &&
      new SessionSaver({
        store,
        deadlines: deadlinesOf(this.agent.parts.clock),
        snapshot: (messages) => this.snapshotSession(messages),
        onFailure: (message) => this.session.emit(() => ({ type: 'session_unsaved', message })),
      })
    );
  }

  private snapshotSession(messages: number): SavedSession {
    const { session, agent: actor, parts } = this;
    return {
      version: 1,
      id: session.id,
      agent: parts.agentName,
      savedAt: actor.parts.clock.wall(),
      turns: session.turnCount,
      messages: actor.own.history.snapshot().slice(0, messages),
      state: contentsOf(session.scope),
      toolState: contentsOf(session.toolStore),
      counts: { ...actor.tracker.budget.used },
      recent: actor.tracker.budget.recentTimes,
      usage: parts.sessionUsage.report().agents,
      costUnknown: parts.sessionUsage.report().cost === undefined,
    };
  }
}

function contentsOf(scope: Scope): JsonObject {
  return Object.fromEntries(scope.keys().map((key) => [key, scope.get(key) as JsonValue]));
}
