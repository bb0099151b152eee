/** The runs of an agent: started, resumed and let go here. Each is a session of its own, with one turn. */

import { randomUUID } from 'node:crypto';
import { deadlinesOf } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { cancelRun } from '../../store/cancel-run.ts';
import type { RunClaim, RunRecord } from '../../store/runs/run-record.ts';
import type { SessionRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import { checkRunOptions } from '../options/check-options.ts';
import { defaultLoop } from '../turn/state/agent-loop.ts';
import type { AgentRuntime } from '../session/open-session.ts';
import { type PromptInput, readPrompt } from '../turn/state/prompt-input.ts';
import { sessionIdProblem } from '../saved-sessions/session-store.ts';
import { createSchemaCheck } from '../turn/state/structured-output.ts';
import { RunDriver } from './run-driver.ts';
import { toJsonInput, runResultOf, type RunResult } from './run-result.ts';

export interface ResumeOptions {
  /** Aborted: the run is cancelled for good. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `process`: whoever runs it waits until somebody answers. `release`: it is given up until there is an answer, and
   * then goes on wherever it is resumed. `process` if not given.
   */
  readonly hold?: 'process' | 'release' | undefined;
  /** How long a process that says nothing keeps the run; 30 seconds if not given. */
  readonly leaseMs?: number | undefined;
}

export interface RunOptions extends ResumeOptions {
  /** Letters, digits, `.`, `_` and `-`. A new one if not given; the same one again goes on with the same run. */
  readonly id?: string | undefined;
  /** A JSON Schema: the answer must be JSON that fits it, and is then in `data`. */
  readonly schema?: JsonObject | undefined;
}

const defaultLeaseMs = 30_000;
/** How long a step that is being taken may hold up the end of an agent. */
const graceMs = 10_000;

export class AgentRuns {
  private readonly active = new Map<RunDriver, Promise<RunResult>>();
  private readonly claims = new Set<Promise<unknown>>();
  private stopped = false;

  constructor(
    private readonly runtime: () => AgentRuntime,
    private readonly drivers: Map<string, SessionRun>,
  ) {}

  /** Starts a run, or goes on with the one that has this id. */
  async run(prompt: PromptInput, options: RunOptions = {}): Promise<RunResult> {
    checkRunOptions(options);
    const { assembly } = this.runtime();
    const { id = randomUUID(), schema } = options;
    const problem = sessionIdProblem(id);
    if (problem !== undefined) throw new BridleError('RUN_STATE', `the run id ${problem}`);
    if (schema !== undefined) createSchemaCheck(schema, deadlinesOf(assembly.parts.clock));
    const input = toJsonInput({ prompt: await readPrompt(prompt, assembly.parts.limits), schema });
    const { record } = await this.store.runs.create({ id, agent: assembly.name, input });
    if (JSON.stringify(record.input) !== JSON.stringify(input)) {
      throw new BridleError('RUN_STATE', `there is a run "${id}" that was asked something else; take another id`);
    }
    return this.continueRun(record, options);
  }

  /** Goes on with a run wherever it was left. */
  async resume(id: string, options: ResumeOptions = {}): Promise<RunResult> {
    checkRunOptions(options);
    const record = await this.store.runs.get(id);
    if (record === undefined) throw new BridleError('RUN_STATE', `there is no run "${id}" in the store`);
    return this.continueRun(record, options);
  }

  /** Lets all runs go: each is resumed by whoever comes. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.allSettled(this.claims);
    for (const driver of this.active.keys()) driver.release();
    const all = Promise.allSettled(this.active.values());
    const timer = setTimeout(() => {
      for (const driver of this.active.keys()) driver.abandon();
    }, graceMs);
    await all;
    clearTimeout(timer);
  }

  private get store(): Store {
    const { store, loop: core = defaultLoop } = this.runtime().assembly.options;
    if (store === undefined) {
      throw new BridleError('RUN_STATE', 'a run needs a store: createAgent({ store: await openStore() })');
    }
    if (core !== defaultLoop) {
      throw new BridleError('RUN_STATE', 'runs need the loop that comes along: steps of another core are not recorded');
    }
    return store;
  }

  private async continueRun(first: RunRecord, options: ResumeOptions): Promise<RunResult> {
    const { name } = this.runtime().assembly;
    const { id, agent } = first;
    if (agent !== name) throw new BridleError('RUN_STATE', `the run "${id}" is one of the agent "${agent}"`);
    for (let record = first; ; record = await this.waitUntilRunnable(id, options.signal)) {
      const result = runResultOf(record) ?? (await this.claimAndDrive(record, options));
      // Answered between the question and the pause, or by somebody who does not resume it: it is still ours to do.
      if (options.hold === 'release' || result.state !== 'waiting') return result;
    }
  }

  private async claimAndDrive({ id, state, waitingFor }: RunRecord, options: ResumeOptions): Promise<RunResult> {
    const { leaseMs = defaultLeaseMs, hold = 'process', signal } = options;
    if (this.stopped) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    if (this.drivers.has(id)) throw new BridleError('RUN_STATE', `the run "${id}" is being worked on here`);
    const { store } = this;
    const claim = await this.claim(id, leaseMs);
    if (typeof claim === 'string') {
      if (state === 'waiting') return { state, id, approvals: waitingFor };
      throw new BridleError('RUN_STATE', `the run "${id}" cannot be resumed: ${claim}`);
    }
    const runtime = this.runtime();
    const seed = runtime.assembly.options.state ?? {};
    const release = hold === 'release';
    const driver = new RunDriver({ runtime, store, claim, leaseMs, signal, release, state: seed });
    this.drivers.set(id, driver);
    const driving = driver.drive();
    this.active.set(driver, driving);
    try {
      return await driving;
    } finally {
      this.active.delete(driver);
      this.drivers.delete(id);
    }
  }

  /** A run that is got while the agent stops is given back at once. */
  private async claim(id: string, leaseMs: number): Promise<RunClaim | string> {
    const claiming = this.store.runs.claim(id, { leaseMs }).then(async (claim) => {
      if (!this.stopped || typeof claim === 'string') return claim;
      await claim.release();
      throw new BridleError('AGENT_STATE', 'the agent has stopped');
    });
    this.claims.add(claiming);
    try {
      return await claiming;
    } finally {
      this.claims.delete(claiming);
    }
  }

  /** Until a waiting run may be taken again, by an answer, or has ended otherwise. */
  private async waitUntilRunnable(id: string, signal: AbortSignal | undefined): Promise<RunRecord> {
    const { runs, approvals } = this.store;
    const woken = new Waker();
    const unwatch = await runs.watch(() => woken.wake());
    try {
      for (;;) {
        await approvals.expire();
        const record = await runs.get(id);
        if (record === undefined) throw new BridleError('RUN_STATE', `the run "${id}" is gone from the store`);
        if (record.state !== 'waiting') return record;
        if (signal?.aborted === true) await cancelRun(this.store, id, 'bridle');
        else if (this.stopped) {
          throw new BridleError('RUN_STATE', `the run "${id}" waits for an answer, and nobody waits here any more`);
        }
        await woken.next(500);
      }
    } finally {
      unwatch();
    }
  }
}

/** Lets one waiter sleep until it is woken, or a while has passed. */
class Waker {
  private woken = false;
  private resolve: (() => void) | undefined;

  wake(): void {
    this.woken = true;
    this.resolve?.();
  }

  async next(ms: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.woken = false;
    this.resolve = undefined;
  }
}
