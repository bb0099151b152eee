/** Sends one HTTP request to checked addresses only. */

import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { BridleError, messageOf } from '../../kernel/errors.ts';

export interface CheckedRequest {
  readonly url: URL;
  readonly host: string;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

const headers = {
  'user-agent': 'bridle',
  accept: 'text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

/** Resolves with the response headers; the caller reads the body. */
export function requestCheckedUrl(request: CheckedRequest): Promise<http.IncomingMessage> {
  const { url, addresses, signal } = request;
  const { request: send } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(requestError(url, error));
    // No agent: other code may have opened a pooled socket to an unchecked address.
    const sent = send(url, { agent: false, headers, signal, lookup: checkedLookup(request) }, (response) => {
      const { remoteAddress } = response.socket;
      if (remoteAddress !== undefined && isCheckedAddress(remoteAddress, addresses)) return resolve(response);
      response.destroy();
      return fail(new BridleError('URL_REFUSED', `The connection reached ${remoteAddress}, which was not checked.`));
    });
    sent.on('error', fail);
    sent.end();
  });
}

/** Always answers with the checked addresses, so that a second lookup cannot return other ones (DNS rebinding). */
function checkedLookup({ host, addresses }: CheckedRequest): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, [...found]);
    else if (first === undefined) callback(new BridleError('TOOL_FAILED', `no address for ${host}`), '');
    else callback(null, first.address, first.family);
  };
}

function isCheckedAddress(remote: string, addresses: readonly string[]): boolean {
  const plain = remote.replace(/^::ffff:(?=\d+\.)/i, '');
  return addresses.some((address) => address === remote || address === plain || isSameIpv6(address, remote));
}

function isSameIpv6(one: string, other: string): boolean {
  return isIP(one) === 6 && isIP(other) === 6 && new URL(`http://[${one}]`).host === new URL(`http://[${other}]`).host;
}

function requestError(url: URL, error: unknown): BridleError {
  if (error instanceof BridleError) return error;
  return new BridleError('TOOL_FAILED', `${url.host} cannot be reached: ${messageOf(error)}`, { cause: error });
}
