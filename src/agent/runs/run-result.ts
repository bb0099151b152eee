/** The input and the result of a run, and their stored form. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Prompt } from '../../kernel/hooks/points/payloads.ts';
import type { RunRecord } from '../../store/runs/run-record.ts';
import { toJsonPrompt } from '../turn/turn-log.ts';
import type { TurnResult } from '../turn/turn-result.ts';

export type RunResult<Data = JsonValue> =
  | ({ readonly state: 'done'; readonly id: string } & TurnResult<Data>)
  /** Waits for these approvals. Resume it once one of them is answered. */
  | { readonly state: 'waiting'; readonly id: string; readonly approvals: readonly string[] }
  /** Was released before its end. Resume it to continue. */
  | { readonly state: 'queued'; readonly id: string }
  | { readonly state: 'failed' | 'cancelled'; readonly id: string; readonly error: string };

const inputVersion = 1;

/** The input of a run. */
export interface RunInput {
  readonly prompt: Prompt;
  /** A JSON Schema that the answer must match. */
  readonly schema?: JsonObject | undefined;
}

export function toJsonInput({ prompt, schema }: RunInput): JsonValue {
  const plain = toJsonPrompt(prompt) as unknown as JsonValue;
  return { version: inputVersion, prompt: plain, schema: schema ?? null };
}

export function readRunInput({ id, input }: RunRecord): RunInput {
  const known = isJsonObject(input) && input['version'] === inputVersion && isJsonObject(input['prompt'] ?? null);
  if (!known) throw new BridleError('RUN_STATE', `this version of Bridle cannot read the input of the run "${id}"`);
  const { prompt, schema } = input as { readonly prompt: JsonValue; readonly schema: JsonObject | null };
  return { prompt: prompt as unknown as Prompt, schema: schema ?? undefined };
}

/** A result as JSON data. */
export function toJsonResult(result: TurnResult): JsonValue {
  return JSON.parse(JSON.stringify(result)) as JsonValue;
}

/** The result of a run that has ended; undefined if it has not. */
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

/** JSON drops undefined fields. This adds them back. */
function optionalFieldsOf(output: JsonValue | undefined): Pick<TurnResult, 'data' | 'problem' | 'cost'> {
  const { data, problem, cost } = (output ?? {}) as Partial<TurnResult>;
  return { data, problem, cost };
}
