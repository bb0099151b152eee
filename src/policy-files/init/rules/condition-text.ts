/** Conditions of a starter policy, line by line. */

import { celText } from './quote-text.ts';

const lineWidth = 96;

/** A line of texts, or a comment. */
export type ArgumentGroup = readonly string[] | { readonly comment: string };

/** `name("a", "b")`, broken into lines where it is long or commented. */
export function functionCallLines(name: string, ...groups: readonly ArgumentGroup[]): readonly string[] {
  const last = groups.findLastIndex((group) => 'length' in group && group.length > 0);
  const lines = groups.flatMap((group, index) =>
    'length' in group ? wrapTexts(group, index === last) : [`  // ${group.comment}`],
  );
  const [only = '', ...more] = lines;
  return more.length === 0 && !only.startsWith('  //') ? [`${name}(${only.trim()})`] : [`${name}(`, ...lines, ')'];
}

/** Texts with commas between them, and one after the last unless it is the last of all. */
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

/** Alternatives or conditions, each line by line, with an operator between them. */
export function joinConditions(operator: '||' | '&&', ...parts: readonly (readonly string[])[]): readonly string[] {
  return parts.flatMap((lines, index) =>
    lines.map((line, at) => (index > 0 && at === 0 ? `${operator} ${line}` : line)),
  );
}

/** A pattern for files of these names, wherever they lie: `**` also stands for folders outside. */
export function globAnywhere(names: readonly string[]): string {
  return names.length === 1 ? `**/${names[0] ?? ''}` : `**/{${names.join(',')}}`;
}
