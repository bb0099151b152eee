/**
 * Reads a URL, or gives undefined for what is none. `URL.canParse` is not used: once optimised, Node 20 has it misread
 * text with letters such as ü.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
