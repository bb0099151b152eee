/** Another process of a measurement: asked one thing at a time, and it may tell things in between. */

import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';

export class PeerProcess extends EventEmitter {
  #child;
  #name;

  constructor(script, args = []) {
    super();
    this.#name = script.href.split('/').at(-1);
    this.#child = fork(script, args, { execArgv: ['--no-warnings'] });
    this.#child.on('message', ({ type, ...details }) => this.emit(type, details));
    this.#child.on('exit', (code, signal) => {
      this.emit('gone', { error: `${this.#name} ended with ${signal ?? `exit code ${code}`}` });
    });
  }

  /** What it answers; tells of the type `done`. */
  async ask(what, details = {}) {
    const answer = this.next('done');
    this.#child.send({ ask: what, ...details });
    return (await answer).value;
  }

  /** The next time it tells something of a type. */
  async next(type) {
    const told = new AbortController();
    const waiting = [type, 'failed', 'gone'].map((each) => once(this, each, { signal: told.signal }));
    for (const each of waiting) each.catch(() => undefined);
    const [{ error, ...details }] = await Promise.race(waiting);
    told.abort();
    if (error !== undefined) throw new Error(error);
    return details;
  }

  async stop() {
    if (this.#child.connected) this.#child.disconnect();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

/** In the other process: does what it is asked. */
export function answering(answers) {
  const reply = async ({ ask, ...details }) => {
    try {
      process.send({ type: 'done', value: await answers[ask](details) });
    } catch (error) {
      process.send({ type: 'failed', error: error.stack });
    }
  };
  process.on('message', (message) => void reply(message));
  process.on('disconnect', () => void answers.close?.());
}

/** The same clock in all processes of a machine. */
export function now() {
  return Number(process.hrtime.bigint());
}
