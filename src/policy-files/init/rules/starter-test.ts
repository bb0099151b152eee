import type { Effect } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { StarterTest } from './starter-policy.ts';

/** Required arguments of file tools other than the path. */
const others: Readonly<Record<string, JsonObject>> = {
  create_file: { contents: '' },
  edit_file: { new_text: 'b', old_text: 'a' },
};

export function fileCall(call: string, path: string, expect: Effect): StarterTest {
  return { call, args: { ...others[call], file_path: path }, expect };
}

export function folderCall(call: string, path: string, expect: Effect): StarterTest {
  const query = call === 'list_directory' ? {} : { query: 'x' };
  return { call, args: { directory_path: path, ...query }, expect };
}

export function lineCall(line: string, expect: Effect): StarterTest {
  return { call: 'run_command', args: { command_line: line }, expect };
}
