import { isUtf8 } from 'node:buffer';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isUtf16 } from '../../files/is-utf16.ts';
import { stampOf } from './watched-files.ts';

/** More than any policy a person could read. */
const maxBytes = 1024 * 1024;

/** The text of a policy file, and what the file looked like before it was read. */
export interface PolicyText {
  readonly text: string;
  readonly stamp: string;
}

/** Reads a policy file: a plain file, not too large, UTF-8. Nothing else is waited for or read. */
export function readPolicyText(file: string, displayPath: string): PolicyText {
  let handle: number | undefined;
  try {
    // A pipe in the place of a file must not hold the process up.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = checkFile(handle, displayPath);
    const buffer = Buffer.alloc(Number(stats.size) + 1);
    const read = readSync(handle, buffer, 0, buffer.length, 0);
    return { text: decode(buffer.subarray(0, read), displayPath), stamp: stampOf(stats) };
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('POLICY_FILE', `${displayPath}: ${readErrorText(error)}`, { cause: error });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** The words of the system repeat the path. */
function readErrorText(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ENOTDIR') return 'does not exist: what it should lie in is not a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by you';
  return `cannot be read: ${messageOf(error)}`;
}

function checkFile(handle: number, displayPath: string): BigIntStats {
  const stats = fstatSync(handle, { bigint: true });
  if (stats.isDirectory()) throw new BridleError('POLICY_FILE', `${displayPath}: is a folder; name a policy file`);
  if (!stats.isFile()) throw new BridleError('POLICY_FILE', `${displayPath}: is not a file`);
  if (stats.size > maxBytes)
    throw new BridleError('POLICY_FILE', `${displayPath}: is larger than ${maxBytes} bytes, which no policy needs`);
  return stats;
}

function decode(bytes: Buffer, displayPath: string): string {
  if (isUtf16(bytes)) throw new BridleError('POLICY_FILE', `${displayPath}: is UTF-16 text; save it as UTF-8`);
  if (!isUtf8(bytes)) throw new BridleError('POLICY_FILE', `${displayPath}: is not UTF-8 text`);
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
