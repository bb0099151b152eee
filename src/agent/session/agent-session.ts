/** A session of an agent: one conversation whose turns run one after another. */

import type { Session } from '../../kernel/guard/session.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Message, TurnOrigin } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Scope } from '../../kernel/scope/scope.ts';
import type { AgentInSession } from '../turn/agent-in-session.ts';
import { checkChatOptions } from '../options/check-options.ts';
import { compact } from '../turn/compaction.ts';
import type { LanguageModel } from '../model/model-interface.ts';
import { type PromptInput, readPrompt } from '../turn/prompt-input.ts';
import { type RunningTurn, runTurn } from '../turn/run-turn.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import { scopeContentsOf } from '../turn/turn-log.ts';
import { SessionSaver } from '../saved-sessions/session-saver.ts';
import type { SessionStore } from '../saved-sessions/session-store.ts';
import { type OutputSchema, createSchemaCheck } from '../turn/structured-output.ts';
import type { TurnResult } from '../turn/turn-result.ts';
import { TurnStream } from './turn-stream.ts';
import { TurnWork } from '../turn/turn-work.ts';
import type { SessionUsage, UsageReport } from '../budget/usage.ts';

export interface ChatOptions<Data = unknown> {
  /** The answer must be JSON that matches this Standard Schema or JSON Schema. The result has it in `data`. */
  readonly schema?: OutputSchema<Data> | undefined;
  /** Cancels the turn when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

const noOptions: ChatOptions<never> = Object.freeze({});

/** The parts of a session. */
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
  /** True if the turn was cancelled before it started. */
  cancelled: boolean;
  running?: RunningTurn;
}

export class AgentSession {
  private readonly session: Session;
  private readonly agent: AgentInSession;
  private tail: Promise<unknown> = Promise.resolve();
  private running: Pick<RunningTurn, 'cancel'> | undefined;
  private stopping: Promise<void> | undefined;
  /** The number of messages before the current turn. */
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

  /** State that lasts as long as the session. */
  get scope(): Scope {
    return this.session.scope;
  }

  /** The conversation as it is sent to the model. */
  get history(): readonly Message[] {
    return Object.freeze(this.agent.own.history.snapshot()) as readonly unknown[] as readonly Message[];
  }

  /** Tokens and cost so far, in total and for each agent. */
  get usage(): UsageReport {
    return this.parts.sessionUsage.report();
  }

  /** The model of the next turn: `anthropic/<id>`. */
  get model(): string {
    return this.agent.own.caller.modelKey;
  }

  /** Uses another model from the next turn on, a model object or a name such as `anthropic/<id>`. Subagents keep theirs. */
  useModel(model: LanguageModel | string): Promise<void> {
    return this.runInOrder(() => this.agent.own.caller.switchTo(model));
  }

  /** Runs one turn and returns its result. The turns of a session run one after another. */
  chat<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = noOptions): Promise<TurnResult<Data>> {
    return this.enqueue<Data>(prompt, { options, origin: 'user', cancelled: false });
  }

  /** Like {@link chat}, but streams events while the turn runs. */
  stream<Data = JsonValue>(prompt: PromptInput, options: ChatOptions<Data> = noOptions): TurnStream<Data> {
    const queued: QueuedTurn = { options, origin: 'user', cancelled: false };
    return new TurnStream(
      (push) => this.enqueue<Data>(prompt, queued, () => this.watch(push)),
      () => this.cancelQueued(queued),
    );
  }

  /** Runs a turn whose prompt does not come from a person. */
  send(prompt: PromptInput, origin: TurnOrigin): Promise<TurnResult> {
    return this.enqueue(prompt, { options: noOptions, origin, cancelled: false });
  }

  /** Cancels the current turn. Safe to call twice. */
  cancel(): void {
    this.running?.cancel();
  }

  /** Compacts the conversation now. Returns the number of messages removed. */
  compact(): Promise<number> {
    return this.runInOrder(async () => {
      this.agent.usage.budget.startTurn();
      const turn = this.agent.own.newTurn('user');
      this.running = turn;
      const request = {
        prompt: { text: '', media: [] },
        origin: 'user',
        schema: undefined,
        signal: undefined,
      } as const;
      try {
        return await compact(new TurnWork(this.agent, turn, request));
      } finally {
        this.running = undefined;
        turn.end();
        await this.saver?.save();
      }
    });
  }

  /** Ends the session: cancels the current turn and drops queued ones. Safe to call twice. */
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
      // Saves what hooks have written to the scopes since the last turn, including at the end of the session.
      if (this.session.turnCount > 0) await this.saver?.save();
      this.parts.onEnd();
    }
    if (this.saver?.saveError !== undefined) throw this.saver.saveError;
  }

  /** Pushes the events of the next turn only, not those of earlier turns or after its end. */
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
    if (options !== noOptions) checkChatOptions(options);
    const schema =
      options.schema === undefined ? undefined : createSchemaCheck(options.schema, this.agent.parts.deadlines);
    const reading = readPrompt(prompt, this.agent.parts.limits);
    const turn = this.runInOrder(async () => {
      const read = await reading;
      this.checkOpen();
      const unlisten = listen?.();
      try {
        this.agent.usage.budget.startTurn();
        this.saver?.startTurn();
        // Hooks and observers may cancel before `runTurn` returns.
        this.running = { cancel: () => this.cancelQueued(queued) };
        this.messagesBeforeTurn = this.agent.own.history.messages.length;
        const running = runTurn(this.agent, { prompt: read, origin, schema, signal: options.signal });
        queued.running = running;
        if (queued.cancelled) running.cancel();
        // Data that matches the schema has the schema's type.
        return (await running.result) as TurnResult<Data>;
      } finally {
        this.running = undefined;
        this.agent.own.caller.reset();
        unlisten?.();
        await this.saver?.save();
      }
    });
    // A prompt that is slow to read keeps its place in the queue; an invalid one is rejected immediately.
    turn.catch(() => undefined);
    await reading;
    return turn;
  }

  private checkOpen(): void {
    if (this.stopping !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    // Another process has continued this session, so turn numbers and idempotency keys would collide.
    if (this.saver?.conflict !== undefined) throw this.saver.conflict;
  }

  private runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = this.tail.then(() => {
      this.checkOpen();
      return work();
    });
    // Not `catch`, which would keep the result of the turn as long as the session.
    this.tail = next.then(nothing, nothing);
    return next;
  }

  private createSaver(store: SessionStore | undefined): SessionSaver | undefined {
    return (
      store &&
      new SessionSaver({
        store,
        deadlines: this.agent.parts.deadlines,
        snapshot: (count) => ({
          ...sessionSnapshotOf(this.session, this.agent, this.parts.agentName),
          messages: this.agent.own.history.messages.slice(0, count),
        }),
        onFailure: (message) => this.session.emit(() => ({ type: 'session_unsaved', message })),
      })
    );
  }
}

function nothing(): void {}

/** Everything needed to resume a session, except its conversation. */
export function sessionSnapshotOf(
  session: Session,
  { parts, usage }: AgentInSession,
  agent: string,
): Omit<SavedSession, 'messages'> {
  const report = usage.report();
  return {
    version: 1,
    id: session.id,
    agent,
    cwd: parts.cwd,
    savedAt: parts.clock.wall(),
    turns: session.turnCount,
    state: scopeContentsOf(session.scope),
    toolState: scopeContentsOf(session.toolStore),
    counts: { ...usage.budget.used },
    recent: usage.budget.recentTimes,
    usage: report.agents,
    costUnknown: report.cost === undefined,
  };
}
