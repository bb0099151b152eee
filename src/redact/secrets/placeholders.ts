/** Recognises text in the place of a secret that is not a secret: a reference, an example, or a word for "none". */

/** `$TOKEN`, `${token}`, `$(pass show x)`, `%TOKEN%`, `{{ token }}`, `<token>`, `***`. */
const placeholder =
  /^(?:\$(?:[A-Za-z_]\w*$|[({])|%[A-Za-z_]\w*%$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$|your[_ -]|replace[_ -]?me|`)/i;

/** The same for data, where a dollar sign has no special meaning. */
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

/** Placeholders are never longer. */
const maxLength = 256;

export function isPlaceholder(text: string): boolean {
  return text.length <= maxLength ? placeholder.test(text) : /^(?:\$[({]|`)/.test(text);
}

export function isStrictPlaceholder(text: string): boolean {
  return text.length <= maxLength && strictPlaceholder.test(text);
}

/** True for words that mean "no secret", or that name its type. */
export function isNonSecretWord(text: string): boolean {
  return text.length < 16 && nonSecretWords.has(text.toLowerCase());
}

/** The same for text that may not be about a secret at all. */
export function isProseWord(text: string): boolean {
  return isNonSecretWord(text) || (text.length < 16 && proseWords.has(text.toLowerCase()));
}

/** A path says where a secret is stored, not what it is. */
const path =
  /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:home|Users|root|etc|var|tmp|usr|opt|run|mnt|srv|private|app|work|proc|dev))[/\\]/;

export function isPathLike(text: string): boolean {
  return path.test(text);
}
