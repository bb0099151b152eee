/** The facts of the engine, as conditions ask for them. */

import { factClauses } from '../fact-clauses.ts';
import { hostFact, isPublicHostFact, underDomainFact } from '../net/host-facts.ts';
import { hostOfText, isPublicHostText, underDomainText } from '../net/host-of-text.ts';
import { readsFact, writesFact } from '../paths/file-facts.ts';
import { readsInsideFact, writesInsideFact } from '../paths/inside-facts.ts';
import { worksInFact } from '../paths/works-in.ts';
import { opaqueFact, opaqueText, runsFact, runsOnlyFact, runsOnlyText, runsText } from '../shell/call-facts.ts';
import { asking, clarify, type Fact, type Truth } from '../truth.ts';
import type { CelFacts } from './cel/facts.ts';

export const celFacts: CelFacts = {
  runs: saying(factClauses.runs, runsFact),
  runsOnly: saying(factClauses.runsOnly, runsOnlyFact),
  opaque: saying(factClauses.opaque, opaqueFact),
  reads: saying(factClauses.reads, readsFact),
  writes: saying(factClauses.writes, writesFact),
  readsInside: saying(factClauses.readsInside, readsInsideFact),
  writesInside: saying(factClauses.writesInside, writesInsideFact),
  worksIn: saying(factClauses.worksIn, worksInFact),
  host: hostFact,
  isPublicHost: saying(factClauses.isPublicHost, isPublicHostFact),
  underDomain: saying(factClauses.underDomain, underDomainFact),
  runsIn: sayingOf(factClauses.runs, runsText),
  runsOnlyIn: sayingOf(factClauses.runsOnly, runsOnlyText),
  opaqueIn: sayingOf(factClauses.opaque, opaqueText),
  hostOf: hostOfText,
  isPublicHostOf: (text) => clarify(factClauses.isPublicHost, isPublicHostText(text)),
  underDomainOf: sayingOf(factClauses.underDomain, underDomainText),
};

function saying<A extends readonly unknown[]>(clause: (...asked: A) => string, make: (...asked: A) => Fact) {
  return (...asked: A): Fact => asking(() => clause(...asked), make(...asked));
}

function sayingOf<T>(clause: (asked: T) => string, fact: (text: string, asked: T) => Truth) {
  return (text: string, asked: T): Truth => clarify(() => clause(asked), fact(text, asked));
}
