/** Reads the commands out of shell histories and transcripts of coding agents. A line of another format is skipped. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';

export interface HistoryCommand {
  readonly line: string;
  /** The folder it ran in. Shell histories do not know it. */
  readonly cwd?: string | undefined;
}

/** One command per line; lines like `#1700000000` are times. */
export function bashCommands(text: string): readonly HistoryCommand[] {
  return text.split('\n').flatMap((line) => (/^#\d+$/.test(line) ? [] : commandOf(line)));
}

/** One command per line, in the extended format after `: 1700000000:0;`. A backslash continues a command. */
export function zshCommands(text: string): readonly HistoryCommand[] {
  const joined = text.replaceAll('\\\n', '\u0000');
  return joined.split('\n').flatMap((line) => commandOf(line.replace(/^: \d+:\d+;/, '').replaceAll('\u0000', '\n')));
}

/** zsh writes some bytes as 0x83 and the byte with bit 5 flipped. */
export function decodeZsh(bytes: Uint8Array): string {
  const decoded: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const isEscaped = bytes[at] === 0x83 && at + 1 < bytes.length;
    decoded.push(isEscaped ? (bytes[++at] ?? 0) ^ 0x20 : (bytes[at] ?? 0));
  }
  return Buffer.from(decoded).toString('utf8');
}

/** Entries like `- cmd: ls`, in which `\n` and `\\` are escaped. */
export function fishCommands(text: string): readonly HistoryCommand[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('- cmd: ')) return [];
    return commandOf(line.slice('- cmd: '.length).replaceAll(/\\([n\\])/g, (_, it) => (it === 'n' ? '\n' : '\\')));
  });
}

/** Lines of JSON; the calls of the tool Bash are parts of the assistant's messages. */
export function claudeCommands(text: string): readonly HistoryCommand[] {
  return jsonLines(text).flatMap((record) => {
    const content = objectIn(record, 'message')?.['content'];
    if (record['type'] !== 'assistant' || !Array.isArray(content)) return [];
    return content.flatMap((part: JsonValue) => {
      if (!isJsonObject(part) || part['type'] !== 'tool_use' || part['name'] !== 'Bash') return [];
      return commandOf(objectIn(part, 'input')?.['command'], record['cwd']);
    });
  });
}

const codexTools = new Set(['shell', 'shell_command', 'exec_command', 'container.exec', 'local_shell']);

/** Lines of JSON; in older versions, the calls are not wrapped into `payload`. The folder is in an earlier record. */
export function codexCommands(text: string): readonly HistoryCommand[] {
  let cwd: JsonValue | undefined;
  return jsonLines(text).flatMap((record) => {
    const item = objectIn(record, 'payload') ?? record;
    if (typeof item['cwd'] === 'string') cwd = item['cwd'];
    const args = codexArguments(item);
    if (args === undefined) return [];
    const folder = args['workdir'] ?? args['working_directory'] ?? cwd;
    return commandOf(lineOf(args['command'] ?? args['cmd']), typeof folder === 'string' ? folder : cwd);
  });
}

function codexArguments(item: JsonObject): JsonObject | undefined {
  if (item['type'] === 'local_shell_call') return objectIn(item, 'action');
  const { name, arguments: given } = item;
  if (item['type'] !== 'function_call' || typeof name !== 'string' || !codexTools.has(name)) return undefined;
  return typeof given === 'string' ? parseObject(given) : undefined;
}

/** `["bash", "-lc", "ls"]` runs a line; any other list is a program with its arguments. */
function lineOf(command: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return command;
  const [shell = '', option = '', line] = command;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option) && command.length === 3;
  return isShell ? line : command.map(quoteWord).join(' ');
}

export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function commandOf(line: JsonValue | undefined, cwd?: JsonValue): readonly HistoryCommand[] {
  if (typeof line !== 'string' || line.trim() === '') return [];
  return [{ line: line.trim(), cwd: typeof cwd === 'string' ? cwd : undefined }];
}

function jsonLines(text: string): readonly JsonObject[] {
  return text.split('\n').flatMap((line): readonly JsonObject[] => {
    const value = parseObject(line);
    return value === undefined ? [] : [value];
  });
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function objectIn(value: JsonObject, key: string): JsonObject | undefined {
  const field = value[key];
  return field !== undefined && isJsonObject(field) ? field : undefined;
}
