/** A fault of bash 5.2: in `$( )`, a `;` after a here-document in the same line is lost, and the words after it are arguments. */

const document = /(?<!<)<<(?!<)-?[ \t]*([^\s;|&)]*)/g;

/** True if the code of a substitution may be run without some `;`. */
export function losesSeparator(code: string): boolean {
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
  // A document whose end was not found may have been none.
  return passed && ends.length > 0;
}
