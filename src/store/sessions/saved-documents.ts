/** Sessions as the store sees them: opaque documents, each with one writer at a time. */

import type { JsonObject } from '../../kernel/json.ts';

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
