/** Parses a URL as browsers do and refuses it when its text alone shows that it must not be fetched (X09). */

import { isIP } from 'node:net';
import { cutText } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { isPublicAddress } from './public-address.ts';
import { parseUrl } from './parse-url.ts';

/** Limits which hosts a request may reach. */
export interface HostRules {
  /** Also allows hosts with private addresses: for tests and intranets. */
  readonly allowPrivateHosts?: boolean | undefined;
  /** Allows only these hosts and their subdomains. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export type UrlCheck =
  | { readonly type: 'fine'; readonly url: URL; readonly host: string; readonly isAddress: boolean }
  | { readonly type: 'refused'; readonly reason: string };

export const maxUrlLength = 8192;

/**
 * Checks a URL. WHATWG parsing reduces all spellings of an address to one; host names are checked again when resolved.
 */
export function checkUrl(given: unknown, rules: HostRules = {}): UrlCheck {
  if (typeof given !== 'string') return refuse(`The URL is ${kindOf(given)}, not a string.`);
  if (given.length > maxUrlLength) return refuse(`The URL is longer than ${maxUrlLength} characters.`);
  const url = parseUrl(given);
  if (url === undefined) return refuse(`${quoteUrl(given)} is not an absolute URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`${quoteUrl(given)} is not an http or https URL.`);
  if (url.username !== '' || url.password !== '') return refuse('The URL contains credentials.');
  const host = hostnameOf(url);
  if (host === '') return refuse(`${quoteUrl(given)} has no host.`);
  if (!isListed(host, rules.allowedHosts)) return refuse(`${quoteUrl(host)} is not one of the allowed hosts.`);
  const isAddress = isIP(host) !== 0;
  if (isAddress && rules.allowPrivateHosts !== true && !isPublicAddress(host))
    return refuse(`${quoteUrl(host)} is not a public address.`);
  return { type: 'fine', url, host, isAddress };
}

/** The host as a name or address, without brackets and without a trailing dot. */
export function hostnameOf(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function isListed(host: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true;
  return allowed.some((entry) => {
    const name = canonicalHost(entry);
    return host === name || (isIP(name) === 0 && host.endsWith(`.${name}`));
  });
}

function canonicalHost(entry: string): string {
  const url = parseUrl(`http://${isIP(entry) === 6 ? `[${entry}]` : entry}/`);
  return url === undefined ? entry : hostnameOf(url);
}

/** Quotes untrusted text for a message. */
export function quoteUrl(text: string): string {
  return cutText(JSON.stringify(text), 200);
}

function refuse(reason: string): UrlCheck {
  return { type: 'refused', reason };
}
