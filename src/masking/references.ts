/** What stands where a secret belongs and is none: where it comes from, an example, a word that says there is none. */

/** `$TOKEN`, `${token}`, `$(pass show x)`, `%TOKEN%`, `{{ token }}`, `<token>`, `***`. */
const reference =
  /^(?:\$(?:[A-Za-z_]\w*$|[({])|%[A-Za-z_]\w*%$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$|your[_ -]|replace[_ -]?me|`)/i;

/** The same where a text is data, and a dollar says nothing. */
const strictReference = /^(?:\$\{\w+\}$|\$[A-Z_][A-Z0-9_]*$|\{\{[^{}]*\}\}$|<[^<>]*>$|\*+$|x{3,}$|\.{2,}$|…$)/;

const noSecret = new Set(
  (
    'true false yes no none null nil undefined required optional include omit same-origin string str number integer ' +
    'boolean bool bytes object array any unknown never void redacted inherit'
  ).split(' '),
);
const talk = new Set(
  (
    'text enabled disabled auto prompt always inherit manual default hidden empty missing invalid masked stdin env basic ' +
    'bearer oauth oauth2 digest token password secret key'
  ).split(' '),
);

/** Nobody writes a longer one. */
const longest = 256;

export function isReference(text: string): boolean {
  return text.length <= longest ? reference.test(text) : /^(?:\$[({]|`)/.test(text);
}

export function isStrictReference(text: string): boolean {
  return text.length <= longest && strictReference.test(text);
}

/** True for words that say there is no secret, or what type it has. */
export function isPlainWord(text: string): boolean {
  return text.length < 16 && noSecret.has(text.toLowerCase());
}

/** The same where it is not sure that a secret is meant. */
export function isTalkWord(text: string): boolean {
  return isPlainWord(text) || (text.length < 16 && talk.has(text.toLowerCase()));
}

/** Where a secret lies, not what it is. */
const path =
  /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:home|Users|root|etc|var|tmp|usr|opt|run|mnt|srv|private|app|work|proc|dev))[/\\]/;

export function isPath(text: string): boolean {
  return path.test(text);
}
