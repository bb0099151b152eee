import { cutText } from '../../../kernel/json.ts';

const maxLength = 200;

/** Quotes untrusted text for a message: escapes invisible and control characters, and truncates it. */
export function quote(text: string): string {
  const shown = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return cutText(shown, maxLength);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
