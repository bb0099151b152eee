/** Finds values that a text states by name: `name: value`, `name = value`, `name is value`. */

const triesPerName = 50;
const longestValue = 1000;

/** The last value stated for a name, without quotes. */
export function statedValue(text: string, name: string): string | undefined {
  const line = lineAfter(text, name);
  if (line === undefined) return undefined;
  const quoted = /^(["'`])(.*?)\1/.exec(line)?.[2];
  if (quoted !== undefined) return quoted;
  const bare = line.split(/[,;]|\.(?:\s|$)|\sand\s/, 1)[0]?.trim();
  return bare === '' ? undefined : bare;
}

export function statedList(text: string, name: string): readonly string[] | undefined {
  const items = lineAfter(text, name)
    ?.replace(/[.;].*$/, '')
    .split(/,|\band\b/)
    .map((item) => item.trim().replaceAll(/^["'`]|["'`]$/g, ''))
    .filter((item) => item !== '');
  return items === undefined || items.length === 0 ? undefined : items;
}

/** The rest of the line after the name and `:`, `=` or `is`. */
function lineAfter(text: string, name: string): string | undefined {
  if (name === '') return undefined;
  const [lower, wanted] = [text.toLowerCase(), name.toLowerCase()];
  let at = lower.length;
  for (let tries = 0; tries < triesPerName && at > 0; tries += 1) {
    at = lower.lastIndexOf(wanted, at - 1);
    if (at === -1) return undefined;
    if (/[\p{L}\p{N}_]/u.test(text[at - 1] ?? ' ')) continue;
    const rest = text.slice(at + name.length, at + name.length + longestValue);
    const sign = /^["'`]?(?:\s?[:=]\s?|\sis\s)/.exec(rest)?.[0];
    if (sign !== undefined) return rest.slice(sign.length).split('\n', 1)[0]?.trim();
  }
  return undefined;
}
