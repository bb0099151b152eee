/** A block between two comments in a text file. Adding and removing it keeps all other bytes. */

import { BridleError } from '../../kernel/errors.ts';

const first = '# >>> bridle: written by "bridle install"';
const last = '# <<< bridle';

/** The text with the block at its end; the same text if the block is already in it. */
export function withBlock(text: string, content: string): string {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [first, content, last].join('\n').replaceAll('\n', lineBreak);
  if (blockIn(text)?.trim() === block) return text;
  const rest = withoutBlock(text) ?? '';
  // The line break belongs to the block, so that removing the block removes it.
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : lineBreak}${block}${lineBreak}`;
}

/** The text without the block; undefined if nothing else is in it. */
export function withoutBlock(text: string): string | undefined {
  const block = blockIn(text);
  const rest = block === undefined ? text : text.replace(block, () => '');
  return rest === '' ? undefined : rest;
}

export function blockIn(text: string): string | undefined {
  const start = text.indexOf(first);
  if (start === -1) return undefined;
  const end = text.indexOf(last, start);
  if (end === -1) throw new BridleError('OPTION_INVALID', `the line "${last}" is missing after "${first}"`);
  const lineEnd = text.indexOf('\n', end);
  return text.slice(start, lineEnd === -1 ? undefined : lineEnd + 1);
}
