/** Decides which addresses belong to the public internet. Every special-purpose range counts as not public. */

import { BlockList, isIP } from 'node:net';
import { lazy } from '../../kernel/lazy.ts';

const special4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
/** Looks public, but serves the machine's metadata and secrets on one cloud. */
const metadata4 = '168.63.129.16/32';

/**
 * Ranges inside 2000::/3: protocol assignments and Teredo, documentation, 6to4, AS112. Everything outside 2000::/3 is
 * not public.
 */
const special6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20';

const special = lazy(() =>
  listOf([
    ['ipv4', `${special4} ${metadata4}`],
    ['ipv6', special6],
  ]),
);
const global6 = lazy(() => listOf([['ipv6', '2000::/3']]));

function listOf(families: readonly (readonly [family: 'ipv4' | 'ipv6', ranges: string])[]): BlockList {
  const list = new BlockList();
  for (const [family, ranges] of families) {
    for (const range of ranges.split(/\s+/)) {
      const [net = '', bits] = range.split('/');
      list.addSubnet(net, Number(bits), family);
    }
  }
  return list;
}

/** True if the address, in normal notation, is routable on the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special().check(address, 'ipv4');
  // An address with a zone is link-local.
  if (version !== 6 || address.includes('%')) return false;
  return global6().check(address, 'ipv6') && !special().check(address, 'ipv6');
}
