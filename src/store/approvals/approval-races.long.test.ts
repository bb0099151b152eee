/** Real processes answer and use the same approvals concurrently: one winner each, and at most one use. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { draftOf, sampleCall, sampleRequest } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { root } from '../../../test/source.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { SessionId } from '../../kernel/ids.ts';
import { createApproverKey } from '../keys/approver-keys.ts';

/** On each database. */
const races = runs(500);
const answers = ['approve', 'deny', 'approve'] as const;

interface Told {
  readonly phase: 'ready' | 'answer' | 'use' | 'done';
  readonly id?: string;
  readonly won?: boolean;
  readonly state?: string;
  readonly by?: string;
}

class Racer {
  readonly told: Told[] = [];
  private readonly child: ChildProcess;
  private wake: () => void = () => undefined;

  constructor(
    readonly name: string,
    order: object,
  ) {
    const script = join(root, 'test/store/approval-racer.mjs');
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    this.child = spawn(process.execPath, [script, JSON.stringify({ ...order, name })], { stdio: [...stdio] });
    const { stdout } = this.child;
    if (stdout === null) throw new TypeError('no stdout');
    createInterface({ input: stdout }).on('line', (line) => {
      this.told.push(JSON.parse(line) as Told);
      this.wake();
    });
  }

  async until(phase: Told['phase'], times = 1): Promise<void> {
    while (this.told.filter((each) => each.phase === phase).length < times) {
      if (this.child.exitCode !== null) throw new RangeError(`${this.name} ended with ${this.child.exitCode}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        this.child.once('exit', resolve);
      });
    }
  }

  say(word: string): void {
    this.child.stdin?.write(`${word}\n`);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.stdin?.end();
    await ended;
  }
}

async function race(rig: StoreRig, session: string): Promise<readonly Racer[]> {
  const racers = answers.map((type, at) => {
    const name = `racer-${at}`;
    createApproverKey({ folder: rig.keys, name });
    return new Racer(name, { at: rig.at, keys: rig.keys, type, session });
  });
  await Promise.all(racers.map((racer) => racer.until('ready')));
  for (const [at, word] of ['answer', 'use'].entries()) {
    for (const racer of racers) racer.say(word);
    await Promise.all(racers.map((racer) => racer.until('done', at + 1)));
  }
  await Promise.all(racers.map((racer) => racer.end()));
  return racers;
}

describeStores('races for approvals', (rig) => {
  it(
    proves('R05')(`have one winner each, and one use at most: ${races} of ${answers.length} processes`),
    { timeout: 240_000 },
    async () => {
      const store = await rig.open({ durability: 'process' });
      const call = sampleCall({ session: 'races' as SessionId });
      const put = (): Promise<unknown> => store.approvals.put(draftOf(sampleRequest({ call }), { keys: store.keys }));
      await Promise.all(Array.from({ length: races }, put));
      const racers = await race(rig, 'races');
      const records = await store.approvals.list({ limit: races });
      expect(records.length).toBe(races);
      let [approved, wins] = [0, new Set<string>()];
      for (const { id, state, answer, changes } of records) {
        const winners = racers.filter(({ told }) =>
          told.some((each) => each.phase === 'answer' && each.id === id && each.won),
        );
        expect(winners.map(({ name }) => name)).toEqual([answer?.by]);
        wins = wins.add(answer?.by ?? '');
        // The losers see who won.
        const seen = racers.flatMap(({ told }) => told.filter((each) => each.phase === 'answer' && each.id === id));
        expect(new Set(seen.map(({ by }) => by))).toEqual(new Set([answer?.by]));
        const uses = racers.filter(({ told }) =>
          told.some((each) => each.phase === 'use' && each.id === id && each.won),
        );
        const isYes = answer?.answer.type === 'approve';
        if (isYes) approved++;
        expect(uses.length).toBe(isYes ? 1 : 0);
        expect(state).toBe(isYes ? 'used' : 'denied');
        const path = isYes ? ['pending', 'approved', 'used'] : ['pending', 'denied'];
        expect(changes.map((change) => change.state)).toEqual(path);
      }
      console.info(`${rig.kind}: ${races} races, ${approved} approved, won by ${[...wins].toSorted().join(', ')}`);
    },
  );
});
