/** Counts how often Bridle searches for a name that is similar to an unknown one. */

import { vi } from 'vitest';

/** How often names similar to `name` were searched while `run` ran. */
export async function nameSearches(name: string, run: () => Promise<unknown>): Promise<number> {
  // A search folds the case of the name once, before it compares it with others.
  const folds = vi.spyOn(String.prototype, 'toLowerCase');
  try {
    await run();
    return folds.mock.contexts.filter((folded) => String(folded) === name).length;
  } finally {
    folds.mockRestore();
  }
}
