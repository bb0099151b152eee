/** What comes of a run, as far as it got. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Prompt } from '../../kernel/hooks/points/payloads.ts';
import type { RunRecord } from '../../store/runs/run-record.ts';
import { toJsonPrompt } from '../turn/state/turn-checkpoint.ts';
import type { TurnResult } from '../turn/state/turn-result.ts';

export type RunResult<Data = JsonValue> =
  | ({ readonly state: 'done'; readonly id: string } & TurnResult<Data>)
  /** For these approvals; it goes on once one of them is answered and somebody resumes it. */
  | { readonly state: 'waiting'; readonly id: string; readonly approvals: readonly string[] }
  /** It was given back, and goes on when somebody resumes it. */
  | { readonly state: 'queued'; readonly id: string }
  | { readonly state: 'failed' | 'cancelled'; readonly id: string; readonly error: string };

const inputVersion = 1;

/** What a run is asked, as it is kept. */
export interface RunInput {
  readonly prompt: Prompt;
  /** A JSON Schema that the answer must fit. */
  readonly schema?: JsonObject | undefined;
}

export function toJsonInput({ prompt, schema }: RunInput): JsonValue {
  const plain = toJsonPrompt(prompt) as unknown as JsonValue;
  return { version: inputVersion, prompt: plain, schema: schema ?? null };
}

export function readRunInput({ id, input }: RunRecord): RunInput {
  const known = isJsonObject(input) && input['version'] === inputVersion && isJsonObject(input['prompt'] ?? null);
  if (!known) throw new BridleError('RUN_STATE', `what the run "${id}" was asked cannot be read by this version`);
  const { prompt, schema } = input as { readonly prompt: JsonValue; readonly schema: JsonObject | null };
  return { prompt: prompt as unknown as Prompt, schema: schema ?? undefined };
}

/** A result without what JSON cannot hold. */
export function toJsonResult(result: TurnResult): JsonValue {
  return JSON.parse(JSON.stringify(result)) as JsonValue;
}

/** What a run that has ended came to; undefined if it has not. */
export function runResultOf({ id, state, output, error = '' }: RunRecord): RunResult | undefined {
  switch (state) {
    case 'done':
      return { ...(output as unknown as TurnResult), ...optionalFieldsOf(output), state, id };
    case 'failed':
    case 'cancelled':
      return { state, id, error };
    case 'queued':
    case 'running':
    case 'waiting':
      return undefined;
    default:
      return state satisfies never;
  }
}

/** Fields that were undefined are not kept, and are there all the same. */
function optionalFieldsOf(output: JsonValue | undefined): Pick<TurnResult, 'data' | 'problem' | 'cost'> {
  const { data, problem, cost } = (output ?? {}) as Partial<TurnResult>;
  return { data, problem, cost };
}
