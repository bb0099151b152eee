/** Starts a custom loop once with its agent, and stops it once, even if the agent's start fails. */

import type { Deadlines } from '../../kernel/deadlines.ts';
import { timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { AgentLoop, LoopStart } from '../turn/state/agent-loop.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

export class LoopLifecycle {
  private started = false;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly loop: AgentLoop,
    private readonly deadlines: Deadlines,
  ) {}

  async start(start: LoopStart): Promise<void> {
    // Set before the call: a start that fails halfway may have opened something.
    this.started = true;
    await this.attempt('start', startTimeoutMs, () => this.loop.start?.(start));
  }

  /** Does nothing if the loop was not started. Safe to call twice. */
  stop(): Promise<void> {
    if (!this.started) return Promise.resolve();
    return (this.stopping ??= this.attempt('stop', stopTimeoutMs, () => this.loop.stop?.()));
  }

  private async attempt(what: 'start' | 'stop', ms: number, act: () => unknown): Promise<void> {
    const failed = (problem: string, cause?: unknown): BridleError =>
      new BridleError('LOOP_FAILED', `the loop "${this.loop.name}" did not ${what}: ${problem}`, { cause });
    let result: unknown;
    try {
      result = await withTimeout(Promise.resolve(act()), ms, { deadlines: this.deadlines });
    } catch (error) {
      throw failed(messageOf(error), error);
    }
    if (result === timedOut) throw failed(`it took longer than ${ms} ms`);
  }
}
