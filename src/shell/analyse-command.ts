/**
 * What a command line would do, as far as it shows: every command bash would execute is in the list, or `unknown` says
 * why some may not be. Nothing is run or looked up; the answer depends on the text alone.
 */

import { parse, type ParsedScript } from 'unbash';
import { messageOf } from '../errors.ts';
import type { CommandAnalysis } from './command-analysis.ts';
import { FoundAnalysis } from './found-analysis.ts';
import { LineState } from './line-state.ts';
import { RecentlyUsed } from './recently-used.ts';
import { walkStatements } from './walk-statements.ts';

const maxLine = 64 * 1024;
/** The parser's time grows faster than the length of here-documents. */
const maxHereDocuments = 16 * 1024;
/** Of a line and of all code in it. */
const maxParsed = 256 * 1024;
const keptLine = 8 * 1024;
/** By line: the answer, or that the line was seen once. */
const kept = new RecentlyUsed<FoundAnalysis | 'seen'>(256);
let latest: { readonly line: string; readonly analysis: FoundAnalysis } | undefined;

/** Analyses a line for bash; the latest few hundred answers are kept. */
export function analyseCommand(line: string): CommandAnalysis {
  return findAnalysis(line);
}

/** The same with what the facts look at. A line is kept when it comes back; all facts about one call ask in a row. */
export function findAnalysis(line: string): FoundAnalysis {
  if (latest?.line === line) return latest.analysis;
  const known = line.length <= keptLine ? kept.get(line) : undefined;
  const analysis = known === undefined || known === 'seen' ? analyse(line) : known;
  if (known !== analysis && line.length <= keptLine) kept.set(line, known === undefined ? 'seen' : analysis);
  latest = { line, analysis };
  return analysis;
}

function analyse(line: string): FoundAnalysis {
  const state = new LineState({ runScript, runCode }, line);
  try {
    runCode(state, line);
  } catch (error) {
    // The parser's recursion is bounded; should it fail all the same, nothing may follow from it.
    state.doubt(`it cannot be read: ${messageOf(error)}`);
  }
  state.finish();
  return new FoundAnalysis(state);
}

/** Why text is not even parsed (X10). */
function tooLarge(state: LineState, text: string): string | undefined {
  if (text.length > maxLine) return 'it is too long';
  if (text.length > maxHereDocuments && text.includes('<<')) return 'it is too long for its here-documents';
  state.parsed += text.length;
  return state.parsed > maxParsed ? 'it holds too much code' : undefined;
}

function runCode(state: LineState, text: string): void {
  const problem = tooLarge(state, text);
  if (problem !== undefined) return state.doubt(problem);
  if (text.includes('\0')) return state.doubt('it holds a NUL character');
  runScript(state, parse(text));
}

function runScript(state: LineState, script: ParsedScript): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) state.doubt(`it cannot be parsed: ${error.message}`);
  if (!state.enter()) return;
  walkStatements(state, script.commands);
  state.leave();
}
