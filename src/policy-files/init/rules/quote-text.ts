/** How texts get into a starter policy. Whatever they hold, they stay one YAML scalar, one CEL text, one comment. */

const plainScalar = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
/** YAML 1.1 and 1.2 readers take these for something else than a text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const printable = /^[\x20-\x7e]*$/;
const maxCommentLength = 100;

/** A YAML scalar, in block and in flow. */
export function yamlText(text: string): string {
  if (plainScalar.test(text) && !reserved.test(text)) return text;
  if (printable.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `"${escapeText(text.replaceAll(/["\\]/g, String.raw`\$&`))}"`;
}

/** A YAML list on one line; a single text stands alone. */
export function yamlTexts(texts: readonly string[]): string {
  const [first = '', ...rest] = texts.map(yamlText);
  return rest.length === 0 ? first : `[${[first, ...rest].join(', ')}]`;
}

/** A CEL text. */
export function celText(text: string): string {
  return `"${escapeText(text.replaceAll(/["\\]/g, String.raw`\$&`))}"`;
}

/** Fit for one line behind a `#`. */
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
