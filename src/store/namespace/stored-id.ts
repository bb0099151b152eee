/** Checks ids that users choose for sessions and runs. They become row keys and file names. */

/** Allows letters, digits, `.`, `_` and `-`, but not `..`: an id must not work as a path. */
export function storedIdProblem(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'is not a string';
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    return 'is not 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or digit';
  }
  return id.includes('..') ? 'contains ".."' : undefined;
}
