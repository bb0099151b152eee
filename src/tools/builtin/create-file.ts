import { checkedArgument } from '../files/checked-argument.ts';
import { replaceFile } from '../files/replace-file.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, filePathAliases, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const createFileTool: BuiltinToolSpec = {
  name: 'create_file',
  description:
    'Writes a whole file. Creates missing folders. Replaces an existing file, and the result says so. ' +
    'To change part of a file, use edit_file.',
  tier: 'confirm',
  schema: argsSchema(
    {
      file_path: { type: 'string', minLength: 1, description: 'The file to write.' },
      contents: { type: 'string', description: 'The complete contents of the file.' },
    },
    ['file_path', 'contents'],
  ),
  paths: ['file_path'],
  touches: { writes: ['file_path'] },
  aliases: { names: ['write_to_file', 'CREATE_FILE'], args: filePathAliases },
  grant: { timeoutMs: 30 * seconds, outputBytes: 8 * kib },
};

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
