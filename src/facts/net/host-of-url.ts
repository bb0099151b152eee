/** Finds the host of a URL with WHATWG parsing, and judges it by its text alone (X09). */

import { isIP } from 'node:net';
import { hostnameOf, maxUrlLength, quoteUrl } from './check-url.ts';
import { parseUrl } from './parse-url.ts';
import { isPublicAddress } from './public-address.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { type Truth, type Unknown, unknownBecause } from '../truth.ts';

/** Schemes of URLs that reach no host. */
const hostlessSchemes = new Set(['file:', 'data:', 'javascript:', 'about:', 'blob:']);
/** Names that have a local meaning in each network, or no meaning at all. */
const internalNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|test|example|invalid|onion|alt|svc|cluster|consul|docker|intra|localnet|mshome|workgroup)$/;

/** Returns the host as a name or an address in normal notation: no brackets, no trailing dot, mapped IPv4 as IPv4. */
export function hostOfUrl(text: unknown): string | Unknown {
  const url = parse(text);
  if (!(url instanceof URL)) return url;
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp
    ? unambiguousHostOf(url, String(text))
    : unknownBecause(`${quoteUrl(url.href)} is not an http or https URL`);
}

/** False for URLs that reach no host. Names are judged by their text, without resolving them. */
export function isPublicUrl(text: unknown): Truth {
  return testHost(text, (host) => {
    if (isIP(host) !== 0) return isPublicAddressText(host);
    if (host.split('.').includes('')) return unknownBecause(`${quoteUrl(host)} is not a normal host name`);
    return host.includes('.') && !internalNames.test(host);
  });
}

/** True for the domain and its subdomains. An IP address is in no domain. */
export function isUrlUnderDomain(text: unknown, domain: unknown): Truth {
  const name = domainOf(domain);
  if (typeof name !== 'string') return name;
  return testHost(text, (host) => host === name || host.endsWith(`.${name}`));
}

function testHost(text: unknown, test: (host: string) => Truth): Truth {
  const url = parse(text);
  if (url instanceof URL && hostlessSchemes.has(url.protocol) && url.hostname === '') return false;
  const host = hostOfUrl(text);
  return typeof host === 'string' ? test(host) : host;
}

/** Normalises a domain to the spelling that hosts have. */
export function domainOf(given: unknown): string | Unknown {
  const wrong = unknownBecause(
    typeof given === 'string' ? `${quoteUrl(given)} is not a domain` : 'the domain is not a string',
  );
  if (typeof given !== 'string' || /[/?#@:\\*\s[\]]/.test(given) || given.startsWith('.')) return wrong;
  const url = parse(`http://${given}/`);
  const name = url instanceof URL ? hostnameOf(url) : '';
  return name === '' || isIP(name) !== 0 || name.endsWith('.') ? wrong : name;
}

/** Unknown for an address that embeds a public IPv4 address: whether it leads there depends on a translator. */
function isPublicAddressText(host: string): Truth {
  if (isPublicAddress(host)) return true;
  const inner = embeddedIpv4(host);
  if (inner === undefined || !isPublicAddress(inner)) return false;
  return unknownBecause(`${host} means ${inner} on a network with an address translator`);
}

function parse(text: unknown): URL | Unknown {
  if (typeof text !== 'string') return unknownBecause(`the URL is ${kindOf(text)}, not a string`);
  if (text.length > maxUrlLength) return unknownBecause(`the URL is longer than ${maxUrlLength} characters`);
  return parseUrl(text) ?? unknownBecause(`${quoteUrl(text)} is not an absolute URL`);
}

/** Unknown if a program that splits URLs by the older rules (RFC 3986) would reach another host. */
function unambiguousHostOf(url: URL, text: string): string | Unknown {
  const authority = /^[^:/?#]*:\/\/(?<authority>[^/?#]*)/.exec(text.trim())?.groups?.['authority'] ?? '';
  const older = `http://${authority.slice(authority.lastIndexOf('@') + 1)}/`;
  const agrees = parseUrl(older)?.hostname === url.hostname;
  if (!agrees || authority.includes('\\')) return unknownBecause(`programs interpret ${quoteUrl(text)} differently`);
  const host = hostnameOf(url);
  return /^::ffff:[\da-f]+:[\da-f]+$/.test(host) ? (embeddedIpv4(host) ?? host) : host;
}

/** What precedes the IPv4 address in the first 96 bits: mapped, compatible, NAT64 and translated addresses. */
const before = ['0:0:0:0:0:ffff', '0:0:0:0:0:0', '64:ff9b:0:0:0:0', '0:0:0:0:ffff:0'];

/** Returns the IPv4 address embedded in an IPv6 address, or undefined if its notation contains none. */
function embeddedIpv4(address: string): string | undefined {
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
