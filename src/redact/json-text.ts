/** Parses a text that is a JSON object or list; returns undefined for any other text. */
export function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 64))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Uses the indentation of another text. */
export function stringifyLike(text: string, value: unknown): string {
  return JSON.stringify(value, undefined, /^[[{]\r?\n( +|\t)/.exec(text)?.[1] ?? 0);
}
