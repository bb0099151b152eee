/** Queues a run in a store for a worker. */

import { randomUUID } from 'node:crypto';
import { type PromptInput, readPrompt } from '../agent/turn/prompt-input.ts';
import { toJsonInput } from '../agent/runs/run-result.ts';
import { BridleError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { defaultLimits } from '../kernel/limits.ts';
import type { RunRecord } from '../store/runs/run-record.ts';
import type { Store } from '../store/store.ts';

export interface QueueRunOptions {
  readonly prompt: PromptInput;
  /** The name of the agent; default `main`. */
  readonly agent?: string | undefined;
  /** Letters, digits, `.`, `_` and `-`; a new id by default. An existing id refers to the existing run. */
  readonly id?: string | undefined;
  /** A JSON Schema for the answer; the parsed answer is in `data`. */
  readonly schema?: JsonObject | undefined;
}

/** Queues a run and wakes the workers. */
export async function queueRun(store: Store, options: QueueRunOptions): Promise<RunRecord> {
  const { agent = 'main', id = randomUUID(), schema } = options;
  const input = toJsonInput({ prompt: await readPrompt(options.prompt, defaultLimits), schema });
  const { record } = await store.runs.create({ id, agent, input });
  if (record.agent !== agent || JSON.stringify(record.input) !== JSON.stringify(input)) {
    throw new BridleError(
      'RUN_STATE',
      `the run "${id}" already exists with a different agent or input; choose another id`,
    );
  }
  return record;
}
