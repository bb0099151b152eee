/** A fleet under test: workers in their own processes, a person who answers, and a log of every effect. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { queueRun, type WorkerEvent } from 'bridle/fleet';
import { openStore, type Store } from 'bridle/store';
import { signAnswer } from '../../../src/approvals/signing/signed-answer.ts';
import { createApproverKey } from '../../../src/store/keys/approver-keys.ts';
import type { SigningKey } from '../../../src/approvals/signing/key-ring.ts';
import { auditFleet, type FleetAudit } from './fleet-audit.ts';

export interface FleetOptions {
  /** The options for `openStore`. */
  readonly at: string;
  readonly leaseMs: number;
  readonly concurrency?: number;
  readonly slowMs?: number;
}

/** One worker. */
export interface Hand {
  readonly child: ChildProcess;
  readonly events: readonly WorkerEvent[];
  /** Resolves when it has reported an event of this kind. */
  tells(fits: (event: WorkerEvent) => boolean): Promise<WorkerEvent>;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

const program = fileURLToPath(new URL('fleet-worker.mjs', import.meta.url));

interface FleetParts {
  readonly options: FleetOptions;
  readonly folder: string;
  readonly store: Store;
  /** The key of the person who answers. */
  readonly person: SigningKey;
}

export class Fleet {
  readonly store: Store;
  readonly ledger: string;
  private readonly hands = new Set<Hand>();
  private answering = true;
  private answers: Promise<void> = Promise.resolve();
  answered = 0;

  private constructor(private readonly parts: FleetParts) {
    this.store = parts.store;
    this.ledger = join(parts.folder, 'ledger');
    writeFileSync(this.ledger, '');
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'bridle-fleet-'));
    const keys = join(folder, 'keys');
    const store = await openStore({ at: options.at, keys });
    return new Fleet({ options, folder, store, person: createApproverKey({ folder: keys, name: 'ann' }) });
  }

  /** Resolves when the worker is ready. */
  async hire(): Promise<Hand> {
    const { at, leaseMs, concurrency = 10, slowMs = 20 } = this.parts.options;
    const keys = join(this.parts.folder, 'keys');
    const order = { at, keys, leaseMs, concurrency, slowMs, ledger: this.ledger };
    const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const;
    const hand = handOf(fork(program, [JSON.stringify(order)], { execArgv: [], stdio: [...stdio] }));
    this.hands.add(hand);
    await hand.tells(({ type }) => type === 'worker_started');
    return hand;
  }

  async queue(ids: readonly string[]): Promise<void> {
    const left = [...ids];
    const lane = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        await queueRun(this.store, { id, prompt: 'go' });
      }
    };
    await Promise.all(Array.from({ length: 10 }, lane));
  }

  /** Approves every question until the end. */
  answerAll(): void {
    const once = async (): Promise<void> => {
      const { approvals } = this.store;
      for (const record of await approvals.list({ state: 'pending', limit: 1000 })) {
        const { won } = await approvals.answer(signAnswer(this.parts.person, record, { type: 'approve' }));
        if (won) this.answered++;
      }
    };
    const always = async (): Promise<void> => {
      while (this.answering) {
        // The server is restarting.
        await once().catch(() => undefined);
        await sleep(50);
      }
    };
    this.answers = always();
  }

  /** The number of runs in each state. */
  async count(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { state } of await this.store.runs.list({ limit: 100_000 })) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Resolves when this many runs are in one of these states. */
  async until(count: number, ...states: readonly string[]): Promise<void> {
    for (;;) {
      // The server is restarting.
      const counts = await this.count().catch((): Record<string, number> => ({}));
      if (states.reduce((sum, state) => sum + (counts[state] ?? 0), 0) === count) return;
      await sleep(250);
    }
  }

  /** Resolves when this many runs have ended in any way. */
  ended(count: number): Promise<void> {
    return this.until(count, 'done', 'failed', 'cancelled');
  }

  audit(): Promise<FleetAudit> {
    return auditFleet(this.store, this.ledger);
  }

  async close(): Promise<void> {
    this.answering = false;
    await this.answers;
    for (const hand of this.hands) await hand.kill();
    await this.store.close();
    rmSync(this.parts.folder, { recursive: true });
  }
}

function handOf(child: ChildProcess): Hand {
  const events: WorkerEvent[] = [];
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.on('message', (event) => {
    events.push(event as WorkerEvent);
    child.emit('told');
  });
  return {
    child,
    events,
    tells: async (fits) => {
      for (;;) {
        const found = events.find(fits);
        if (found !== undefined) return found;
        const end = child.exitCode ?? child.signalCode;
        if (end !== null) throw new TypeError(`The worker ended with ${end}: ${errors}`);
        await Promise.race([once(child, 'told'), ended]);
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.send('stop');
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}
