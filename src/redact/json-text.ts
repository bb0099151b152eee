/** Texts that are JSON: they say more as data. */

/** What an object or a list says; undefined for any other text. */
export function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 64))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Indented as another text is. */
export function stringifyLike(text: string, value: unknown): string {
  return JSON.stringify(value, undefined, /^[[{]\r?\n( +|\t)/.exec(text)?.[1] ?? 0);
}
