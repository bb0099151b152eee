/** `bridle runs`: what each command takes, and what `--help` says of it. */

import type { Flag, StoreGroup } from '../options/store-command.ts';

const agent: Flag = [
  '--agent <file>',
  'a module (.mjs) whose default export is the options of an agent, or a function that gives them',
];
const wait: Flag = ['--wait', 'where a run must wait for an answer, wait here'];

const codes = 'Exit codes: 0 done · 1 failed or cancelled · 2 wrong usage · 3 it waits for an answer, or was let go';

export const runsCommands: StoreGroup = {
  does: 'runs that outlive their process: list, show, start, resume, cancel',
  commands: {
    list: {
      does: 'runs of the store, the newest first',
      flags: [
        ['--state <state>', 'only those that are queued, running, waiting, done, failed or cancelled'],
        ['--agent <name>', 'only those of this agent'],
        ['--limit <n>', 'at most so many (default: 100)'],
      ],
      more: `Examples:
  bridle runs list
  bridle runs list --state waiting --json

Exit codes: 0 fine · 2 wrong usage`,
      load: async () => (await import('./list-command.ts')).listRuns,
    },
    show: {
      takes: '<id>',
      does: 'one run: what was asked, how far it got, what it waits for, what came of it',
      flags: [],
      more: `Exit codes: 0 fine · 1 there is no such run · 2 wrong usage`,
      load: async () => (await import('./show-command.ts')).showRun,
    },
    start: {
      does: 'start a run here, or leave it to a worker',
      flags: [
        ['-p, --prompt <text>', 'what the agent is to do'],
        ['--id <id>', 'the id of the run; the same one again goes on with the same run'],
        agent,
        ['--queue [agent]', 'leave it to a worker that has the agent of this name (default: main)'],
        wait,
      ],
      more: `Examples:
  bridle runs start --agent ./agent.mjs --prompt "summarise today's orders" --id orders-2026-11-15
  bridle runs start --store postgres://bridle@db/bridle --queue reviewer --prompt "review change 42"

${codes}`,
      forPeople: true,
      load: async () => (await import('./start-command.ts')).startRun,
    },
    resume: {
      takes: '[id...]',
      does: 'go on with runs whose process has ended, or that were answered',
      flags: [agent, ['--all', 'every run of this agent that waits for nobody'], wait],
      more: `What was recorded is not done again. A call that was in flight is repeated only if its tool has no side effects or
declares itself idempotent; any other is told to the model as interrupted.

Examples:
  bridle runs resume orders-2026-11-15 --agent ./agent.mjs
  bridle runs resume --all --agent ./agent.mjs

${codes}`,
      forPeople: true,
      load: async () => (await import('./resume-command.ts')).resumeRuns,
    },
    cancel: {
      takes: '<id...>',
      does: 'end runs for good; whoever works on one stops at its next step',
      flags: [],
      more: `Exit codes: 0 cancelled · 1 one of them had ended, or does not exist · 2 wrong usage`,
      forPeople: true,
      load: async () => (await import('./cancel-command.ts')).cancelRuns,
    },
  },
};
