/** One session of an agent: its conversation, its turns one after another, and what they used. */

import type { Session } from '../guard/session.ts';
import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { BridleEvent } from '../hooks/events.ts';
import type { Message, Origin } from '../hooks/payloads.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Scope } from '../scope/scope.ts';
import type { Actor } from './actor.ts';
import { checkChatOptions } from './check-options.ts';
import { compact } from './compaction.ts';
import { summarise } from './model-step.ts';
import { type PromptInput, readPrompt } from './prompt-input.ts';
import { type RunningTurn, runTurn } from './run-turn.ts';
import type { SavedSession } from './saved-session.ts';
import { SessionSaver } from './session-saver.ts';
import type { SessionStore } from './session-store.ts';
import { type OutputSchema, schemaCheck } from './structured-output.ts';
import type { TurnResult } from './turn-result.ts';
import { TurnStream } from './turn-stream.ts';
import { TurnWork } from './turn-work.ts';
import type { UsageBook, UsageReport } from './usage-book.ts';

export interface ChatOptions<Data = unknown> {
  /** The answer must be JSON that fits this Standard Schema or JSON Schema; it is then in `data`. */
  readonly schema?: OutputSchema<Data> | undefined;
  /** Cancels the turn when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What a session is made of. */
export interface SessionParts {
  readonly session: Session;
  readonly actor: Actor;
  readonly book: UsageBook;
  readonly store: SessionStore | undefined;
  readonly agentName: string;
  /** Called once the session has ended. */
  readonly onEnd: () => void;
}

interface Order {
  readonly options: ChatOptions;
  readonly origin: Origin;
  /** Set when the turn is dropped before it began. */
  cancelled: boolean;
  running?: RunningTurn;
}

export class AgentSession {
  private readonly session: Session;
  private readonly actor: Actor;
  private tail: Promise<unknown> = Promise.resolve();
  private running: Pick<RunningTurn, 'cancel'> | undefined;
  private stopping: Promise<void> | undefined;
  /** How many messages there were before the turn that runs now. */
  private wholeTurns = 0;
  private readonly saver: SessionSaver | undefined;

  constructor(private readonly parts: SessionParts) {
    this.session = parts.session;
    this.actor = parts.actor;
    this.saver = this.saverFor(parts.store);
    const { saver } = this;
    if (saver !== undefined) parts.book.keep = () => saver.checkpoint(this.wholeTurns);
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
    return Object.freeze(this.actor.facts.history.snapshot()) as readonly unknown[] as readonly Message[];
  }

  /** Tokens and cost so far, in total and for each agent. */
  get usage(): UsageReport {
    return this.parts.book.report();
  }

  /** Asks the agent and waits for what comes of it. Turns of a session run one after another. */
  chat<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = {}): Promise<TurnResult<Data>> {
    return this.enqueue<Data>(prompt, { options, origin: 'user', cancelled: false });
  }

  /** {@link chat}, to be watched while it happens. */
  stream<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = {}): TurnStream<Data> {
    const order: Order = { options, origin: 'user', cancelled: false };
    return new TurnStream(
      (push) => this.enqueue<Data>(prompt, order, () => this.watch(push)),
      () => this.drop(order),
    );
  }

  /** A prompt from something that is not a person. */
  send(prompt: PromptInput, origin: Origin): Promise<TurnResult> {
    return this.enqueue(prompt, { options: {}, origin, cancelled: false });
  }

  /** Cancels the turn that runs now; twice is once. */
  cancel(): void {
    this.running?.cancel();
  }

  /** Makes the conversation shorter now; tells how many messages were summarised. */
  compact(): Promise<number> {
    return this.inOrder(async () => {
      this.actor.ledger.budget.startTurn();
      const turn = this.actor.facts.newTurn('user');
      this.running = turn;
      const request = {
        prompt: { text: '', media: [] },
        origin: 'user',
        schema: undefined,
        signal: undefined,
      } as const;
      try {
        return await compact(new TurnWork(this.actor, turn, request), summarise);
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
    if (this.saver?.unsaved !== undefined) await this.saver.save();
    try {
      await this.session.end(reason);
    } finally {
      // What hooks have kept since the last turn, at the end of the session too.
      if (this.session.turnCount > 0) await this.saver?.save();
      this.parts.onEnd();
    }
    if (this.saver?.unsaved !== undefined) throw this.saver.unsaved;
  }

  /** The events of the next turn: what others before it still tell is not among them, nor what comes after its end. */
  private watch(push: (event: BridleEvent) => void): () => void {
    const number = this.session.turnCount + 1;
    let over = false;
    return this.session.listen((event) => {
      if (over || (event.turn !== 0 && event.turn < number)) return;
      over = event.type === 'turn_ended' && event.turn === number;
      push(event);
    });
  }

  private drop(order: Order): void {
    order.cancelled = true;
    order.running?.cancel();
  }

  private async enqueue<Data = JsonValue>(
    prompt: PromptInput,
    order: Order,
    listen?: () => () => void,
  ): Promise<TurnResult<Data>> {
    const { origin, options } = order;
    checkChatOptions(options);
    const schema =
      options.schema === undefined ? undefined : schemaCheck(options.schema, deadlinesOf(this.actor.parts.clock));
    const reading = readPrompt(prompt, this.actor.parts.limits);
    const turn = this.inOrder(async () => {
      const read = await reading;
      this.checkOpen();
      const forget = listen?.();
      try {
        this.actor.ledger.budget.startTurn();
        this.saver?.startTurn();
        // Hooks and observers may cancel before the turn is at hand.
        this.running = { cancel: () => this.drop(order) };
        this.wholeTurns = this.actor.facts.history.length;
        const running = runTurn(this.actor, { prompt: read, origin, schema, signal: options.signal });
        order.running = running;
        if (order.cancelled) running.cancel();
        // What fits a schema is what the schema says.
        return (await running.result) as TurnResult<Data>;
      } finally {
        this.running = undefined;
        this.actor.facts.caller.reset();
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

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = this.tail.then(() => {
      this.checkOpen();
      return work();
    });
    this.tail = next.catch(() => undefined);
    return next;
  }

  private saverFor(store: SessionStore | undefined): SessionSaver | undefined {
    return (
      store &&
      new SessionSaver({
        store,
        deadlines: deadlinesOf(this.actor.parts.clock),
        snapshot: (messages) => this.saved(messages),
        tell: (message) => this.session.emit(() => ({ type: 'session_unsaved', message })),
      })
    );
  }

  private saved(messages: number): SavedSession {
    const { session, actor, parts } = this;
    return {
      version: 1,
      id: session.id,
      agent: parts.agentName,
      savedAt: actor.parts.clock.wall(),
      turns: session.turnCount,
      messages: actor.facts.history.snapshot().slice(0, messages),
      state: contentsOf(session.scope),
      toolState: contentsOf(session.toolStore),
      counts: { ...actor.ledger.budget.used },
      recent: actor.ledger.budget.recentTimes,
      usage: parts.book.report().agents,
      costUnknown: parts.book.report().cost === undefined,
    };
  }
}

function contentsOf(scope: Scope): JsonObject {
  return Object.fromEntries(scope.keys().map((key) => [key, scope.get(key) as JsonValue]));
}
