/** Sessions as the store keeps them: documents it does not look into, each with one writer at a time. */

import type { JsonObject } from '../../kernel/json.ts';

export interface SavedDocument {
  readonly body: JsonObject;
  /** Grows with every save. */
  readonly version: number;
}

export interface SavedDocuments {
  load(id: string): Promise<SavedDocument | undefined>;
  /** Saves what follows `version` (0: nothing yet); an error if somebody else has saved meanwhile. The new version. */
  save(id: string, body: JsonObject, version: number): Promise<number>;
  delete(id: string): Promise<void>;
  /** The ids, the last saved first; 100 if not given. */
  list(limit?: number): Promise<readonly { readonly id: string; readonly savedAt: number }[]>;
}
