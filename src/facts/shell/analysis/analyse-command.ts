/**
 * What a command line would do, as far as it shows: every command bash would execute is in the list, or `unknown` says
 * why some may not be. Nothing is run or looked up; the answer depends on the text alone.
 */

import { parse, type ParsedScript } from 'unbash';
import { messageOf } from '../../../kernel/errors.ts';
import type { CommandAnalysis } from '../commands/command-analysis.ts';
import { LineAnalysis } from './line-analysis.ts';
import { LineState } from '../walk/line-state.ts';
import { RecentCache } from '../words/recent-cache.ts';
import { walkStatements } from '../walk/walk-statements.ts';

const maxLine = 64 * 1024;
/** The parser's time grows faster than the length of here-documents. */
const maxHereDocuments = 16 * 1024;
/** Of a line and of all code in it. */
const maxParsedTotal = 256 * 1024;
const maxCachedLine = 8 * 1024;
/** By line: the answer, or that the line was seen once. */
const cache = new RecentCache<LineAnalysis | 'seen'>(256);
let latest: { readonly line: string; readonly analysis: LineAnalysis } | undefined;

/** Analyses a line for bash; the latest few hundred answers are kept. */
export function analyseCommand(line: string): CommandAnalysis {
  return analyseLine(line);
}

/** The same with what the facts look at. A line is kept when it comes back; all facts about one call ask in a row. */
export function analyseLine(line: string): LineAnalysis {
  if (latest?.line === line) return latest.analysis;
  const known = line.length <= maxCachedLine ? cache.get(line) : undefined;
  const analysis = known === undefined || known === 'seen' ? analyse(line) : known;
  if (known !== analysis && line.length <= maxCachedLine) cache.set(line, known === undefined ? 'seen' : analysis);
  latest = { line, analysis };
  return analysis;
}

function analyse(line: string): LineAnalysis {
  const state = new LineState({ runScript, runCode }, line);
  try {
    runCode(state, line);
  } catch (error) {
    // The parser's recursion is bounded; should it fail all the same, nothing may follow from it.
    state.markUnknown(`it cannot be read: ${messageOf(error)}`);
  }
  state.finish();
  return new LineAnalysis(state);
}

/** Why text is not even parsed (X10). */
function sizeProblem(state: LineState, text: string): string | undefined {
  if (text.length > maxLine) return 'it is too long';
  if (text.length > maxHereDocuments && text.includes('<<')) return 'it is too long for its here-documents';
  state.parsedLength += text.length;
  return state.parsedLength > maxParsedTotal ? 'it holds too much code' : undefined;
}

function runCode(state: LineState, text: string): void {
  const problem = sizeProblem(state, text);
  if (problem !== undefined) return state.markUnknown(problem);
  if (text.includes('\0')) return state.markUnknown('it holds a NUL character');
  runScript(state, parse(text));
}

function runScript(state: LineState, script: ParsedScript): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) state.markUnknown(`it cannot be parsed: ${error.message}`);
  if (!state.enter()) return;
  walkStatements(state, script.commands);
  state.leave();
}
