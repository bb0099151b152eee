import type { CST } from 'yaml';

/** Where the quote or bracket stands that was never closed; the library tells where it has noticed. */
export function openingOf(tokens: readonly CST.Token[], noticed: number): number | undefined {
  let opening: number | undefined;
  const open: unknown[] = [...tokens];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const at = openAt(next as CST.Token);
    // Of several, the last that was opened is the first that is missed.
    if (at !== undefined && at <= noticed && at > (opening ?? -1)) opening = at;
    for (const part of Object.values(next)) {
      if (Array.isArray(part)) for (const each of part) open.push(each);
      else if (typeof part === 'object') open.push(part);
    }
  }
  return opening;
}

function openAt(token: CST.Token): number | undefined {
  switch (token.type) {
    case 'flow-collection':
      return token.end.some(({ type }) => type === 'flow-seq-end' || type === 'flow-map-end')
        ? undefined
        : token.start.offset;
    case 'double-quoted-scalar':
    case 'single-quoted-scalar':
      return isClosed(token.source) ? undefined : token.offset;
    default:
      return undefined;
  }
}

function isClosed(source: string): boolean {
  return source.length > 1 && source.endsWith(source.charAt(0));
}
