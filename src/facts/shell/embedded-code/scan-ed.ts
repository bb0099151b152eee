/** Scans a script of `ed` commands. */

import type { CodeUse } from './code-scan.ts';

const address = /^(?:[\d.,;$%+\-\s]|'[a-z]|\/(?:[^/\\[]|\\.)*\/|\?(?:[^?\\[]|\\.)*\?)*/u;
/** Commands that touch only the text. */
const plain =
  /^(?:[pnldjuhHPqQ=]|[pnl]{1,3}|k[a-z]|[mt][\d.$+-]*|z\d*|x|s(?:\/(?:[^/\\[]|\\.)*\/(?:[^/\\]|\\.)*(?:\/[gpnlI\d]*)?)?)\s*$/u;

/** The files and commands that an `ed` script uses. Undefined if it cannot be parsed. */
export function scanEd(script: string): readonly CodeUse[] | undefined {
  const uses: CodeUse[] = [];
  let typing = false;
  for (const line of script.split('\n')) {
    if (typing) typing = line !== '.';
    else {
      const command = line.replace(address, '');
      if (/^[aic][pnl]?\s*$/u.test(command)) typing = true;
      else if (command !== '' && !plain.test(command)) {
        const use = fileUse(command);
        if (use === undefined) return undefined;
        uses.push(...use);
      }
    }
  }
  return uses;
}

/** `r file`, `w !code`, `!code`. */
function fileUse(command: string): readonly CodeUse[] | undefined {
  const run = /^(?:[reEwW]\s*)?!(.*)$/u.exec(command);
  if (run !== null) return [{ role: 'code', text: /[%!\\]/u.test(run[1] ?? '') ? undefined : run[1] }];
  const [, letter = '', file = ''] = /^([reEfwW])q?(?:\s+(\S.*))?$/u.exec(command) ?? [];
  if (letter === '') return undefined;
  if (file === '') return [];
  // A file that becomes the current one can be read and written later.
  if (letter === 'r') return [{ role: 'reads', text: file }];
  if (letter === 'w' || letter === 'W') return [{ role: 'writes', text: file }];
  return [
    { role: 'reads', text: file },
    { role: 'writes', text: file },
  ];
}
