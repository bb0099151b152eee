/** The contents of runs: input, output, state, and the recorded steps. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Queries, Row, Transaction } from '../database/database.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import type { SealedColumns } from '../namespace/sealed-row.ts';
import type { RunStep } from './run-record.ts';
import { damagedRun, type RunRow } from './run-rows.ts';

/** Identifies a value of a run. The version grows for `state` and is 0 for the others. */
interface RunValueId {
  readonly run: string;
  readonly name: 'input' | 'output' | 'state';
  readonly version: number;
}

const valuesTable = 'bridle_run_values';
const stepsTable = 'bridle_run_steps';

export class RunContents {
  constructor(private readonly context: NamespaceContext) {}

  /** The input outlives the run. If it exists already, the row of the run itself was lost. */
  async putInput(transaction: Transaction, run: string, value: JsonValue): Promise<void> {
    const sealed = this.seal({ run, name: 'input', version: 0 }, value);
    const inserted = await transaction.run(
      `INSERT INTO ${valuesTable} (namespace, run, name, body, mac) VALUES (?, ?, 'input', ?, ?) ON CONFLICT DO NOTHING`,
      [this.context.namespace, run, sealed.body, sealed.mac],
    );
    if (inserted !== 1) throw damagedRun(run, 'its input exists, but its row is missing');
  }

  /** `version` distinguishes a state from the one before, so a replayed old state is detected. */
  async put(transaction: Transaction, about: RunValueId, value: JsonValue): Promise<void> {
    const { run, name } = about;
    const sealed = this.seal(about, value);
    await transaction.run(
      `INSERT INTO ${valuesTable} (namespace, run, name, body, mac) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (namespace, run, name) DO UPDATE SET body = excluded.body, mac = excluded.mac`,
      [this.context.namespace, run, name, sealed.body, sealed.mac],
    );
  }

  /** Inputs and outputs of some runs. */
  async read(queries: Queries, runs: readonly string[]): Promise<ReadonlyMap<string, JsonValue>> {
    if (runs.length === 0) return new Map();
    const placeholders = runs.map(() => '?').join(', ');
    const rows = await queries.all(
      `SELECT * FROM ${valuesTable} WHERE namespace = ? AND name IN ('input', 'output') AND run IN (${placeholders})`,
      [this.context.namespace, ...runs],
    );
    return new Map(
      rows.map((row) => {
        const [run, name] = [String(row['run']), String(row['name'])];
        return [runValueKey(run, name), this.open(row, { run, name }).value];
      }),
    );
  }

  async state(queries: Queries, { id, stateVersion }: RunRow): Promise<JsonValue | undefined> {
    if (stateVersion === 0) return undefined;
    const [row] = await queries.all(`SELECT * FROM ${valuesTable} WHERE namespace = ? AND run = ? AND name = 'state'`, [
      this.context.namespace,
      id,
    ]);
    const { version, value } =
      row === undefined ? { version: undefined, value: null } : this.open(row, { run: id, name: 'state' });
    if (version !== stateVersion) throw damagedRun(id, 'its state is not the last one recorded');
    return value;
  }

  async addStep(
    transaction: Transaction,
    about: { readonly run: string; readonly seq: number },
    step: Omit<RunStep, 'seq'>,
  ): Promise<void> {
    const { run, seq } = about;
    const { kind, name, value } = step;
    const body = contentText({ kind, name, value }, `the step "${name}" of a run`);
    const sealed = this.context.sealer.sealState({ table: stepsTable, key: [run, seq] }, body);
    await transaction.run(`INSERT INTO ${stepsTable} (namespace, run, seq, body, mac) VALUES (?, ?, ?, ?, ?)`, [
      this.context.namespace,
      run,
      seq,
      sealed.body,
      sealed.mac,
    ]);
  }

  async steps(queries: Queries, { id, steps: count }: RunRow): Promise<readonly RunStep[]> {
    const rows = await queries.all(`SELECT * FROM ${stepsTable} WHERE namespace = ? AND run = ? ORDER BY seq`, [
      this.context.namespace,
      id,
    ]);
    if (rows.length !== count || rows.some((row, at) => row['seq'] !== at)) {
      throw damagedRun(id, `${count} steps were recorded, but ${rows.length} are stored`);
    }
    return rows.map((row, seq) => {
      const body = this.context.sealer.open({ table: stepsTable, key: [id, seq] }, row);
      return { seq, ...(JSON.parse(body) as Omit<RunStep, 'seq'>) };
    });
  }

  /** Deletes what an ended run no longer needs. */
  async deleteWork(transaction: Transaction, run: string): Promise<void> {
    const about = [this.context.namespace, run];
    await Promise.all([
      transaction.run(`DELETE FROM ${stepsTable} WHERE namespace = ? AND run = ?`, about),
      transaction.run(`DELETE FROM ${valuesTable} WHERE namespace = ? AND run = ? AND name = 'state'`, about),
    ]);
  }

  private seal({ run, name, version }: RunValueId, value: JsonValue): SealedColumns {
    const body = contentText({ version, value }, `the ${name} of a run`);
    return this.context.sealer.sealState({ table: valuesTable, key: [run, name] }, body);
  }

  private open(row: Row, { run, name }: { run: string; name: string }): { version: number; value: JsonValue } {
    const body = this.context.sealer.open({ table: valuesTable, key: [run, name] }, row);
    return JSON.parse(body) as { version: number; value: JsonValue };
  }
}

/** The key of a value in the result of {@link RunContents.read}. */
export function runValueKey(run: string, name: string): string {
  return `${name} ${run}`;
}

function contentText(content: JsonObject, what: string): string {
  if (content['value'] === undefined) throw new BridleError('NOT_JSON', `${what} has no value`);
  return JSON.stringify(content);
}
