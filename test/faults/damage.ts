/** Lets child processes read damaged stores, so that a crash does not end the test. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DamageTask } from './damage-child.ts';
import type { Judgement } from './judge.ts';
import type { Mutant } from './mutation.ts';

/** `crashed`: the process that read it died. `hung`: it did not finish. Both allow nothing. */
type Fate = Judgement['outcome'] | 'crashed' | 'hung';

export interface Examined {
  readonly mutant: Mutant;
  readonly fate: Fate;
  readonly wrong: readonly string[];
}

/** Reading one store takes a few milliseconds. */
const patienceMs = 60_000;
const batch = 100;

export interface Damaging extends Omit<DamageTask, 'mutants'> {
  /** The bundle of `damage-child.ts`. */
  readonly program: string;
  /** How many children run concurrently. */
  readonly lanes: number;
}

export async function examine(damaging: Damaging, mutants: readonly Mutant[]): Promise<readonly Examined[]> {
  const found: Examined[] = [];
  const waiting = Array.from({ length: Math.ceil(mutants.length / batch) }, (_, n) =>
    mutants.slice(n * batch, (n + 1) * batch),
  );
  const lane = async (name: number) => {
    for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
      for (let left = some; left.length > 0;) {
        const examined = await examineSome({ ...damaging, mutants: left }, name);
        found.push(...examined);
        left = left.slice(examined.length);
      }
    }
  };
  await Promise.all(Array.from({ length: damaging.lanes }, (_, name) => lane(name)));
  return found;
}

/** The mutants a child has read, including the one it crashed on. */
async function examineSome(task: Damaging & DamageTask, lane: number): Promise<readonly Examined[]> {
  const file = join(task.work, `task-${lane}.json`);
  writeFileSync(file, JSON.stringify(task));
  const child = spawn(process.execPath, [task.program, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  let hung = false;
  const bark = () => {
    hung = true;
    child.kill('SIGKILL');
  };
  let watchdog = setTimeout(bark, patienceMs);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const closed = new Promise<readonly [number | null, string | null]>((resolve) => {
    child.on('close', (code, signal) => resolve([code, signal]));
  });
  const found: Examined[] = [];
  for await (const line of createInterface(child.stdout)) {
    const { outcome, wrong } = JSON.parse(line) as Judgement;
    found.push({ mutant: task.mutants[found.length] as Mutant, fate: outcome, wrong });
    clearTimeout(watchdog);
    watchdog = setTimeout(bark, patienceMs);
  }
  clearTimeout(watchdog);
  const [code, signal] = await closed;
  if (code === 0 && found.length === task.mutants.length) return found;
  const mutant = task.mutants[found.length];
  if (mutant === undefined) throw new Error(`The child failed at the end: ${errors}`);
  // A crash in the SQLite library is accepted; an error in our own code is not.
  const isFault = signal === null ? [`the process ended with ${code}: ${errors.slice(0, 2000)}`] : [];
  return [...found, { mutant, fate: hung ? 'hung' : 'crashed', wrong: isFault }];
}
