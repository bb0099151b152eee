/** Help options that open a manual page. */

import type { ProgramRow, ProgramRows } from './program-row.ts';

/** `git status --help` opens a manual page in a pager, from which a shell can be started. */
export function withManualPages(rows: ProgramRows): ProgramRows {
  return Object.fromEntries(Object.entries(rows).map(([names, row]) => [names, withManualPage(row)]));
}

function withManualPage(row: ProgramRow): ProgramRow {
  const manual = '--help!:opaque';
  return typeof row === 'string' ? `${row} ${manual}` : { ...row, usage: `${row.usage ?? ''} ${manual}` };
}
