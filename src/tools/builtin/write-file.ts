/** Tools that write a file: a whole one, or a part of it. */

import type { BigIntStats } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { openCheckedPath } from '../../facts/paths/workspace/open-checked-path.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { applyEdit } from '../text/apply-edit.ts';
import { checkedArgument, checkedFile } from '../files/checked-argument.ts';
import { replaceFile } from '../files/replace-file.ts';
import { kib, type ToolContext } from '../definition/runnable-tool.ts';
import { readUtf8 } from '../text/text-file.ts';

interface CreateArgs {
  readonly file_path: string;
  readonly contents: string;
}

export async function createFile({ file_path, contents }: CreateArgs, context: ToolContext): Promise<string> {
  const checked = checkedArgument('file_path', file_path, context);
  await replaceFile(checked, contents);
  const done = checked.identity === undefined ? 'Created' : 'Replaced';
  return `${done} ${checked.path} (${Buffer.byteLength(contents)} bytes).`;
}

const maxBytes = 16 * kib * kib;

interface EditArgs {
  readonly file_path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

export async function editFile(args: EditArgs, context: ToolContext): Promise<string> {
  const checked = checkedFile('file_path', args.file_path, context);
  const { text, seen } = await readText(checked);
  const edit = { oldText: args.old_text, newText: args.new_text, all: args.replace_all ?? false };
  const { edited, lines } = applyEdit(text, edit);
  await replaceFile(checked, edited, seen);
  const places = lines.slice(0, 20).join(', ') + (lines.length > 20 ? '…' : '');
  return `Edited ${checked.path}: ${lines.length} ${lines.length === 1 ? 'place' : 'places'}, at line ${places}.`;
}

async function readText(checked: CheckedPath): Promise<{ readonly text: string; readonly seen: BigIntStats }> {
  const handle = await openCheckedPath(checked, 'read');
  try {
    const seen = await handle.stat({ bigint: true });
    if (seen.size > maxBytes)
      throw new BridleError(
        'TOOL_FAILED',
        `${checked.path} has ${seen.size} bytes; files over ${maxBytes} are not edited.`,
      );
    const text = readUtf8(await handle.readFile());
    if (text === undefined)
      throw new BridleError('TOOL_FAILED', `${checked.path} is not UTF-8 text; an edit would damage it.`);
    return { text, seen };
  } finally {
    await handle.close();
  }
}
