/** The contents of runs: input, output, state, and the recorded steps. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Queries, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { type SealedRow, SealedTable } from '../namespace/sealed-table.ts';
import type { RunStep } from './run-record.ts';
import { damagedRun, type RunRow } from './run-rows.ts';

/** Identifies a value of a run. The version grows for `state` and is 0 for the others. */
interface RunValueId {
  readonly run: string;
  readonly name: 'input' | 'output' | 'state';
  readonly version: number;
}

interface RunValue {
  readonly version: number;
  readonly value: JsonValue;
}

export class RunContents {
  private readonly values: SealedTable<RunValue>;
  private readonly stepRows: SealedTable<Omit<RunStep, 'seq'>>;

  constructor(private readonly context: NamespaceContext) {
    this.values = new SealedTable(context, 'bridle_run_values', { isState: true });
    this.stepRows = new SealedTable(context, 'bridle_run_steps', { isState: true });
  }

  /** The input outlives the run. If it exists already, the row of the run itself was lost. */
  async putInput(transaction: Transaction, run: string, value: JsonValue): Promise<void> {
    const row = this.seal({ run, name: 'input', version: 0 }, value);
    if (await this.values.insert(transaction, row)) return;
    throw damagedRun(run, 'its input exists, but its row is missing');
  }

  /** `version` distinguishes a state from the one before, so a replayed old state is detected. */
  put(transaction: Transaction, about: RunValueId, value: JsonValue): Promise<void> {
    return this.values.put(transaction, this.seal(about, value));
  }

  /** Inputs and outputs of some runs. */
  async read(queries: Queries, runs: readonly string[]): Promise<ReadonlyMap<string, JsonValue>> {
    if (runs.length === 0) return new Map();
    const condition = `name IN ('input', 'output') AND run IN (${runs.map(() => '?').join(', ')})`;
    const rows = await this.values.select(queries, condition, runs);
    return new Map(rows.map(({ key: [run, name], body }) => [runValueKey(String(run), String(name)), body.value]));
  }

  async state(queries: Queries, { id, stateVersion }: RunRow): Promise<JsonValue | undefined> {
    if (stateVersion === 0) return undefined;
    const row = await this.values.read(queries, [id, 'state']);
    if (row?.body.version !== stateVersion) throw damagedRun(id, 'its state is not the last one recorded');
    return row.body.value;
  }

  async addStep(
    transaction: Transaction,
    about: { readonly run: string; readonly seq: number },
    { kind, name, value }: Omit<RunStep, 'seq'>,
  ): Promise<void> {
    const { run, seq } = about;
    checkValue(value, `the step "${name}" of a run`);
    if (await this.stepRows.insert(transaction, this.stepRows.seal([run, seq], { kind, name, value }))) return;
    throw damagedRun(run, `it has no step ${seq} yet, but one is stored`);
  }

  async steps(queries: Queries, { id, steps: count }: RunRow): Promise<readonly RunStep[]> {
    const rows = await this.stepRows.select(queries, 'run = ? ORDER BY seq', [id]);
    // A damaged index can return the rows of another run.
    if (rows.length !== count || rows.some(({ key }, at) => key[0] !== id || key[1] !== at)) {
      throw damagedRun(id, `${count} steps were recorded, but ${rows.length} are stored`);
    }
    return rows.map(({ body }, seq) => ({ seq, ...body }));
  }

  /** Deletes what an ended run no longer needs. */
  async deleteWork(transaction: Transaction, run: string): Promise<void> {
    await Promise.all([
      transaction.run('DELETE FROM bridle_run_steps WHERE namespace = ? AND run = ?', [this.context.namespace, run]),
      this.values.delete(transaction, [run, 'state']),
    ]);
  }

  private seal({ run, name, version }: RunValueId, value: JsonValue): SealedRow<RunValue> {
    checkValue(value, `the ${name} of a run`);
    return this.values.seal([run, name], { version, value });
  }
}

/** The key of a value in the result of {@link RunContents.read}. */
export function runValueKey(run: string, name: string): string {
  return `${name} ${run}`;
}

function checkValue(value: JsonValue | undefined, what: string): void {
  if (value === undefined) throw new BridleError('NOT_JSON', `${what} has no value`);
}
