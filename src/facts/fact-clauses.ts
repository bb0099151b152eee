/** Clauses that describe a fact, for messages such as "Bridle cannot tell whether …". */

/** Each clause takes the arguments of its fact: programs, a glob, folders, a domain. */
export const factClauses = {
  runs: (entries: readonly string[]): string => `the call runs ${listed(entries, 'or')}`,
  runsOnly: (entries: readonly string[]): string => `the call runs nothing but ${listed(entries, 'and')}`,
  runsListed: (entries: readonly string[]): string => `the call runs nothing but ${listed(entries, 'and')}`,
  opaque: (entries: readonly string[] = []): string => {
    const others = entries.length === 0 ? '' : `, other than ${listed(entries, 'and')}`;
    return `the call runs code that its command line does not show${others}`;
  },
  reads: (glob: string): string => `the call reads a file that matches ${quoted(glob)}`,
  writes: (glob: string): string => `the call writes a file that matches ${quoted(glob)}`,
  readsInside: (folders: readonly string[]): string => `the call reads only inside ${listed(folders, 'or')}`,
  writesInside: (folders: readonly string[]): string => `the call writes only inside ${listed(folders, 'or')}`,
  worksIn: (folders: readonly string[]): string => `every command of the call runs in ${listed(folders, 'or')}`,
  isPublicHost: (): string => 'the call reaches a public host',
  underDomain: (domain: string): string => `the call reaches a host under ${quoted(domain)}`,
} as const;

/** Messages show at most this much; the rule itself has the rest. */
const maxItems = 3;
const longestItem = 60;

function listed(items: readonly string[], joint: 'and' | 'or'): string {
  const shown = items.slice(0, maxItems).map(quoted);
  if (items.length > maxItems) shown.push(`${items.length - maxItems} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${joint} ${last}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > longestItem ? `${text.slice(0, longestItem)}…` : text);
}
