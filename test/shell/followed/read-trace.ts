/** Which files a line opened, from what strace noted. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Notes every file that is opened, in the file whose name follows. */
export const tracing = 'strace -f -y -qq -s 4096 -e signal=none -e trace=open,openat,openat2,creat -o';

interface Opened {
  readonly read: readonly string[];
  readonly written: readonly string[];
}

const opening = /^\d+ +(?:<\.\.\. )?(?:open|openat|openat2|creat)\b.* = \d+<(?<path>[^>]*)>$/u;

/** Files that stood there before, relative to `top`, with names as bytes. What strace does not note is empty. */
export function openedFiles(top: string, before: ReadonlyMap<string, string>): Opened {
  const log = join(top, 'trace');
  const read = new Set<string>();
  const written = new Set<string>();
  if (!existsSync(log)) return { read: [], written: [] };
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const path = unescaped(opening.exec(line)?.groups?.['path'] ?? '');
    if (!path.startsWith(`${top}/`)) continue;
    const own = path.slice(top.length + 1);
    // Git keeps files for itself, and what is ignored is read to know it.
    if (before.get(own)?.startsWith('file') !== true || /\/\.git(?:\/|ignore$)/u.test(own)) continue;
    if (!/O_WRONLY|O_PATH/u.test(line)) read.add(own);
    if (/O_WRONLY|O_RDWR|O_TRUNC/u.test(line)) written.add(own);
  }
  return { read: [...read], written: [...written] };
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:(?<octal>[0-7]{1,3})|(?<letter>.))/gsu, (_, octal?: string, letter = '') =>
    octal === undefined ? (letters[letter] ?? letter) : String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}
