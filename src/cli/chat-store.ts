/** The store of a conversation: what was decided in it outlives it, and another terminal can answer its questions. */

import { BridleError, messageOf } from '../errors.ts';
import type { Store, StoreOptions } from '../store/store.ts';

export interface ChatStore {
  readonly opened: Store | undefined;
  /** What the user should know. */
  readonly notice: string | undefined;
}

/** A folder that cannot be written is no reason not to talk; a store that is damaged is one to look first. */
export async function openChatStore(options: StoreOptions | undefined): Promise<ChatStore> {
  if (options === undefined) return { opened: undefined, notice: undefined };
  const { openStore } = await import('../store/open-store.ts');
  try {
    return { opened: await openStore(options), notice: undefined };
  } catch (error) {
    if (!(error instanceof BridleError) || error.code !== 'STORE_FAILED') throw error;
    return { opened: undefined, notice: `no store, so nothing is recorded: ${messageOf(error)}` };
  }
}
