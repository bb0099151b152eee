/** Sessions in a store: whoever saves must have seen what was saved last, or is told that somebody else has gone on. */

import { BridleError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Queries, Transaction } from '../database/database.ts';
import { writeOnce } from '../database/unsure-commit.ts';
import type { PartOptions } from '../part-options.ts';
import { storedIdProblem } from '../stored-id.ts';
import type { SavedDocument, SavedDocuments } from './saved-documents.ts';

const table = 'bridle_sessions';
/** That a session was begun: without this one that was lost would be begun anew, with nothing used. */
const marksTable = 'bridle_session_marks';

export function openSessions(parts: PartOptions): SavedDocuments {
  return new StoredSessions(parts);
}

class StoredSessions implements SavedDocuments {
  constructor(private readonly parts: PartOptions) {}

  async load(id: string): Promise<SavedDocument | undefined> {
    return (await this.read(this.parts.database, id))?.document;
  }

  async save(id: string, body: JsonObject, version: number): Promise<number> {
    const problem = storedIdProblem(id);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the id of a session ${problem}`);
    const { database, namespace, sealer, clock } = this.parts;
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
    const about = [this.parts.namespace, id];
    await this.parts.database.write(async (transaction) => {
      await transaction.run(`DELETE FROM ${table} WHERE namespace = ? AND id = ?`, about);
      await transaction.run(`DELETE FROM ${marksTable} WHERE namespace = ? AND id = ?`, about);
    });
  }

  async list(limit = 100): Promise<readonly { readonly id: string; readonly savedAt: number }[]> {
    const rows = await this.parts.database.all(
      `SELECT id, saved_at FROM ${table} WHERE namespace = ? ORDER BY saved_at DESC, id LIMIT ?`,
      [this.parts.namespace, limit],
    );
    return rows.map(({ id, saved_at: savedAt }) => ({ id: String(id), savedAt: Number(savedAt) }));
  }

  private async read(
    queries: Queries,
    id: string,
  ): Promise<{ readonly document: SavedDocument; readonly mac: string } | undefined> {
    const about = [this.parts.namespace, id];
    const [row] = await queries.all(`SELECT body, mac FROM ${table} WHERE namespace = ? AND id = ?`, about);
    if (row === undefined) {
      const marks = await queries.all(`SELECT id FROM ${marksTable} WHERE namespace = ? AND id = ?`, about);
      if (marks.length > 0) throw lost(id);
      return undefined;
    }
    const document = JSON.parse(this.parts.sealer.open({ table, key: [id] }, row)) as SavedDocument;
    return { document, mac: String(row['mac']) };
  }
}

function conflict(id: string): BridleError {
  const what = `Another process has saved the session "${id}" meanwhile`;
  return new BridleError('STORE_CONFLICT', `${what}: it is kept as that one left it. Load it again to go on with it.`);
}

function lost(id: string): BridleError {
  return new BridleError(
    'STORE_DAMAGED',
    `The session "${id}" was lost. Restore the store from a copy, or delete the session to begin it anew.`,
  );
}
