/** The `bridle worker` command: arguments, options and help. */

import type { StoreCommand } from '../options/store-command.ts';

export const workerCommand: StoreCommand = {
  summary: 'work on the runs in a store until stopped; several workers can share one Postgres store',
  flags: [
    ['--agent <file...>', 'modules (.mjs) whose default export is agent options, or a function that returns them'],
    ['--concurrency <n>', 'runs of each agent to work on at the same time (default: 10)'],
    [
      '--lease <time>',
      'after this long without a heartbeat, other workers take over its runs: 30s, 500ms, 5m (default: 30s)',
    ],
  ],
  details: `A run that waits for an approval uses no worker; a worker resumes it when the answer arrives. If a worker dies, others
take over its runs within the lease. On Ctrl-C or SIGTERM, the worker claims no more runs and releases each of its runs
after the current step. A second signal ends it immediately.

Events are printed on stderr; with --json, as JSON lines on stdout.

Examples:
  bridle worker --agent ./agent.mjs
  bridle worker --store postgres://bridle@db/bridle --agent ./agent.mjs --concurrency 20
  bridle worker --store "$BRIDLE_STORE" --agent ./reviewer.mjs --agent ./triage.mjs --lease 15s --json

Exit codes: 0 stopped by a signal · 2 wrong usage, or it can't start · 130, 143 ended by a second signal`,
  forPeople: true,
  load: async () => (await import('./worker-command.ts')).runWorker,
};
