import type { BigIntStats } from 'node:fs';
import type { FileIdentity } from '../../../kernel/call.ts';

/** Device and inode are 64-bit numbers; only the bigint form of `stat` represents them exactly. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return { device: String(stats.dev), inode: String(stats.ino) };
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}
