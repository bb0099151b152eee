/** Texts in answers. Hosts show them to the model and in terminals, so they are short and plain. */

import { lazy } from '../kernel/lazy.ts';

const maxBytes = 8192;
/** The two joiners stay: scripts and emoji need them, and terminals do not interpret them. */
const controlCharacters = lazy(() => /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu);

/** At most 8 KB, never empty, with control characters made visible. Hosts run calls whose refusal has no reason. */
export function reasonText(reason: string): string {
  const shown = reason
    .slice(0, maxBytes)
    .replaceAll('\r\n', '\n')
    .replaceAll(
      controlCharacters(),
      (unit) => `⟨U+${unit.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
  return limitBytes(shown.trim() || 'Denied.', reason.length > maxBytes);
}

/** For results that replace others: everything stays, except that a very long text is cut. */
export function resultText(text: string): string {
  return text.length > 1_000_000 ? `${text.slice(0, 1_000_000)}\n[cut: ${text.length} characters]` : text;
}

const note = ' [cut]';

function limitBytes(text: string, isCut: boolean): string {
  const bytes = Buffer.from(isCut ? `${text}${note}` : text, 'utf8');
  if (bytes.length <= maxBytes) return bytes.toString('utf8');
  // A cut through a character leaves a replacement character at the end.
  const head = bytes.subarray(0, maxBytes - note.length - 3).toString('utf8');
  return `${head.replace(/\uFFFD$/, '')}${note}`;
}
