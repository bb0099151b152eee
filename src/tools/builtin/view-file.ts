import type { FileHandle } from 'node:fs/promises';
import type { CheckedPath } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { utf8Length, type JsonValue } from '../../kernel/json.ts';
import { openCheckedPath } from '../../facts/paths/workspace/open-checked-path.ts';
import { checkedFile } from '../files/checked-argument.ts';
import { readLines, type ByteSource, type RawLine } from '../text/read-lines.ts';
import { kib, outputLimit, type ToolContext } from '../definition/runnable-tool.ts';
import { kindOfFile, readAnyText, sniffBytes, trimPartialCharacters } from '../text/text-file.ts';

const maxLines = 2000;
const lineBytes = 2000;
/** The largest file that can be attached, and the largest UTF-16 file, which is read whole. */
const mediaBytes = 8 * kib * kib;

interface ViewArgs {
  readonly file_path: string;
  readonly start_line?: number;
  readonly end_line?: number;
}

export async function viewFile(args: ViewArgs, context: ToolContext): Promise<JsonValue> {
  const { start_line: from = 1, end_line: to = Infinity } = args;
  if (to < from) throw new BridleError('TOOL_FAILED', `end_line ${to} is before start_line ${from}.`);
  const checked = checkedFile('file_path', args.file_path, context);
  const handle = await openCheckedPath(checked, 'read');
  try {
    const kind = kindOfFile(await readStart(handle, sniffBytes));
    if (kind.type === 'media') return await attach(handle, { checked, context, mediaType: kind.mediaType });
    if (kind.type === 'binary') return await describeBinary(handle, checked);
    const source = kind.encoding === 'utf-8' ? fileSource(handle) : await readUtf16(handle, kind.encoding);
    return await showLines(source, { from, to, context });
  } finally {
    await handle.close();
  }
}

async function readStart(handle: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function describeBinary(handle: FileHandle, { path }: CheckedPath): Promise<string> {
  const { size } = await handle.stat();
  return `${path} is a binary file of ${size} bytes; its contents are not shown.`;
}

interface Attachment {
  readonly checked: CheckedPath;
  readonly context: ToolContext;
  readonly mediaType: string;
}

async function attach(handle: FileHandle, { checked, context, mediaType }: Attachment): Promise<JsonValue> {
  const { size } = await handle.stat();
  if (size > mediaBytes)
    return `${checked.path} is ${mediaType} of ${size} bytes, more than the ${mediaBytes} that can be attached.`;
  const data = await readStart(handle, size);
  const name = checked.path.split('/').at(-1);
  return { file: checked.path, media_type: mediaType, media: context.attach({ mediaType, data, name }) };
}

function fileSource(handle: FileHandle): ByteSource {
  return async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead;
}

/** Converts to UTF-8, so that lines are split in one way. */
async function readUtf16(handle: FileHandle, encoding: string): Promise<ByteSource> {
  const { size } = await handle.stat();
  if (size > mediaBytes)
    throw new BridleError('TOOL_FAILED', `A ${encoding} file of ${size} bytes is too large to show.`);
  const bytes = Buffer.from(new TextDecoder(encoding).decode(await readStart(handle, size)));
  return (into, position) => Promise.resolve(bytes.copy(into, 0, position));
}

interface LineRange {
  readonly from: number;
  readonly to: number;
  readonly context: ToolContext;
}

async function showLines(source: ByteSource, { from, to, context }: LineRange): Promise<string> {
  const reading = readLines(source, { from, lineBytes, signal: context.signal });
  const page = new Page(outputLimit(context, 256 * kib));
  for (let next = await reading.next(); ; next = await reading.next()) {
    if (next.done === true) return page.end(next.value, from);
    if (next.value.number > to) return page.stop(next.value.number - 1);
    if (!page.add(next.value)) return page.stop(next.value.number - 1, next.value.number);
  }
}

class Page {
  private readonly lines: string[] = [];
  private isNotUtf8 = false;

  constructor(private left: number) {}

  /** False if there is no room for the line. */
  add({ number, bytes, length }: RawLine): boolean {
    const isCut = length > bytes.length;
    const { text, isUtf8 } = readAnyText(isCut ? trimPartialCharacters(bytes) : bytes);
    const cut = isCut ? `… [cut: ${length - bytes.length} more bytes]` : '';
    const shown = `${String(number).padStart(6)}\t${text.replace(/\r$/, '')}${cut}`;
    this.left -= utf8Length(shown.toWellFormed()) + 1;
    if (this.lines.length >= maxLines || (this.left < 0 && this.lines.length > 0)) return false;
    this.isNotUtf8 ||= !isUtf8;
    this.lines.push(shown);
    return true;
  }

  /** Ends the page after all requested lines, or when it is full. */
  stop(last: number, next?: number): string {
    return this.text(
      next === undefined
        ? `more lines follow after line ${last}`
        : `cut after line ${last}: continue with start_line ${next}`,
    );
  }

  end(total: number, from: number): string {
    if (total === 0) return '[the file is empty]';
    if (from > total) return `[the file has only ${total} line${total === 1 ? '' : 's'}]`;
    return this.text(`end of file, ${total} line${total === 1 ? '' : 's'}`);
  }

  private text(note: string): string {
    const other = this.isNotUtf8 ? '; it is not UTF-8 and was read as windows-1252' : '';
    return [...this.lines, `[${note}${other}]`].join('\n');
  }
}
