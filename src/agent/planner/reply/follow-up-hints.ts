/** Hints for the next request after a call: how to see more lines, or what was probably meant. */

import type { CompletedCall } from './conversation.ts';

/** `… 94 more lines; say "show me lines 21-40 of package.json"`. */
export function moreLinesHint({ tool, args }: CompletedCall, lines: readonly string[], shown: number): string {
  const path = tool === 'view_file' ? asRequestWord(args['file_path']) : undefined;
  const last = numberOf(lines[shown - 1]);
  const end = numberOf(lines.findLast((line) => numberOf(line) !== undefined));
  if (path === undefined || last === undefined || end === undefined || end <= last) {
    return `… ${lines.length - shown} more lines`;
  }
  const next = `show me lines ${last + 1}-${Math.min(last + shown, end)} of ${path}`;
  return `… ${end - last} more lines; say ${quoteRequest(next)}`;
}

/** The number at the start of a line of a file. */
function numberOf(line = ''): number | undefined {
  const found = /^ *(\d{1,9})\t/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Suggests `"search for TODO in src"` after a search by file name for something that is unlikely to be one. */
export function searchHint({ tool, args }: CompletedCall, message: string): string | undefined {
  const { query, directory_path: folder } = args;
  if (tool !== 'find_file' || typeof query !== 'string' || !looksLikeText(query, message)) return undefined;
  const [what, where] = [asRequestWord(query), asRequestWord(folder)];
  if (what === undefined || where === undefined) return undefined;
  return quoteRequest(`search for ${what}${where === '.' ? '' : ` in ${where}`}`);
}

function looksLikeText(query: string, message: string): boolean {
  if (/[.*?/\\[\]{}]/.test(query)) return false;
  return /\s/.test(query) || /^\p{Lu}[\p{Lu}\p{N}_]+$/u.test(query) || message.includes(`"${query}"`);
}

/** A value as a word of a request, quoted if necessary. */
function asRequestWord(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > 200 || /["\\\p{Cc}]/u.test(value)) return undefined;
  return /^[\p{L}\p{N}_./~@+-]*[\p{L}\p{N}_/]$|^\.\.?$/u.test(value) ? value : `"${value}"`;
}

function quoteRequest(request: string): string {
  return request.includes('"') ? `\`${request}\`` : `"${request}"`;
}
