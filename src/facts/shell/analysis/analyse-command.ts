/**
 * Analyses a command line for bash. The result lists every command that bash would execute, or says in `unknown` why
 * some may be missing. Nothing is run or looked up: the result depends on the text alone.
 */

import { parse, type ParsedScript } from 'unbash';
import { messageOf } from '../../../kernel/errors.ts';
import type { CommandAnalysis } from '../commands/command-analysis.ts';
import { LineAnalysis } from './line-analysis.ts';
import { LineState } from '../walk/line-state.ts';
import { RecentCache } from '../words/recent-cache.ts';
import { walkStatements } from '../walk/walk-statements.ts';

const maxLine = 64 * 1024;
/** Parsing time grows faster than linearly with here-documents. */
const maxHereDocuments = 16 * 1024;
/** For a line including all code nested in it. */
const maxParsedTotal = 256 * 1024;
const maxCachedLine = 8 * 1024;
/** Per line: its analysis, or `seen` after the first request. */
const cache = new RecentCache<LineAnalysis | 'seen'>(256);
let latest: { readonly line: string; readonly analysis: LineAnalysis } | undefined;

/** Analyses a line for bash. The last few hundred results are cached. */
export function analyseCommand(line: string): CommandAnalysis {
  return analyseLine(line);
}

/**
 * Like `analyseCommand`, with the internals that facts need. A line is cached on its second request. All facts about
 * one call ask for the same line in a row, so the latest one is kept too.
 */
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
    // The parser's recursion is bounded. If it fails anyway, the line counts as unknown.
    state.markUnknown(`the line cannot be analysed: ${messageOf(error)}`);
  }
  state.finish();
  return new LineAnalysis(state);
}

/** Why the text is too large to parse (X10). */
function sizeProblem(state: LineState, text: string): string | undefined {
  if (text.length > maxLine) return 'the line is too long';
  if (text.length > maxHereDocuments && text.includes('<<')) return 'the line is too long to contain here-documents';
  state.parsedLength += text.length;
  return state.parsedLength > maxParsedTotal ? 'the line contains too much code' : undefined;
}

function runCode(state: LineState, text: string): void {
  const problem = sizeProblem(state, text);
  if (problem !== undefined) return state.markUnknown(problem);
  if (text.includes('\0')) return state.markUnknown('the line contains a NUL character');
  runScript(state, parse(text));
}

function runScript(state: LineState, script: ParsedScript): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) state.markUnknown(`the line cannot be parsed: ${error.message}`);
  if (!state.enter()) return;
  walkStatements(state, script.commands);
  state.leave();
}
