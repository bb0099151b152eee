/** One call of a tool that may pause by itself, such as a subagent whose tool asks. It stays one call until it ends. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { EndedCall } from '../decided-call.ts';

/** What Mastra gets when a tool has paused. */
type Pause = { readonly value: unknown } | { readonly error: unknown };

/** Calls that nobody came back to are forgotten, the oldest first. */
const maxOpen = 1000;

export class OpenCall {
  /** What the tool returns in the end. */
  readonly result: Promise<unknown>;
  /** The args that were decided, in the form that the tool takes. */
  args: unknown;
  ended!: Promise<EndedCall>;
  private resolve!: (value: unknown) => void;
  private reject!: (error: unknown) => void;

  constructor(readonly input: JsonValue) {
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Runs or continues the tool. `notePause` is to be called when it pauses. */
  async attempt(run: (notePause: () => void) => unknown): Promise<Pause | undefined> {
    let isPaused = false;
    try {
      const value = await run(() => (isPaused = true));
      if (isPaused) return { value };
      this.resolve(value);
    } catch (error) {
      // Mastra may start a tool early, and stops it with an error when it pauses.
      if (isPaused) return { error };
      this.reject(error);
    }
    return undefined;
  }

  abandon(reason: string): void {
    this.reject(new BridleError('CALL_REFUSED', reason));
  }
}

/** The calls that have paused, by run and id. */
export class OpenCalls {
  private readonly calls = new Map<string, OpenCall>();

  /** What Mastra gets after an attempt at a call. */
  async outcome(key: string, call: OpenCall, attempt: Promise<Pause | undefined>): Promise<unknown> {
    // The guard does not wait for a tool that outlives its time limit.
    const pause = await Promise.race([attempt, call.ended.then(() => undefined)]);
    if (pause !== undefined) {
      this.calls.set(key, call);
      if (this.calls.size > maxOpen) this.forgetOldest();
      if ('error' in pause) throw pause.error as Error;
      return pause.value;
    }
    const { thrown, value } = await call.ended;
    if (thrown !== undefined) throw thrown as Error;
    return value;
  }

  has(key: string): boolean {
    return this.calls.has(key);
  }

  take(key: string): OpenCall | undefined {
    const call = this.calls.get(key);
    this.calls.delete(key);
    return call;
  }

  private forgetOldest(): void {
    this.take(this.calls.keys().next().value as string)?.abandon('The tool has paused, and nobody resumed it.');
  }
}
