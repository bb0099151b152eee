/**
 * A bug in bash 5.2: in `$( )`, a `;` after a here-document on the same line is lost, and the following words become
 * arguments.
 */

const document = /(?<!<)<<(?!<)-?[ \t]*([^\s;|&)]*)/g;

/** True if bash may run the code of a substitution without some `;`. */
export function heredocMayLoseSemicolon(code: string): boolean {
  if (!code.includes('<<') || !code.includes(';')) return false;
  const ends: string[] = [];
  let passed = false;
  for (const line of code.replaceAll('\\\n', '').split('\n')) {
    const at = line.search(/(?<!<)<<(?!<)/);
    const separates = at !== -1 && line.includes(';', at);
    if (ends.length > 0) {
      if (separates) passed = true;
      if (line.trim() === ends[0]) ends.shift();
    } else if (separates) return true;
    else if (at !== -1) for (const [, end = ''] of line.matchAll(document)) ends.push(end.replaceAll(/['"\\]/g, ''));
  }
  // A here-document whose end was not found may not be one.
  return passed && ends.length > 0;
}
