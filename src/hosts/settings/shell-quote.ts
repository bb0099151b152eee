/** Quotes a text for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The text without quotes and backslashes, to compare paths that are quoted in different ways. */
export function unquoted(text: string): string {
  return text.replaceAll(/['"\\]/g, '');
}
