/** Bridle's facts about command lines, as rules ask for them. */

import { load } from '../dist.mjs';

const { analyseCommand, opaqueFact, runsFact, runsOnlyFact } = await load('facts/index.js');

const runsRm = runsFact(['rm']);
const runsOnly = runsOnlyFact([
  'ls',
  'cat',
  'git status',
  'git log',
  'git diff',
  'npm test',
  'grep',
  'rg',
  'find',
  'head',
]);
const opaque = opaqueFact();
const tool = Object.freeze({ name: 'run_command', touches: Object.freeze({ bash: Object.freeze(['command_line']) }) });

export const bridleAnalysis = { name: 'bridle', setup: (lines) => each(lines, analyseCommand) };

/** What a policy with three such rules asks about one call. */
export const bridleFacts = {
  name: 'bridle',
  setup: (lines) => each(lines.map(toCall), (call) => [runsRm(call, tool), runsOnly(call, tool), opaque(call, tool)]),
};

/** The same, and every file the line reads or writes. */
export const bridleFiles = {
  name: 'bridle',
  setup: (lines) =>
    each(lines.map(toCall), (call) => {
      const { files, filesUnknown } = analyseCommand(call.args.command_line);
      return [runsRm(call, tool), runsOnly(call, tool), opaque(call, tool), files, filesUnknown];
    }),
};

/** `yes`, `no` or `unsure`. */
export function bridleRunsRm(line) {
  const truth = runsRm(toCall(line), tool);
  if (typeof truth !== 'boolean') return 'unsure';
  return truth ? 'yes' : 'no';
}

function toCall(line) {
  return { args: { command_line: line } };
}

/** One call takes the next so many lines: enough to be alike, few enough for slow contestants. */
export const linesPerCall = 50;

export function each(items, work) {
  const calls = Math.floor(items.length / linesPerCall);
  return (i) => {
    const from = (i % calls) * linesPerCall;
    let last;
    for (let at = from; at < from + linesPerCall; at++) last = work(items[at]);
    return last;
  };
}
