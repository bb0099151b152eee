/** Text of a starter policy: any string stays one YAML scalar, one CEL string or one comment. */

const plainScalar = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
/** YAML 1.1 or 1.2 parsers do not read these as strings. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const printable = /^[\x20-\x7e]*$/;
const maxCommentLength = 100;
const lineWidth = 96;

/** A YAML scalar for block and flow style. */
export function yamlText(text: string): string {
  if (plainScalar.test(text) && !reserved.test(text)) return text;
  if (printable.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return celText(text);
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

/** A group of arguments, or a comment. */
export type ArgumentGroup = readonly string[] | { readonly comment: string };

/** `name("a", "b")` in CEL, split into lines if it is long or has comments. */
export function celCall(name: string, ...groups: readonly ArgumentGroup[]): string {
  const last = groups.findLastIndex((group) => 'length' in group && group.length > 0);
  const lines = groups.flatMap((group, index) =>
    'length' in group ? wrapTexts(group, index === last) : [`  // ${group.comment}`],
  );
  const [only = '', ...more] = lines;
  const isShort = more.length === 0 && !only.startsWith('  //');
  return isShort ? `${name}(${only.trim()})` : [`${name}(`, ...lines, ')'].join('\n');
}

/** Strings separated by commas, with a trailing comma unless they are the last group. */
function wrapTexts(texts: readonly string[], isLast: boolean): readonly string[] {
  const lines: string[] = [];
  for (const [index, text] of texts.entries()) {
    const item = `${celText(text)}${isLast && index === texts.length - 1 ? '' : ','}`;
    const line = lines.at(-1);
    if (line !== undefined && line.length + item.length < lineWidth) lines[lines.length - 1] = `${line} ${item}`;
    else lines.push(`  ${item}`);
  }
  return lines;
}

/** A section of rules with its title. */
export function section(title: string, ...parts: readonly string[]): string {
  return [`  # -- ${title} ${'-'.repeat(100 - title.length - 8)}`, ...parts].join('\n');
}

export function comments(...lines: readonly string[]): string {
  return lines.map((line) => `  # ${line}`).join('\n');
}

/** A condition on several lines. */
export function when(condition: string): string {
  return `    when: |-\n${condition.replaceAll(/^/gm, '      ')}`;
}
