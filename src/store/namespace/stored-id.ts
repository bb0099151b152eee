/** Ids that people choose: of sessions and runs, which name rows and files. */

/** Letters, digits, `.`, `_` and `-`, none of the first kind of trick. */
export function storedIdProblem(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'is not a text';
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    return 'is not 1 to 128 letters, digits, ".", "_" or "-", beginning with a letter or digit';
  }
  return id.includes('..') ? 'holds ".."' : undefined;
}
