/**
 * Sessions as the store sees them: opaque documents, each with one writer at a time. Saving requires the last saved
 * version; otherwise it fails with a conflict.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Transaction } from '../database/database.ts';
import { writeOnce } from '../database/write-once.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import { storedIdProblem } from '../namespace/stored-id.ts';
import { SealedTable } from '../namespace/sealed-table.ts';

export interface SavedDocument {
  readonly body: JsonObject;
  /** Grows with every save. */
  readonly version: number;
}

export interface SavedDocuments {
  load(id: string): Promise<SavedDocument | undefined>;
  /**
   * Saves the successor of `version` (0: none yet) and returns the new version. Fails if another process saved in
   * between.
   */
  save(id: string, body: JsonObject, version: number): Promise<number>;
  delete(id: string): Promise<void>;
  /** Ids, last saved first. Default limit: 100. */
  list(limit?: number): Promise<readonly { readonly id: string; readonly savedAt: number }[]>;
}

export function openSessions(context: NamespaceContext): SavedDocuments {
  return new StoredSessions(context);
}

class StoredSessions implements SavedDocuments {
  private readonly table: SealedTable<SavedDocument>;

  constructor(private readonly context: NamespaceContext) {
    this.table = new SealedTable(context, 'bridle_sessions', {
      isState: true,
      marks: { table: 'bridle_session_marks', lost: ([id]) => lostSession(id) },
    });
  }

  async load(id: string): Promise<SavedDocument | undefined> {
    return (await this.table.read(this.context.database, [id]))?.body;
  }

  async save(id: string, body: JsonObject, version: number): Promise<number> {
    const problem = storedIdProblem(id);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the id of a session ${problem}`);
    const { database, namespace, clock } = this.context;
    const row = this.table.seal([id], { body, version: version + 1 });
    const write = async (transaction: Transaction): Promise<number> => {
      const [, found] = await Promise.all([
        transaction.lock(`session:${namespace}:${id}`),
        this.table.read(transaction, [id]),
      ]);
      if ((found?.body.version ?? 0) !== version) throw conflict(id);
      const columns = { saved_at: clock() };
      const isWritten =
        found === undefined
          ? await this.table.insert(transaction, row, columns)
          : await this.table.swap(transaction, found, { row, columns });
      if (!isWritten) throw conflict(id);
      return row.body.version;
    };
    return writeOnce(
      () => database.write(write),
      async () => ((await this.table.read(database, [id]))?.mac === row.mac ? row.body.version : undefined),
    );
  }

  async delete(id: string): Promise<void> {
    await this.context.database.write((transaction) => this.table.delete(transaction, [id]));
  }

  async list(limit = 100): Promise<readonly { readonly id: string; readonly savedAt: number }[]> {
    const rows = await this.context.database.all(
      'SELECT id, saved_at FROM bridle_sessions WHERE namespace = ? ORDER BY saved_at DESC, id LIMIT ?',
      [this.context.namespace, limit],
    );
    return rows.map(({ id, saved_at: savedAt }) => ({ id: String(id), savedAt: Number(savedAt) }));
  }
}

function conflict(id: string): BridleError {
  const what = `Another process has saved the session "${id}" in the meantime`;
  return new BridleError('STORE_CONFLICT', `${what}, and that version is kept. Load the session again to continue.`);
}

function lostSession(id: unknown): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The session "${String(id)}" was lost. Restore the store from a backup, or delete the session to start it again.`,
  );
}
