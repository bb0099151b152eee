/** Updates docs/reference/precision.md: named comments enclose the generated parts. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../docs/reference/precision.md', import.meta.url));

function blockOf(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: start -->\\n)[\\s\\S]*(\\n<!-- ${name}: end -->)`);
}

export function writeFigures(name: string, text: string): void {
  const page = readFileSync(file, 'utf8');
  const written = page.replace(blockOf(name), (_, start: string, end: string) => `${start}\n${text}\n${end}`);
  writeFileSync(file, written);
}

/** The figures that the page shows now. */
export function shownFigures(name: string): string | undefined {
  return blockOf(name).exec(readFileSync(file, 'utf8'))?.[0].split('\n').slice(2, -2).join('\n');
}
