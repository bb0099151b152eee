/**
 * Makes text from models and tools safe to print. Characters that a terminal would interpret (escape sequences, other
 * control characters, direction changes) are escaped; new lines and tabs stay.
 */

import { lazy } from '../../kernel/lazy.ts';

/** The two joiners stay: scripts and emoji need them, and terminals do not interpret them. */
const controlCharacters = lazy(() => /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu);

export function escapeControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(controlCharacters(), (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Removes what a terminal would interpret: for text that a person types or pastes. */
export function dropControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(controlCharacters(), '');
}

/** Escapes text and marks its further lines, so they can't pass for Bridle's own output. */
export function safeText(text: string): string {
  return escapeControls(text).trimEnd().replaceAll('\n', '\n    │ ');
}

/** One line of JSON with control characters escaped; it parses to the same value. */
export function safeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(controlCharacters(), (unit) =>
    Array.from({ length: unit.length }, (_, at) => escaped(unit.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** {@link escapeControls} for streamed text, which may be split anywhere. */
export class ControlEscaper {
  private pending = '';

  push(piece: string): string {
    const text = this.pending + piece;
    // May be the first half of a line end or a surrogate pair.
    const isHalf = /[\r\uD800-\uDBFF]$/.test(text);
    this.pending = isHalf ? text.slice(-1) : '';
    return escapeControls(isHalf ? text.slice(0, -1) : text);
  }

  flush(): string {
    const rest = escapeControls(this.pending);
    this.pending = '';
    return rest;
  }
}
