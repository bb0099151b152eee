/** What stands where a secret belongs and is none: where it comes from, an example, a word that says there is none. */

/** `$TOKEN`, `${token}`, `$(pass show x)`, `%TOKEN%`, `{{ token }}`, `<token>`, `***`. */
const placeholder =
  /^(?:\$(?:[A-Za-z_]\w*$|[({])|%[A-Za-z_]\w*%$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$|your[_ -]|replace[_ -]?me|`)/i;

/** The same where a text is data, and a dollar says nothing. */
const strictPlaceholder = /^(?:\$\{\w+\}$|\$[A-Z_][A-Z0-9_]*$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$)/;

const nonSecretWords = new Set(
  (
    'true false yes no none null nil undefined required optional include omit same-origin string str number integer ' +
    'boolean bool bytes object array any unknown never void redacted inherit'
  ).split(' '),
);
const proseWords = new Set(
  (
    'text enabled disabled auto prompt always inherit manual default hidden empty missing invalid masked stdin env basic ' +
    'bearer oauth oauth2 digest token password secret key'
  ).split(' '),
);

/** Nobody writes a longer one. */
const maxLength = 256;

export function isPlaceholder(text: string): boolean {
  return text.length <= maxLength ? placeholder.test(text) : /^(?:\$[({]|`)/.test(text);
}

export function isStrictPlaceholder(text: string): boolean {
  return text.length <= maxLength && strictPlaceholder.test(text);
}

/** True for words that say there is no secret, or what type it has. */
export function isNonSecretWord(text: string): boolean {
  return text.length < 16 && nonSecretWords.has(text.toLowerCase());
}

/** The same where it is not sure that a secret is meant. */
export function isProseWord(text: string): boolean {
  return isNonSecretWord(text) || (text.length < 16 && proseWords.has(text.toLowerCase()));
}

/** Where a secret lies, not what it is. */
const path =
  /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:home|Users|root|etc|var|tmp|usr|opt|run|mnt|srv|private|app|work|proc|dev))[/\\]/;

export function isPathLike(text: string): boolean {
  return path.test(text);
}
