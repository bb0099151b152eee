/** Putting a run into a store, for a worker to take. */

import { randomUUID } from 'node:crypto';
import { type PromptInput, readPrompt } from '../agent/turn/state/prompt-input.ts';
import { toJsonInput } from '../agent/runs/run-result.ts';
import { BridleError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { defaultLimits } from '../kernel/limits.ts';
import type { RunRecord } from '../store/runs/run-record.ts';
import type { Store } from '../store/store.ts';

export interface QueueRunOptions {
  readonly prompt: PromptInput;
  /** The name of the agent it is for; `main` if not given. */
  readonly agent?: string | undefined;
  /** Letters, digits, `.`, `_` and `-`. A new one if not given; the same one again is the same run. */
  readonly id?: string | undefined;
  /** A JSON Schema: the answer must be JSON that fits it, and is then in `data`. */
  readonly schema?: JsonObject | undefined;
}

/** Queues a run; the worker that takes it is woken. */
export async function queueRun(store: Store, options: QueueRunOptions): Promise<RunRecord> {
  const { agent = 'main', id = randomUUID(), schema } = options;
  const input = toJsonInput({ prompt: await readPrompt(options.prompt, defaultLimits), schema });
  const { record } = await store.runs.create({ id, agent, input });
  if (record.agent !== agent || JSON.stringify(record.input) !== JSON.stringify(input)) {
    throw new BridleError('RUN_STATE', `there is a run "${id}" that was asked something else; take another id`);
  }
  return record;
}
