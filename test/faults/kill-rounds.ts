/** Kills children at random moments, several at a time on one store, and audits each after its death. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { Audit, type Counted } from './audit.ts';
import { seed } from '../property-runs.ts';
import { random } from './random.ts';
import { type Ledger, Recorder, type RecorderOptions } from './recorder.ts';

/** How many children use the store concurrently. */
const lanes = 2;
/** How much a child may log before it is killed, and how long it then has. */
const maxBytes = 3000;
const longestWaitMs = 20;

export class KillRounds {
  readonly chance = random(seed);
  private readonly folder = mkdtempSync(join(tmpdir(), 'bridle-kill-'));
  private readonly onFailure: RecorderOptions['onFailure'];
  private readonly place: { readonly at: string; readonly keys: string };
  private readonly audit = new Audit();
  private book = Promise.resolve();
  private started = 0;

  constructor(
    /** The bundle of `recorder-child.ts`. */
    private readonly program: string,
    /** The options for `openStore`. Default: its own file. */
    at?: string,
  ) {
    // A server may be unreachable; a file must not fail.
    this.onFailure = at === undefined ? undefined : 'go on';
    this.place = { at: at ?? join(this.folder, 'store.db'), keys: join(this.folder, 'keys') };
  }

  /** An idle child. */
  child(more: Partial<RecorderOptions> = {}): Recorder {
    const name = `child-${this.started++}`;
    const ledger = join(this.folder, name);
    return Recorder.start(this.program, { ...this.place, name, ledger, onFailure: this.onFailure, ...more });
  }

  /** Lets a child work for a while. */
  async live(child: Recorder): Promise<void> {
    await child.go();
    // Every fifth dies while it opens the store.
    if (this.chance() > 0.2) await child.told(this.chance() * maxBytes);
    await sleep(this.chance() * longestWaitMs);
  }

  /** Kills a child and checks everything that was acknowledged to it. */
  async end(child: Recorder): Promise<void> {
    await this.check(child, await child.kill());
  }

  /** Checks everything that was acknowledged to a child. Serialized, because the audit is shared. */
  async check(child: Recorder, ledger: Ledger): Promise<void> {
    this.book = this.book.then(async () => {
      const store = await openStore(this.place);
      try {
        await this.audit.check(store, child.name, ledger);
      } finally {
        await store.close();
      }
    });
    await this.book;
    rmSync(join(this.folder, child.name), { force: true });
  }

  /** Kills `count` children, each at a random moment. */
  async killChildren(rounds: number): Promise<void> {
    let left = rounds;
    const lane = async () => {
      let ready = this.child();
      while (left-- > 0) {
        const child = ready;
        // The next one starts in the meantime.
        ready = this.child();
        await this.live(child);
        await this.end(child);
      }
      await ready.kill();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async finish(): Promise<Counted> {
    const store = await openStore(this.place);
    try {
      return await this.audit.finish(store);
    } finally {
      await store.close();
      rmSync(this.folder, { recursive: true });
    }
  }
}
