/** The `bridle runs` commands: arguments, options and help. */

import type { Flag, StoreGroup } from '../options/store-command.ts';

const agent: Flag = [
  '--agent <file>',
  'a module (.mjs) whose default export is agent options, or a function that returns them',
];
const wait: Flag = ['--wait', 'if the run needs an approval, wait for the answer'];

const exitCodesHelp =
  'Exit codes: 0 done · 1 failed or cancelled · 2 wrong usage ·\n  3 not finished: waits for an approval, or was stopped (continue: bridle runs resume)';

export const runsCommands: StoreGroup = {
  summary: 'list, show, start, resume and cancel durable runs, which survive their process',
  commands: {
    list: {
      summary: 'list the runs in the store, newest first',
      flags: [
        ['--state <state>', 'only queued, running, waiting, done, failed or cancelled runs'],
        ['--agent <name>', 'only runs of this agent'],
        ['--limit <n>', 'show at most this many (default: 100)'],
      ],
      details: `Examples:
  bridle runs list
  bridle runs list --state waiting --json

Exit codes: 0 listed · 2 wrong usage`,
      load: async () => (await import('./list-command.ts')).listRuns,
    },
    show: {
      usage: '<id>',
      summary: 'show one run: its prompt, progress, pending approvals and result',
      flags: [],
      details: `Exit codes: 0 shown · 1 no such run · 2 wrong usage`,
      load: async () => (await import('./show-command.ts')).showRun,
    },
    start: {
      summary: 'start a run here, or queue it for a worker',
      flags: [
        ['-p, --prompt <text>', 'what the agent should do'],
        ['--id <id>', 'the id of the run; an existing id continues that run'],
        agent,
        ['--queue [agent]', 'queue the run for a worker that has this agent (default: main)'],
        wait,
      ],
      details: `Examples:
  bridle runs start --agent ./agent.mjs --prompt "summarise today's orders" --id orders-2026-11-15
  bridle runs start --store postgres://bridle@db/bridle --queue reviewer --prompt "review change 42"

${exitCodesHelp}`,
      forPeople: true,
      load: async () => (await import('./start-command.ts')).startRun,
    },
    resume: {
      usage: '[id...]',
      summary: 'continue runs whose process has ended or whose approval was answered',
      flags: [agent, ['--all', 'resume every run of this agent that is not waiting for an approval'], wait],
      details: `Recorded steps are not repeated. A call that was in flight is repeated only if its tool has no side effects or is
declared idempotent; otherwise the model gets the result "interrupted".

Examples:
  bridle runs resume orders-2026-11-15 --agent ./agent.mjs
  bridle runs resume --all --agent ./agent.mjs

${exitCodesHelp}`,
      forPeople: true,
      load: async () => (await import('./resume-command.ts')).resumeRuns,
    },
    cancel: {
      usage: '<id...>',
      summary: 'cancel runs for good; a process working on one stops at its next step',
      flags: [],
      details: `Exit codes: 0 cancelled · 1 a run had already ended, or does not exist · 2 wrong usage`,
      forPeople: true,
      load: async () => (await import('./cancel-command.ts')).cancelRuns,
    },
  },
};
