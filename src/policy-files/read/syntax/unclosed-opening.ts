import type { CST } from 'yaml';

/** Where the quote or bracket stands that was never closed; the library tells where it has noticed. */
export function unclosedOpening(tokens: readonly CST.Token[], noticedAt: number): number | undefined {
  let opening: number | undefined;
  const pending: unknown[] = [...tokens];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const at = openingAt(next as CST.Token);
    // Of several, the last that was opened is the first that is missed.
    if (at !== undefined && at <= noticedAt && at > (opening ?? -1)) opening = at;
    for (const part of Object.values(next)) {
      if (Array.isArray(part)) for (const each of part) pending.push(each);
      else if (typeof part === 'object') pending.push(part);
    }
  }
  return opening;
}

function openingAt(token: CST.Token): number | undefined {
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
