/**
 * What every agent of the suite gets: one tool, and a model that answers at once and always the same: tool calls in
 * some steps, then a text.
 */

import { z } from 'zod';

export const instructions = 'Answer in one word.';
export const prompt = 'Look it up.';
export const answer = 'done';
export const description = 'Looks up what a file says.';
/** One object for all hosts, so that what a library keeps per schema is kept. */
export const schema = z.object({ path: z.string() });

/** In `20 calls` the model asks for one call in each of 20 steps, in `20 at once` for all of them in one step. */
export const cases = {
  '1 call': { steps: 1, width: 1 },
  '20 calls': { steps: 20, width: 1 },
  '20 at once': { steps: 1, width: 20 },
};

const args = Object.freeze({ path: '/srv/data/report.txt' });
const input = JSON.stringify(args);

/** The answers of the model, in order: `{ calls }` or `{ text }`. One turn at a time. */
export class Script {
  #ids = 0;
  #step = 0;

  constructor({ steps, width }) {
    this.steps = steps;
    this.width = width;
  }

  /** How often the tool runs in a turn. */
  get calls() {
    return this.steps * this.width;
  }

  next() {
    if (this.#step++ === this.steps) {
      this.#step = 0;
      return { calls: undefined, text: answer };
    }
    const calls = [];
    for (let i = 0; i < this.width; i++) calls.push({ id: `call-${this.#ids++}`, name: 'lookup', args, input });
    return { calls, text: undefined };
  }
}
