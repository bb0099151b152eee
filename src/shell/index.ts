/** What the command lines of a call would run: facts for rules, and the analysis behind them. */

export { analyseCommand } from './analyse-command.ts';
export { opaqueFact, opaqueText, runsFact, runsOnlyFact, runsOnlyText, runsText } from './call-facts.ts';
export { allOf, anyOf, not } from './combine-conditions.ts';
export type { Condition } from './combine-conditions.ts';
export type { CommandAnalysis, FileAccess, ShellCommand, ShellWord } from './command-analysis.ts';
export { opaque, runs, runsOnly } from './predicates.ts';
