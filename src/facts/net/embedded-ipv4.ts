import { isIP } from 'node:net';

/** What precedes the IPv4 address in the first 96 bits: mapped, compatible, NAT64 and translated addresses. */
const before = ['0:0:0:0:0:ffff', '0:0:0:0:0:0', '64:ff9b:0:0:0:0', '0:0:0:0:ffff:0'];

/** Returns the IPv4 address embedded in an IPv6 address, or undefined if its notation contains none. */
export function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  const groups = groupsOf(address);
  const start = before.includes(
    groups
      .slice(0, 6)
      .map((group) => group.toString(16))
      .join(':'),
  )
    ? 6
    : undefined;
  const is6to4 = groups[0] === 0x2002;
  const isLocal = groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 1;
  const at = start ?? (is6to4 ? 1 : isLocal ? 6 : undefined);
  if (at === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Splits an address into its eight groups. URL parsing writes every address in one notation, without dots. */
function groupsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [first = [], last] = plain.split('::').map(readGroups);
  if (last === undefined) return first;
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function readGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
