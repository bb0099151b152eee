/** Quotes strings for a starter policy. Any string stays one YAML scalar, one CEL string or one comment. */

const plainScalar = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
/** YAML 1.1 or 1.2 parsers do not read these as strings. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const printable = /^[\x20-\x7e]*$/;
const maxCommentLength = 100;

/** A YAML scalar for block and flow style. */
export function yamlText(text: string): string {
  if (plainScalar.test(text) && !reserved.test(text)) return text;
  if (printable.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `"${escapeText(text.replaceAll(/["\\]/g, String.raw`\$&`))}"`;
}

/** A YAML list on one line; a single string without brackets. */
export function yamlTexts(texts: readonly string[]): string {
  const [first = '', ...rest] = texts.map(yamlText);
  return rest.length === 0 ? first : `[${[first, ...rest].join(', ')}]`;
}

/** A CEL string. */
export function celText(text: string): string {
  return `"${escapeText(text.replaceAll(/["\\]/g, String.raw`\$&`))}"`;
}

/** Text for one line of a `#` comment. */
export function commentText(text: string): string {
  const shown = text.length > maxCommentLength ? `${text.slice(0, maxCommentLength)}…` : text;
  return shown.replaceAll(/[^\x20-\x7e…]/gu, escapeCharacter);
}

function escapeText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, escapeCharacter);
}

function escapeCharacter(unit: string): string {
  const code = unit.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
