import type { BigIntStats } from 'node:fs';
import { BridleError } from '../../kernel/errors.ts';
import { openCheckedPath } from '../../facts/paths/workspace/open-checked-path.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { applyEdit } from '../text/apply-edit.ts';
import { checkedFile } from '../files/checked-argument.ts';
import { replaceFile } from '../files/replace-file.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { readUtf8 } from '../text/text-file.ts';
import { argsSchema, filePathAliases, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const editFileTool: BuiltinToolSpec = {
  name: 'edit_file',
  description:
    'Replaces old_text with new_text in a file. old_text must occur in the file exactly as given, including whitespace, ' +
    'and only once, unless replace_all is true. Do not copy the line numbers that view_file shows.',
  tier: 'confirm',
  schema: argsSchema(
    {
      file_path: { type: 'string', minLength: 1, description: 'The file to change.' },
      old_text: {
        type: 'string',
        minLength: 1,
        description: 'The text to replace, with enough around it to be unique.',
      },
      new_text: { type: 'string', description: 'The replacement; empty to delete.' },
      replace_all: { type: 'boolean', description: 'Replace every occurrence of old_text.' },
    },
    ['file_path', 'old_text', 'new_text'],
  ),
  paths: ['file_path'],
  touches: { reads: ['file_path'], writes: ['file_path'] },
  aliases: { names: ['EDIT_FILE'], args: filePathAliases },
  grant: { timeoutMs: 30 * seconds, outputBytes: 8 * kib },
};

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
