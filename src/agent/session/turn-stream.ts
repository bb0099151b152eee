/**
 * The events of a turn while it runs. One buffer serves any number of readers, each from the beginning and at its own
 * pace, so a slow reader blocks nothing. The last event is `turn_ended`; an error reaches every reader.
 */

import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { TurnResult } from '../turn/turn-result.ts';

export class TurnStream<Data = JsonValue> implements AsyncIterable<BridleEvent> {
  /** The result of the turn. Rejects if the turn fails. */
  readonly result: Promise<TurnResult<Data>>;
  private readonly events: BridleEvent[] = [];
  private ended = false;
  private failure: { readonly error: unknown } | undefined;
  private waiters: (() => void)[] = [];

  constructor(
    run: (push: (event: BridleEvent) => void) => Promise<TurnResult<Data>>,
    /** Cancels the turn. Safe to call twice. */
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

  /** Only the text, piece by piece. Pieces of a failed attempt are followed by those of the next attempt. */
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
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}

async function* textDeltasOf(stream: AsyncIterable<BridleEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of stream) if (event.type === 'text_delta' && event.agent.length === 1) yield event.text;
}
