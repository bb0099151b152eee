/** Formats the conditions of a starter policy as lines. */

import { celText } from './quote-text.ts';

const lineWidth = 96;

/** A group of arguments, or a comment. */
export type ArgumentGroup = readonly string[] | { readonly comment: string };

/** `name("a", "b")`, split into lines if it is long or has comments. */
export function functionCallLines(name: string, ...groups: readonly ArgumentGroup[]): readonly string[] {
  const last = groups.findLastIndex((group) => 'length' in group && group.length > 0);
  const lines = groups.flatMap((group, index) =>
    'length' in group ? wrapTexts(group, index === last) : [`  // ${group.comment}`],
  );
  const [only = '', ...more] = lines;
  return more.length === 0 && !only.startsWith('  //') ? [`${name}(${only.trim()})`] : [`${name}(`, ...lines, ')'];
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

/** Joins conditions, given as lines, with an operator. */
export function joinConditions(operator: '||' | '&&', ...parts: readonly (readonly string[])[]): readonly string[] {
  return parts.flatMap((lines, index) =>
    lines.map((line, at) => (index > 0 && at === 0 ? `${operator} ${line}` : line)),
  );
}

/** A glob for files with these names in any folder, also outside the workspace. */
export function globAnywhere(names: readonly string[]): string {
  return names.length === 1 ? `**/${names[0] ?? ''}` : `**/{${names.join(',')}}`;
}
