/** The facts of the engine, as conditions ask for them. */

import { hostFact, isPublicHostFact, underDomainFact } from '../net/host-facts.ts';
import { hostOfText, isPublicHostText, underDomainText } from '../net/host-of-text.ts';
import { readsFact, writesFact } from '../paths/file-facts.ts';
import { readsInsideFact, writesInsideFact } from '../paths/inside-facts.ts';
import { worksInFact } from '../paths/works-in.ts';
import { opaqueFact, opaqueText, runsFact, runsOnlyFact, runsOnlyText, runsText } from '../shell/call-facts.ts';
import type { CelFacts } from './cel/facts.ts';

export const celFacts: CelFacts = {
  runs: runsFact,
  runsOnly: runsOnlyFact,
  opaque: opaqueFact,
  reads: readsFact,
  writes: writesFact,
  readsInside: readsInsideFact,
  writesInside: writesInsideFact,
  worksIn: worksInFact,
  host: hostFact,
  isPublicHost: isPublicHostFact,
  underDomain: underDomainFact,
  runsIn: runsText,
  runsOnlyIn: runsOnlyText,
  opaqueIn: opaqueText,
  hostOf: hostOfText,
  isPublicHostOf: isPublicHostText,
  underDomainOf: underDomainText,
};
