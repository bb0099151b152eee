/**
 * What a turn does, as it does it: one buffer, as many readers as you like, each from the beginning and at its own pace.
 * A slow reader holds nobody up; the last event is `turn_ended`; an error reaches every reader.
 */

import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { TurnResult } from '../turn/state/turn-result.ts';

export class TurnStream<Data = JsonValue> implements AsyncIterable<BridleEvent> {
  /** What comes of the turn; rejects if the turn fails. */
  readonly result: Promise<TurnResult<Data>>;
  private readonly events: BridleEvent[] = [];
  private ended = false;
  private failure: { readonly error: unknown } | undefined;
  private waiters: (() => void)[] = [];

  constructor(
    run: (push: (event: BridleEvent) => void) => Promise<TurnResult<Data>>,
    /** Stops the turn; twice is once. */
    readonly cancel: () => void,
  ) {
    this.result = run((event) => this.push(event));
    this.result.then(
      () => this.close(undefined),
      (error: unknown) => this.close({ error }),
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BridleEvent, void, undefined> {
    for (let next = 0; ; next++) {
      while (next >= this.events.length && !this.ended) await this.nextChange();
      const event = this.events[next];
      if (event !== undefined) yield event;
      else if (this.failure === undefined) return;
      else throw this.failure.error;
    }
  }

  /** The text alone, piece by piece. Pieces of an attempt that failed are followed by those of the next one. */
  get textStream(): AsyncIterable<string> {
    return textDeltasOf(this);
  }

  private push(event: BridleEvent): void {
    this.events.push(event);
    this.wakeAll();
  }

  private close(failure: { readonly error: unknown } | undefined): void {
    this.ended = true;
    this.failure = failure;
    this.wakeAll();
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private wakeAll(): void {
    const { waiters: wake } = this;
    this.waiters = [];
    for (const resolve of wake) resolve();
  }
}

async function* textDeltasOf(stream: AsyncIterable<BridleEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of stream) if (event.type === 'text_delta' && event.agent.length === 1) yield event.text;
}
