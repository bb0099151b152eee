/** A worker as its parent sees it, and a runner that works in one. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Runner } from '../measure.mjs';

const script = fileURLToPath(new URL('worker.mjs', import.meta.url));

export class Worker {
  #child;
  #end;

  constructor(name, flags = []) {
    this.name = name;
    // Warnings of a peer are none of ours, and printing them takes time.
    this.#child = fork(script, [name], { execArgv: ['--no-warnings', ...flags] });
    this.#end = this.#untilEnd();
    // After the last question its end is no failure.
    this.#end.catch(() => undefined);
  }

  async ask(what, details = {}) {
    this.#child.send({ ask: what, ...details });
    const [reply] = await Promise.race([once(this.#child, 'message'), this.#end]);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.value;
  }

  async #untilEnd() {
    const [code, signal] = await once(this.#child, 'exit');
    throw new Error(`the worker of ${this.name} ended with ${signal ?? `exit code ${code}`}`);
  }

  stop() {
    this.#child.disconnect();
  }
}

/** Asks one question of a new worker. */
export async function askOnce(name, flags, ...question) {
  const worker = new Worker(name, flags);
  try {
    return await worker.ask(...question);
  } finally {
    worker.stop();
  }
}

export class RemoteRunner extends Runner {
  constructor({ name, worker, title }) {
    super({ name });
    this.worker = worker;
    this.title = title;
  }

  async calibrate(pace) {
    Object.assign(this, await this.worker.ask('calibrate', { title: this.title, pace }));
  }

  round() {
    return this.worker.ask('round');
  }
}
