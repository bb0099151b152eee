/**
 * Parses a URL; returns undefined if it is invalid. It does not use `URL.canParse`: once optimised on Node 20, that
 * misreads text with characters such as ü.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
