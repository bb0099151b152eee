/** Starts, resumes and releases the runs of an agent. Each run has its own session with one turn. */

import { randomUUID } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { cancelRun } from '../../store/cancel-run.ts';
import type { RunClaim, RunRecord } from '../../store/runs/run-record.ts';
import type { SessionRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import { checkRunOptions } from '../options/check-options.ts';
import { defaultLoop } from '../turn/agent-loop.ts';
import type { AgentRuntime } from '../session/open-session.ts';
import { type PromptInput, readPrompt } from '../turn/prompt-input.ts';
import { sessionIdProblem } from '../saved-sessions/session-store.ts';
import { createSchemaCheck } from '../turn/structured-output.ts';
import { RunDriver } from './run-driver.ts';
import { toJsonInput, runResultOf, type RunResult } from './run-result.ts';

export interface ResumeOptions {
  /** Cancels the run permanently when aborted. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do while the run waits for an approval. `process`: wait in this process. `release`: return, so that the run
   * can be resumed anywhere once it is answered. Default: `process`.
   */
  readonly hold?: 'process' | 'release' | undefined;
  /** How long the run stays claimed by a process that stopped renewing its lease. Default: 30 seconds. */
  readonly leaseMs?: number | undefined;
}

export interface RunOptions extends ResumeOptions {
  /** Letters, digits, `.`, `_` and `-`. Default: a new id. The id of an existing run continues that run. */
  readonly id?: string | undefined;
  /** The answer must be JSON that matches this JSON Schema. The result has it in `data`. */
  readonly schema?: JsonObject | undefined;
}

const defaultLeaseMs = 30_000;
/** How long `agent.stop()` waits for the current step of a run. */
const graceMs = 10_000;

export class AgentRuns {
  private readonly active = new Map<RunDriver, Promise<RunResult>>();
  private readonly claims = new Set<Promise<unknown>>();
  private stopped = false;

  constructor(
    private readonly runtime: () => AgentRuntime,
    private readonly drivers: Map<string, SessionRun>,
  ) {}

  /** Starts a run, or continues the run with this id. */
  async run(prompt: PromptInput, options: RunOptions = {}): Promise<RunResult> {
    checkRunOptions(options);
    const { assembly } = this.runtime();
    const { id = randomUUID(), schema } = options;
    const problem = sessionIdProblem(id);
    if (problem !== undefined) throw new BridleError('RUN_STATE', `the run id ${problem}`);
    if (schema !== undefined) createSchemaCheck(schema, assembly.parts.deadlines);
    const input = toJsonInput({ prompt: await readPrompt(prompt, assembly.parts.limits), schema });
    const { record } = await this.store.runs.create({ id, agent: assembly.name, input });
    if (JSON.stringify(record.input) !== JSON.stringify(input)) {
      throw new BridleError('RUN_STATE', `the run "${id}" already exists with another input; use another id`);
    }
    return this.continueRun(record, options);
  }

  /** Continues a run where it stopped. */
  async resume(id: string, options: ResumeOptions = {}): Promise<RunResult> {
    checkRunOptions(options);
    const record = await this.store.runs.get(id);
    if (record === undefined) throw new BridleError('RUN_STATE', `there is no run "${id}" in the store`);
    return this.continueRun(record, options);
  }

  /** Releases all runs, so that any process can resume them. */
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
    const { store, loop = defaultLoop } = this.runtime().assembly.options;
    if (store === undefined) {
      throw new BridleError('RUN_STATE', 'a run needs a store: createAgent({ store: await openStore() })');
    }
    if (loop !== defaultLoop) {
      throw new BridleError('RUN_STATE', 'runs need the built-in loop: the steps of a custom loop are not recorded');
    }
    return store;
  }

  private async continueRun(first: RunRecord, options: ResumeOptions): Promise<RunResult> {
    const { name } = this.runtime().assembly;
    const { id, agent } = first;
    if (agent !== name)
      throw new BridleError('RUN_STATE', `the run "${id}" belongs to the agent "${agent}", not to "${name}"`);
    for (let record = first; ; record = await this.waitUntilRunnable(id, options.signal)) {
      const result = runResultOf(record) ?? (await this.claimAndDrive(record, options));
      // Once it is answered, this process continues the run itself.
      if (options.hold === 'release' || result.state !== 'waiting') return result;
    }
  }

  private async claimAndDrive({ id, state, waitingFor }: RunRecord, options: ResumeOptions): Promise<RunResult> {
    const { leaseMs = defaultLeaseMs, hold = 'process', signal } = options;
    if (this.stopped) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    if (this.drivers.has(id))
      throw new BridleError('RUN_STATE', `the run "${id}" is already in progress in this process`);
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

  /** A run that is claimed while the agent stops is released immediately. */
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

  /** Waits until a waiting run is answered or has ended. */
  private async waitUntilRunnable(id: string, signal: AbortSignal | undefined): Promise<RunRecord> {
    const { runs, approvals } = this.store;
    const woken = new Waker();
    const unwatch = await runs.watch(() => woken.wake());
    try {
      for (;;) {
        await approvals.expire();
        const record = await runs.get(id);
        if (record === undefined) throw new BridleError('RUN_STATE', `the run "${id}" is no longer in the store`);
        if (record.state !== 'waiting') return record;
        if (signal?.aborted === true) await cancelRun(this.store, id, 'bridle');
        else if (this.stopped) {
          throw new BridleError(
            'RUN_STATE',
            `the agent stopped while the run "${id}" was waiting for an approval; resume it later`,
          );
        }
        await woken.next(500);
      }
    } finally {
      unwatch();
    }
  }
}

/** Lets one waiter sleep until it is woken or a timeout has passed. */
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
