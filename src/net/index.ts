/** `bridle/net`: which hosts a call reaches, by its URLs, and fetching that reaches no other. Needs Node. */

export type { FactPredicate } from '../fact-predicate.ts';
export { isPublicAddress } from './address.ts';
export { checkUrl, type HostRules, type UrlCheck } from './check-url.ts';
export { fetchChecked, type Fetched, type FetchOptions, type FetchRules } from './fetch-checked.ts';
export {
  host,
  hostFact,
  type HostFact,
  isPublicHost,
  isPublicHostFact,
  underDomain,
  underDomainFact,
} from './host-facts.ts';
export { hostOfText, isPublicHostText, underDomainText } from './host-of-text.ts';
export type { Resolver } from './resolve-host.ts';
