/**
 * `host()`, `isPublicHost()`, `underDomain(name)`: facts about the URL arguments of a call (X09). They judge the text
 * of a URL only. Where a host name resolves to is checked when `read_url_content` connects.
 */

import type { ToolCall } from '../../kernel/call.ts';
import { findDeclaredArguments, argumentPathText } from '../declared-arguments.ts';
import { BridleError } from '../../kernel/errors.ts';
import { factClauses } from '../fact-clauses.ts';
import { createFactPredicate, type FactPredicate } from '../fact-predicate.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { unknownBecause, type Fact, type Truth, type Unknown } from '../truth.ts';
import { domainOf, hostOfUrl, isPublicUrl, isUrlUnderDomain } from './host-of-url.ts';

/** Reads the host of a call, or says why it is unknown. */
export type HostFact = (call: ToolCall, tool: ToolDeclaration) => string | Unknown;

/**
 * The host of the call's URL, for your own conditions. Throws `FACT_UNKNOWN` if the call has no URL or several hosts.
 */
export function host(): (args: JsonObject, call: ToolCall, about: { readonly tool: ToolDeclaration }) => string {
  const fact = hostFact();
  return (_args, call, { tool }) => {
    const found = fact(call, tool);
    if (typeof found === 'string') return found;
    throw new BridleError('FACT_UNKNOWN', found.why);
  };
}

/** True if all URLs of a call name hosts on the public internet, judged by their text. */
export function isPublicHost(): FactPredicate {
  return createFactPredicate(
    { text: 'isPublicHost()', clause: () => factClauses.isPublicHost(), source: 'urls' },
    isPublicHostFact(),
  );
}

/**
 * True if all URLs of a call are in a domain or its subdomains.
 * @example
 * ```ts
 * import { allow } from 'bridle';
 * import { underDomain } from 'bridle/facts';
 *
 * const rule = allow('read_url_content', { when: underDomain('example.com') });
 * ```
 */
export function underDomain(name: string): FactPredicate {
  return createFactPredicate(
    { text: `underDomain(${JSON.stringify(name)})`, clause: () => factClauses.underDomain(name), source: 'urls' },
    underDomainFact(name),
  );
}

export function hostFact(): HostFact {
  return (call, tool) => {
    const found = readUrls(call, tool, hostOfUrl);
    const [first] = found;
    if (first === undefined) return unknownBecause('the call has no URL');
    const doubt = found.find((each) => typeof each !== 'string');
    if (doubt !== undefined) return doubt;
    return found.every((each) => each === first) ? first : unknownBecause('its URLs lead to several hosts');
  };
}

export function isPublicHostFact(): Fact {
  return factOfAllUrls(isPublicUrl);
}

/** Throws `OPTION_INVALID` if the name is not a domain. */
export function underDomainFact(name: string): Fact {
  const domain = domainOf(name);
  if (typeof domain !== 'string')
    throw new BridleError('OPTION_INVALID', `underDomain: ${domain.why}${domainHint(name)}.`);
  return factOfAllUrls((text) => isUrlUnderDomain(text, domain));
}

function domainHint(name: unknown): string {
  if (typeof name !== 'string') return '';
  const host = hostOfUrl(name.trim());
  const suggestion = domainOf(typeof host === 'string' ? host : name.trim().replace(/^(?:\*?\.)+/, ''));
  return typeof suggestion === 'string' ? `; write ${JSON.stringify(suggestion)}, which includes its subdomains` : '';
}

/** True if the test passes for every URL, false if for none. A mixed result is unknown, negated or not. */
function factOfAllUrls(test: (text: JsonValue) => Truth): Fact {
  return (call, tool) => {
    const truths = readUrls(call, tool, test);
    const doubt = truths.find((truth) => typeof truth === 'object');
    if (doubt !== undefined) return doubt;
    const trueCount = truths.filter((truth) => truth === true).length;
    if (trueCount > 0 && trueCount < truths.length) return unknownBecause('it is true for some of its URLs only');
    return trueCount > 0;
  };
}

function readUrls<Found>(
  { args }: ToolCall,
  { touches = {} }: ToolDeclaration,
  read: (text: JsonValue) => Found | Unknown,
): readonly (Found | Unknown)[] {
  return findDeclaredArguments(args, touches.urls ?? []).map(({ at, value, problem }) =>
    problem === undefined ? read(value) : unknownBecause(`the argument "${argumentPathText(at)}" ${problem}`),
  );
}
