/**
 * Text of models and tools on its way to a terminal. Whatever a terminal would obey instead of show (escape sequences,
 * other control characters, changes of direction) is spelled out; new lines and tabs stay.
 */

import { lazy } from '../../kernel/lazy.ts';

/** The two joiners stay: scripts and emoji need them, and terminals do not obey them. */
const controlCharacters = lazy(() => /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu);

export function escapeControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(controlCharacters(), (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Spelled out, with later lines set apart: they must not pass for lines of ours. */
export function safeText(text: string): string {
  return escapeControls(text).trimEnd().replaceAll('\n', '\n    │ ');
}

/** JSON on one line that holds no character a terminal obeys, and is the same JSON. */
export function safeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(controlCharacters(), (unit) =>
    Array.from({ length: unit.length }, (_, at) => escaped(unit.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** {@link escapeControls} for text that comes in pieces, cut anywhere. */
export class ControlEscaper {
  private pending = '';

  push(piece: string): string {
    const text = this.pending + piece;
    // The next piece tells whether this is half of something.
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
