/** The facts of a line, for laws that ask about many lines. */

import { analyseLine } from '../../src/facts/shell/analysis/analyse-command.ts';
import { parseEntry } from '../../src/facts/shell/conditions/command-entry.ts';
import { runsCommand } from '../../src/facts/shell/conditions/runs-command.ts';
import { runsOnlyCommands } from '../../src/facts/shell/conditions/runs-only-commands.ts';
import { isUnknown, type Truth } from '../../src/facts/truth.ts';

export type Answer = 'yes' | 'no' | 'unknown';

function answer(truth: Truth): Answer {
  if (isUnknown(truth)) return 'unknown';
  return truth ? 'yes' : 'no';
}

/** `runs(entry)` of any line. */
export function runsQuestion(text: string): (line: string) => Answer {
  const entry = parseEntry(text);
  return (line) => answer(runsCommand(analyseLine(line), entry));
}

/** `runsOnly(…entries)` of any line. */
export function runsOnlyQuestion(texts: readonly string[]): (line: string) => Answer {
  const entries = texts.map(parseEntry);
  return (line) => answer(runsOnlyCommands(analyseLine(line), entries));
}
