import { isUtf8 } from 'node:buffer';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isUtf16 } from '../../files/line-reader.ts';
import { stampOf } from './watched-files.ts';

/** Larger than any policy a person could review. */
const maxBytes = 1024 * 1024;

/** The text of a policy file, and the file's stamp from before it was read. */
export interface PolicyText {
  readonly text: string;
  readonly stamp: string;
}

/** Reads a policy file. It must be a regular UTF-8 file of limited size. */
export function readPolicyText(file: string, displayPath: string): PolicyText {
  let handle: number | undefined;
  try {
    // If the path is a pipe, opening it must not block.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = checkFile(handle, displayPath);
    const buffer = Buffer.alloc(Number(stats.size) + 1);
    const read = readSync(handle, buffer, 0, buffer.length, 0);
    return { text: decode(buffer.subarray(0, read), displayPath), stamp: stampOf(stats) };
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('POLICY_FILE', `The policy file ${displayPath} ${readErrorText(error)}.`, { cause: error });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Messages of the operating system repeat the path, so they are replaced. */
function readErrorText(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ENOTDIR') return 'does not exist, because its parent is not a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  return `cannot be read: ${messageOf(error)}`;
}

function checkFile(handle: number, displayPath: string): BigIntStats {
  const stats = fstatSync(handle, { bigint: true });
  if (stats.isDirectory()) throw new BridleError('POLICY_FILE', `${displayPath} is a folder; name a policy file`);
  if (!stats.isFile()) throw new BridleError('POLICY_FILE', `${displayPath} is not a file`);
  if (stats.size > maxBytes)
    throw new BridleError(
      'POLICY_FILE',
      `${displayPath} is larger than ${maxBytes} bytes, the limit for a policy file`,
    );
  return stats;
}

function decode(bytes: Buffer, displayPath: string): string {
  if (isUtf16(bytes)) throw new BridleError('POLICY_FILE', `${displayPath} is UTF-16 text; save it as UTF-8`);
  if (!isUtf8(bytes)) throw new BridleError('POLICY_FILE', `${displayPath} is not UTF-8 text`);
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
