import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { BridleError, messageOf } from '../errors.ts';

/** More than any policy a person could read. */
export const policyBytes = 1024 * 1024;

/** The text of a policy file: a plain file, not too large, UTF-8. Nothing else is waited for or read. */
export function readPolicyText(file: string, shown: string): string {
  let handle: number | undefined;
  try {
    // A pipe in the place of a file must not hold the process up.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size } = checkFile(handle, shown);
    const buffer = Buffer.alloc(size + 1);
    const read = readSync(handle, buffer, 0, buffer.length, 0);
    return decode(buffer.subarray(0, read), shown);
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('POLICY_FILE', `${shown}: cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function checkFile(handle: number, shown: string): { readonly size: number } {
  const stats = fstatSync(handle);
  if (!stats.isFile()) throw new BridleError('POLICY_FILE', `${shown}: is not a file`);
  if (stats.size > policyBytes)
    throw new BridleError('POLICY_FILE', `${shown}: is larger than ${policyBytes} bytes, which no policy needs`);
  return stats;
}

function decode(bytes: Buffer, shown: string): string {
  if (!isUtf8(bytes)) throw new BridleError('POLICY_FILE', `${shown}: is not UTF-8 text`);
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
