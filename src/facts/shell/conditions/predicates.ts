/** Facts as conditions of rules (X01). */

import { BridleError } from '../../../kernel/errors.ts';
import { factClauses } from '../../fact-clauses.ts';
import { createFactPredicate, type FactPredicate } from '../../fact-predicate.ts';
import { opaqueFact, runsFact, runsListedFact, runsOnlyFact } from './call-facts.ts';

/** `when: runs('rm', 'git push --force')`: the call runs one of these commands, in any spelling. */
export function runs(...entries: readonly string[]): FactPredicate {
  return createFactPredicate(
    { text: `runs(${show(entries)})`, clause: () => factClauses.runs(entries), source: 'bash' },
    runsFact(checkCommands('runs', entries)),
  );
}

/** `when: runsOnly('ls', 'git status')`: the call runs only these commands, with harmless arguments. */
export function runsOnly(...entries: readonly string[]): FactPredicate {
  return createFactPredicate(
    { text: `runsOnly(${show(entries)})`, clause: () => factClauses.runsOnly(entries), source: 'bash' },
    runsOnlyFact(checkCommands('runsOnly', entries)),
  );
}

/** `when: runsListed('npm test')`: like `runsOnly`, but the line may set variables that do no harm: `CI=1 npm test`. */
export function runsListed(...entries: readonly string[]): FactPredicate {
  return createFactPredicate(
    { text: `runsListed(${show(entries)})`, clause: () => factClauses.runsListed(entries), source: 'bash' },
    runsListedFact(checkCommands('runsListed', entries)),
  );
}

/**
 * `when: opaque()`: the line does not show what it does. `opaque('npm test')`: something other than these commands
 * hides its work.
 */
export function opaque(...entries: readonly string[]): FactPredicate {
  return createFactPredicate(
    { text: `opaque(${show(entries)})`, clause: () => factClauses.opaque(entries), source: 'bash' },
    opaqueFact(checkNoLists('opaque', entries)),
  );
}

function checkCommands(what: string, entries: readonly unknown[]): readonly string[] {
  if (entries.length > 0) return checkNoLists(what, entries);
  throw new BridleError('OPTION_INVALID', `${what} needs at least one command: ${exampleOf(what)}`);
}

function exampleOf(what: string): string {
  return `${what}('ls', 'git status')`;
}

function checkNoLists(what: string, entries: readonly unknown[]): readonly string[] {
  if (entries.some((entry) => Array.isArray(entry))) {
    throw new BridleError(
      'OPTION_INVALID',
      `${what} takes commands as separate arguments, not as a list: ${exampleOf(what)}`,
    );
  }
  return entries as readonly string[];
}

function show(entries: readonly string[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(', ');
}
