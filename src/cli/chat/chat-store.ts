/** The store of a conversation: what was decided in it outlives it, and another terminal can answer its questions. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Store, StoreOptions } from '../../store/store.ts';

export interface ChatStoreChoice {
  readonly options: StoreOptions;
  /** True: the user has said which one, and counts on it. */
  readonly isNamed: boolean;
}

export interface ChatStore {
  readonly opened: Store | undefined;
  /** What the user should know. */
  readonly notice: string | undefined;
}

/**
 * A folder that cannot be written is no reason not to talk; a store that is damaged is one to look first, and so is one
 * that somebody has named.
 */
export async function openChatStore(chosen: ChatStoreChoice | undefined): Promise<ChatStore> {
  if (chosen === undefined) return { opened: undefined, notice: undefined };
  const { openStore } = await import('../../store/open-store.ts');
  try {
    return { opened: await openStore(chosen.options), notice: undefined };
  } catch (error) {
    if (chosen.isNamed || !(error instanceof BridleError) || error.code !== 'STORE_FAILED') throw error;
    return { opened: undefined, notice: `no store, so nothing is recorded: ${messageOf(error)}` };
  }
}
