import { cutText } from '../../../kernel/json.ts';

const maxLength = 200;

/** Text from outside, for a reason: in quotes, invisible and control characters made visible, cut. */
export function quote(text: string): string {
  const shown = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return cutText(shown, maxLength);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
