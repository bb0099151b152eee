/** Sessions in a store. Saving requires the last saved version; otherwise it fails with a conflict. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Queries, Transaction } from '../database/database.ts';
import { writeOnce } from '../database/unknown-commit-outcome.ts';
import type { NamespaceContext } from '../namespace/namespace-context.ts';
import { storedIdProblem } from '../namespace/stored-id.ts';
import type { SavedDocument, SavedDocuments } from './saved-documents.ts';

const table = 'bridle_sessions';
/** Marks that a session exists. Without it, a lost row would look like a new session that has used nothing. */
const marksTable = 'bridle_session_marks';

export function openSessions(context: NamespaceContext): SavedDocuments {
  return new StoredSessions(context);
}

class StoredSessions implements SavedDocuments {
  constructor(private readonly context: NamespaceContext) {}

  async load(id: string): Promise<SavedDocument | undefined> {
    return (await this.read(this.context.database, id))?.document;
  }

  async save(id: string, body: JsonObject, version: number): Promise<number> {
    const problem = storedIdProblem(id);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the id of a session ${problem}`);
    const { database, namespace, sealer, clock } = this.context;
    const next: SavedDocument = { body, version: version + 1 };
    const sealed = sealer.sealState({ table, key: [id] }, JSON.stringify(next));
    const write = async (transaction: Transaction): Promise<number> => {
      const [, found] = await Promise.all([transaction.lock(`session:${namespace}:${id}`), this.read(transaction, id)]);
      if ((found?.document.version ?? 0) !== version) throw conflict(id);
      const about = [namespace, id];
      const columns = [clock(), sealed.body, sealed.mac, ...about];
      const written = await transaction.run(
        found === undefined
          ? `INSERT INTO ${table} (saved_at, body, mac, namespace, id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
          : `UPDATE ${table} SET saved_at = ?, body = ?, mac = ? WHERE namespace = ? AND id = ? AND mac = ?`,
        found === undefined ? columns : [...columns, found.mac],
      );
      if (written !== 1) throw conflict(id);
      if (found === undefined) await transaction.run(`INSERT INTO ${marksTable} (namespace, id) VALUES (?, ?)`, about);
      return next.version;
    };
    return writeOnce(
      () => database.write(write),
      async () => ((await this.read(database, id))?.mac === sealed.mac ? next.version : undefined),
    );
  }

  async delete(id: string): Promise<void> {
    const about = [this.context.namespace, id];
    await this.context.database.write(async (transaction) => {
      await transaction.run(`DELETE FROM ${table} WHERE namespace = ? AND id = ?`, about);
      await transaction.run(`DELETE FROM ${marksTable} WHERE namespace = ? AND id = ?`, about);
    });
  }

  async list(limit = 100): Promise<readonly { readonly id: string; readonly savedAt: number }[]> {
    const rows = await this.context.database.all(
      `SELECT id, saved_at FROM ${table} WHERE namespace = ? ORDER BY saved_at DESC, id LIMIT ?`,
      [this.context.namespace, limit],
    );
    return rows.map(({ id, saved_at: savedAt }) => ({ id: String(id), savedAt: Number(savedAt) }));
  }

  private async read(
    queries: Queries,
    id: string,
  ): Promise<{ readonly document: SavedDocument; readonly mac: string } | undefined> {
    const about = [this.context.namespace, id];
    const [row] = await queries.all(`SELECT body, mac FROM ${table} WHERE namespace = ? AND id = ?`, about);
    if (row === undefined) {
      const marks = await queries.all(`SELECT id FROM ${marksTable} WHERE namespace = ? AND id = ?`, about);
      if (marks.length > 0) throw lostSession(id);
      return undefined;
    }
    const document = JSON.parse(this.context.sealer.open({ table, key: [id] }, row)) as SavedDocument;
    return { document, mac: String(row['mac']) };
  }
}

function conflict(id: string): BridleError {
  const what = `Another process has saved the session "${id}" in the meantime`;
  return new BridleError('STORE_CONFLICT', `${what}, and that version is kept. Load the session again to continue.`);
}

function lostSession(id: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The session "${id}" was lost. Restore the store from a backup, or delete the session to start it again.`,
  );
}
