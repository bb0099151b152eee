/** Reads a URL as every browser would, and says what must not be fetched by its text alone (X09). */

import { isIP } from 'node:net';
import { cutText } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { isPublicAddress } from './address.ts';
import { parseUrl } from './parse-url.ts';

/** Which hosts may be reached. */
export interface HostRules {
  /** Hosts whose addresses are not public may be reached too: for tests and intranets. */
  readonly allowPrivateHosts?: boolean | undefined;
  /** Only these hosts and their subdomains may be reached. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export type UrlCheck =
  | { readonly type: 'fine'; readonly url: URL; readonly host: string; readonly isAddress: boolean }
  | { readonly type: 'refused'; readonly reason: string };

export const longestUrl = 8192;

/** Every spelling of an address is one address after WHATWG parsing; names are checked again when resolved. */
export function checkUrl(given: unknown, rules: HostRules = {}): UrlCheck {
  if (typeof given !== 'string') return refuse(`The URL is ${kindOf(given)}, not a text.`);
  if (given.length > longestUrl) return refuse(`The URL is longer than ${longestUrl} characters.`);
  const url = parseUrl(given);
  if (url === undefined) return refuse(`${shownUrl(given)} is not an absolute URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`${shownUrl(given)} is not an http or https URL.`);
  if (url.username !== '' || url.password !== '') return refuse('The URL holds credentials.');
  const host = hostOf(url);
  if (host === '') return refuse(`${shownUrl(given)} names no host.`);
  if (!isListed(host, rules.allowedHosts)) return refuse(`${shownUrl(host)} is not one of the allowed hosts.`);
  const isAddress = isIP(host) !== 0;
  if (isAddress && rules.allowPrivateHosts !== true && !isPublicAddress(host))
    return refuse(`${shownUrl(host)} is not a public address.`);
  return { type: 'fine', url, host, isAddress };
}

/** The host as a name or an address: no brackets, no dot at the end. */
export function hostOf(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function isListed(host: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true;
  return allowed.some((entry) => {
    const name = canonical(entry);
    return host === name || (isIP(name) === 0 && host.endsWith(`.${name}`));
  });
}

function canonical(entry: string): string {
  const url = parseUrl(`http://${isIP(entry) === 6 ? `[${entry}]` : entry}/`);
  return url === undefined ? entry : hostOf(url);
}

/** Text from outside, for a reason. */
export function shownUrl(text: string): string {
  return cutText(JSON.stringify(text), 200);
}

function refuse(reason: string): UrlCheck {
  return { type: 'refused', reason };
}
