/** The facts of a line that is run in a folder. */

import { dirname } from 'node:path';
import type { ToolCall } from '../../../src/kernel/call.ts';
import { readsFact, readsInsideFact, writesFact, writesInsideFact } from '../../../src/facts/index.ts';
import { isLineOpaque, lineRunsOnly, lineRuns } from '../../../src/facts/shell/conditions/call-facts.ts';
import type { ToolDeclaration } from '../../../src/kernel/tool.ts';
import { isUnknown, type Fact, type Truth } from '../../../src/facts/truth.ts';

type Answer = 'yes' | 'no' | '?';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };
const inside = { reads: readsInsideFact(['.']), writes: writesInsideFact(['.']) };

/** Paths are relative to the folder; those that begin with `..` stand beside it. */
export interface FactsOfLine {
  readonly opaque: Answer;
  readonly readsInside: Answer;
  readonly writesInside: Answer;
  readonly reads: (path: string) => Answer;
  readonly writes: (path: string) => Answer;
  readonly runs: (entry: string) => Answer;
  readonly runsOnly: (entry: string) => Answer;
}

export function factsOfLine(line: string, cwd: string): FactsOfLine {
  const call = { id: '1', tool: 'bash', args: { line }, cwd, agent: [], tier: 'confirm' } as unknown as ToolCall;
  const ask = (fact: Fact): Answer => answer(fact(call, bash));
  const pattern = (path: string): string => (path.startsWith('../') ? `${dirname(cwd)}/${path.slice(3)}` : path);
  return {
    opaque: answer(isLineOpaque(line)),
    readsInside: ask(inside.reads),
    writesInside: ask(inside.writes),
    reads: (path) => ask(readsFact(pattern(path))),
    writes: (path) => ask(writesFact(pattern(path))),
    runs: (entry) => answer(lineRuns(line, [entry])),
    runsOnly: (entry) => answer(lineRunsOnly(line, [entry])),
  };
}

function answer(truth: Truth | Promise<Truth>): Answer {
  if (truth instanceof Promise) return '?';
  return isUnknown(truth) ? '?' : truth ? 'yes' : 'no';
}
