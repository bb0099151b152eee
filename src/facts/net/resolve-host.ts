/**
 * Resolves a host name once and checks all its addresses. The connection then uses these addresses, never the name
 * (X09).
 */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isPublicAddress } from './public-address.ts';
import type { HostRules } from './check-url.ts';

/** Returns every address of a host name. */
export type HostResolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: HostResolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** Refuses the host if any of its addresses is not public: a mixed answer is an attack or a mistake. */
export async function resolveHost(host: string, rules: HostRules, resolve: HostResolver): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolveAddresses(host, resolve) : [host];
  const invalid = addresses.find((address) => isIP(address) === 0);
  if (addresses.length === 0 || invalid !== undefined)
    throw new BridleError('TOOL_FAILED', `The host "${host}" has no usable address.`);
  const privateAddress =
    rules.allowPrivateHosts === true ? undefined : addresses.find((each) => !isPublicAddress(each));
  if (privateAddress !== undefined)
    throw new BridleError('URL_REFUSED', `The host "${host}" has the address ${privateAddress}, which is not public.`);
  return addresses;
}

async function resolveAddresses(host: string, resolve: HostResolver): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (error) {
    throw new BridleError('TOOL_FAILED', `The host "${host}" cannot be resolved: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
