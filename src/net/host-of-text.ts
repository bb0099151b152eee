/** The host behind a URL, as WHATWG parsing finds it, and what its text alone tells about it (X09). */

import { isIP } from 'node:net';
import { kindOf } from '../kind-of.ts';
import { unknown, type Truth, type Unknown } from '../truth.ts';
import { isPublicAddress } from './address.ts';
import { hostOf, longestUrl, shownUrl } from './check-url.ts';
import { embeddedAddress } from './embedded-address.ts';
import { parseUrl } from './parse-url.ts';

/** Schemes of URLs that reach no host at all. */
const hostless = new Set(['file:', 'data:', 'javascript:', 'about:', 'blob:']);
/** Names that every network gives a meaning of its own, or none. */
const innerNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|test|example|invalid|onion|alt|svc|cluster|consul|docker|intra|localnet|mshome|workgroup)$/;

/** The host as a name or an address in its usual notation: no brackets, no dot at the end, an IPv4 address as IPv4. */
export function hostOfText(text: unknown): string | Unknown {
  const url = parse(text);
  if (!(url instanceof URL)) return url;
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp ? hostOfUrl(url, String(text)) : unknown(`${shownUrl(url.href)} is not an http or https URL`);
}

/** No for what reaches no host; names are judged by their text, since only resolving them tells more. */
export function isPublicHostText(text: unknown): Truth {
  return ofHost(text, (host) => {
    if (isIP(host) !== 0) return isPublicText(host);
    if (host.split('.').includes('')) return unknown(`${shownUrl(host)} is not a usual name of a host`);
    return host.includes('.') && !innerNames.test(host);
  });
}

/** True for the domain and everything below it. An address is below no domain. */
export function underDomainText(text: unknown, domain: unknown): Truth {
  const name = domainOf(domain);
  if (typeof name !== 'string') return name;
  return ofHost(text, (host) => host === name || host.endsWith(`.${name}`));
}

function ofHost(text: unknown, test: (host: string) => Truth): Truth {
  const url = parse(text);
  if (url instanceof URL && hostless.has(url.protocol) && url.hostname === '') return false;
  const host = hostOfText(text);
  return typeof host === 'string' ? test(host) : host;
}

/** A domain, spelled as hosts are. */
export function domainOf(given: unknown): string | Unknown {
  const wrong = unknown(typeof given === 'string' ? `${shownUrl(given)} is not a domain` : 'the domain is not a text');
  if (typeof given !== 'string' || /[/?#@:\\*\s[\]]/.test(given) || given.startsWith('.')) return wrong;
  const url = parse(`http://${given}/`);
  const name = url instanceof URL ? hostOf(url) : '';
  return name === '' || isIP(name) !== 0 || name.endsWith('.') ? wrong : name;
}

/** An address that carries an IPv4 address of the internet through a translator may lead there or not. */
function isPublicText(host: string): Truth {
  if (isPublicAddress(host)) return true;
  const inner = embeddedAddress(host);
  if (inner === undefined || !isPublicAddress(inner)) return false;
  return unknown(`${host} stands for ${inner} where a translator is in use`);
}

function parse(text: unknown): URL | Unknown {
  if (typeof text !== 'string') return unknown(`the URL is ${kindOf(text)}, not a text`);
  if (text.length > longestUrl) return unknown(`the URL is longer than ${longestUrl} characters`);
  return parseUrl(text) ?? unknown(`${shownUrl(text)} is not an absolute URL`);
}

/** Where a program that splits the text by the older rules (RFC 3986) would go elsewhere, nobody can tell. */
function hostOfUrl(url: URL, text: string): string | Unknown {
  const authority = /^[^:/?#]*:\/\/(?<authority>[^/?#]*)/.exec(text.trim())?.groups?.['authority'] ?? '';
  const older = `http://${authority.slice(authority.lastIndexOf('@') + 1)}/`;
  const agrees = parseUrl(older)?.hostname === url.hostname;
  if (!agrees || authority.includes('\\')) return unknown(`programs read ${shownUrl(text)} in different ways`);
  const host = hostOf(url);
  return /^::ffff:[\da-f]+:[\da-f]+$/.test(host) ? (embeddedAddress(host) ?? host) : host;
}
