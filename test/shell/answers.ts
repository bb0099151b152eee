/** The facts of a line, for laws that ask about many lines. */

import { findAnalysis } from '../../src/shell/analyse-command.ts';
import { readEntry } from '../../src/shell/entry.ts';
import { runs } from '../../src/shell/runs.ts';
import { runsOnly } from '../../src/shell/runs-only.ts';
import { isUnknown, type Truth } from '../../src/truth.ts';

export type Answer = 'yes' | 'no' | 'unknown';

function answer(truth: Truth): Answer {
  if (isUnknown(truth)) return 'unknown';
  return truth ? 'yes' : 'no';
}

/** `runs(entry)` of any line. */
export function runsQuestion(text: string): (line: string) => Answer {
  const entry = readEntry(text);
  return (line) => answer(runs(findAnalysis(line), entry));
}

/** `runsOnly(…entries)` of any line. */
export function runsOnlyQuestion(texts: readonly string[]): (line: string) => Answer {
  const entries = texts.map(readEntry);
  return (line) => answer(runsOnly(findAnalysis(line), entries));
}
