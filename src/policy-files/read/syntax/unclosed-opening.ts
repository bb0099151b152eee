import type { CST } from 'yaml';

/** The offset of the quote or bracket that was never closed. The library reports only where it noticed. */
export function unclosedOpening(tokens: readonly CST.Token[], noticedAt: number): number | undefined {
  let opening: number | undefined;
  const pending: unknown[] = [...tokens];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const at = openingAt(next as CST.Token);
    // Of several unclosed ones, the last opened is the one to report.
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
