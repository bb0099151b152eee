/** The `bridle runs` commands and `bridle worker`: rows of the table of commands. */

import { type CommandGroup, type CommandRow, type Flag, jsonFlag, storeFlags } from '../command/command-row.ts';

const common: readonly Flag[] = [...storeFlags, jsonFlag];
const agent: Flag = [
  '--agent <file>',
  'a module (.mjs) whose default export is agent options, or a function that returns them',
];
const wait: Flag = ['--wait', 'if the run needs an approval, wait for the answer'];

const runExitCodes: CommandRow['exitCodes'] = {
  0: 'done',
  1: 'failed or cancelled',
  2: 'wrong usage',
  3: 'not finished: waits for an approval, or was stopped (continue: npx bridle runs resume)',
};

export const runsCommands: CommandGroup = {
  summary: 'list, show, start, resume and cancel durable runs, which survive their process',
  commands: {
    list: {
      summary: 'list the runs in the store, newest first',
      options: [
        ['--state <state>', 'only queued, running, waiting, done, failed or cancelled runs'],
        ['--agent <name>', 'only runs of this agent'],
        ['--limit <n>', 'show at most this many (default: 100)'],
        ...common,
      ],
      examples: ['bridle runs list', 'bridle runs list --state waiting --json'],
      exitCodes: { 0: 'listed', 2: 'wrong usage' },
      load: async () => (await import('./show-commands.ts')).listRuns,
    },
    show: {
      usage: '<id>',
      summary: 'show one run: its prompt, progress, pending approvals and result',
      options: common,
      exitCodes: { 0: 'shown', 1: 'no such run', 2: 'wrong usage' },
      load: async () => (await import('./show-commands.ts')).showRun,
    },
    start: {
      summary: 'start a run here, or queue it for a worker',
      options: [
        ['-p, --prompt <text>', 'what the agent should do'],
        ['--id <id>', 'the id of the run; an existing id continues that run'],
        agent,
        ['--queue [agent]', 'queue the run for a worker that has this agent (default: main)'],
        wait,
        ...common,
      ],
      examples: [
        `bridle runs start --agent ./agent.mjs --prompt "summarise today's orders" --id orders-2026-11-15`,
        'bridle runs start --store postgres://bridle@db/bridle --queue reviewer --prompt "review change 42"',
      ],
      exitCodes: runExitCodes,
      forPeople: true,
      load: async () => (await import('./start-and-resume.ts')).startRun,
    },
    resume: {
      usage: '[id...]',
      summary: 'continue runs whose process has ended or whose approval was answered',
      options: [
        agent,
        ['--all', 'resume every run of this agent that is not waiting for an approval'],
        wait,
        ...common,
      ],
      details: `Recorded steps are not repeated. A call that was in flight is repeated only if its tool has no side effects or is
declared idempotent; otherwise the model gets the result "interrupted".`,
      examples: [
        'bridle runs resume orders-2026-11-15 --agent ./agent.mjs',
        'bridle runs resume --all --agent ./agent.mjs',
      ],
      exitCodes: runExitCodes,
      forPeople: true,
      load: async () => (await import('./start-and-resume.ts')).resumeRuns,
    },
    cancel: {
      usage: '<id...>',
      summary: 'cancel runs for good; a process working on one stops at its next step',
      options: common,
      exitCodes: { 0: 'cancelled', 1: 'a run had already ended, or does not exist', 2: 'wrong usage' },
      forPeople: true,
      load: async () => (await import('./show-commands.ts')).cancelRuns,
    },
  },
};

export const workerCommand: CommandRow = {
  summary: 'work on the runs in a store until stopped; several workers can share one Postgres store',
  options: [
    ['--agent <file...>', 'modules (.mjs) whose default export is agent options, or a function that returns them'],
    ['--concurrency <n>', 'runs of each agent to work on at the same time (default: 10)'],
    [
      '--lease <time>',
      'after this long without a heartbeat, other workers take over its runs: 30s, 500ms, 5m (default: 30s)',
    ],
    ...common,
  ],
  details: `A run that waits for an approval uses no worker; a worker resumes it when the answer arrives. If a worker dies, others
take over its runs within the lease. On Ctrl-C or SIGTERM, the worker claims no more runs and releases each of its runs
after the current step. A second signal ends it immediately.

Events are printed on stderr; with --json, as JSON lines on stdout.`,
  examples: [
    'bridle worker --agent ./agent.mjs',
    'bridle worker --store postgres://bridle@db/bridle --agent ./agent.mjs --concurrency 20',
    'bridle worker --store "$BRIDLE_STORE" --agent ./reviewer.mjs --agent ./triage.mjs --lease 15s --json',
  ],
  exitCodes: {
    0: 'stopped by a signal',
    2: "wrong usage, or it can't start",
    '129, 130, 143': 'ended by a second signal',
  },
  forPeople: true,
  load: async () => (await import('./worker-command.ts')).runWorker,
};
