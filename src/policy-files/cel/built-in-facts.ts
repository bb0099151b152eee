/** The built-in facts that conditions can use. */

import { factClauses } from '../../facts/fact-clauses.ts';
import { hostFact, isPublicHostFact, underDomainFact } from '../../facts/net/host-facts.ts';
import { hostOfUrl, isPublicUrl, isUrlUnderDomain } from '../../facts/net/host-of-url.ts';
import { readsFact, writesFact } from '../../facts/paths/file-facts.ts';
import { readsInsideFact, writesInsideFact } from '../../facts/paths/inside-facts.ts';
import { worksInFact } from '../../facts/paths/works-in.ts';
import {
  opaqueFact,
  isLineOpaque,
  runsFact,
  runsListedFact,
  runsOnlyFact,
  lineRunsOnly,
  lineRuns,
} from '../../facts/shell/conditions/call-facts.ts';
import { withClause, addClause, type Fact, type Truth } from '../../facts/truth.ts';
import type { ConditionFacts } from './functions/function-row.ts';

export const builtInFacts: ConditionFacts = {
  runs: describedFact(factClauses.runs, runsFact),
  runsOnly: describedFact(factClauses.runsOnly, runsOnlyFact),
  runsListed: describedFact(factClauses.runsListed, runsListedFact),
  opaque: describedFact(factClauses.opaque, opaqueFact),
  reads: describedFact(factClauses.reads, readsFact),
  writes: describedFact(factClauses.writes, writesFact),
  readsInside: describedFact(factClauses.readsInside, readsInsideFact),
  writesInside: describedFact(factClauses.writesInside, writesInsideFact),
  worksIn: describedFact(factClauses.worksIn, worksInFact),
  host: hostFact,
  isPublicHost: describedFact(factClauses.isPublicHost, isPublicHostFact),
  underDomain: describedFact(factClauses.underDomain, underDomainFact),
  runsIn: describedTextFact(factClauses.runs, lineRuns),
  runsOnlyIn: describedTextFact(factClauses.runsOnly, lineRunsOnly),
  opaqueIn: describedTextFact(factClauses.opaque, isLineOpaque),
  hostOf: hostOfUrl,
  isPublicHostOf: (text) => addClause(factClauses.isPublicHost, isPublicUrl(text)),
  underDomainOf: describedTextFact(factClauses.underDomain, isUrlUnderDomain),
};

function describedFact<A extends readonly unknown[]>(clause: (...input: A) => string, make: (...input: A) => Fact) {
  return (...input: A): Fact => withClause(() => clause(...input), make(...input));
}

function describedTextFact<T>(clause: (input: T) => string, fact: (text: string, input: T) => Truth) {
  return (text: string, input: T): Truth => addClause(() => clause(input), fact(text, input));
}
