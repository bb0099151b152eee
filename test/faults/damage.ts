/** Lets children read damaged stores, and survives what a damaged file does to them. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DamageTask } from './damage-child.ts';
import type { Judgement } from './judge.ts';
import type { Mutant } from './mutation.ts';

/** `crashed`: the process that read it died. `hung`: it did not come to an end. Neither allows anything. */
type Fate = Judgement['outcome'] | 'crashed' | 'hung';

export interface Examined {
  readonly mutant: Mutant;
  readonly fate: Fate;
  readonly wrong: readonly string[];
}

/** A single store is read in some milliseconds. */
const patienceMs = 60_000;
const batch = 100;

export interface Damaging extends Omit<DamageTask, 'mutants'> {
  /** The bundle of `damage-child.ts`. */
  readonly program: string;
  /** How many children work at a time. */
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

/** Those a child has come to, with the one it died of. */
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
  // Dying of the library is a fate; dying of our own code is a fault.
  const isFault = signal === null ? [`the process ended with ${code}: ${errors.slice(0, 2000)}`] : [];
  return [...found, { mutant, fate: hung ? 'hung' : 'crashed', wrong: isFault }];
}
