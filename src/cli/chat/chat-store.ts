/** Opens the store of a chat, which records its decisions and lets another terminal answer its approvals. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Store, StoreOptions } from '../../store/store.ts';

export interface ChatStoreChoice {
  readonly options: StoreOptions;
  /** True if the user named the store: if it can't be opened, the chat must not start. */
  readonly isNamed: boolean;
}

export interface ChatStore {
  readonly opened: Store | undefined;
  /** Shown before the first turn. */
  readonly notice: string | undefined;
}

/**
 * If the default store can't be opened, for example in a read-only folder, the chat starts without one. A damaged store
 * or one that the user named is an error.
 */
export async function openChatStore(chosen: ChatStoreChoice | undefined): Promise<ChatStore> {
  if (chosen === undefined) return { opened: undefined, notice: undefined };
  const { openStore } = await import('../../store/open-store.ts');
  try {
    return { opened: await openStore(chosen.options), notice: undefined };
  } catch (error) {
    if (chosen.isNamed || !(error instanceof BridleError) || error.code !== 'STORE_FAILED') throw error;
    return {
      opened: undefined,
      notice: `nothing is recorded, because the store cannot be opened: ${messageOf(error)}`,
    };
  }
}
