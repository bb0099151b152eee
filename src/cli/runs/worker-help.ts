/** `bridle worker`: what it takes, and what `--help` says of it. */

import type { StoreCommand } from '../options/store-command.ts';

export const workerCommand: StoreCommand = {
  does: 'go on with the runs of a store until it is stopped; several workers on one Postgres share them',
  flags: [
    [
      '--agent <file...>',
      'modules (.mjs) whose default export is the options of an agent, or a function that gives them',
    ],
    ['--concurrency <n>', 'runs of each agent to work on at a time (default: 10)'],
    ['--lease <time>', 'how long a worker that says nothing keeps its runs: 30s, 500ms, 5m (default: 30s)'],
  ],
  more: `A run that waits for an approval is not worked on; it is taken up again when there is an answer. When a worker dies,
others go on with its runs within the lease. Ctrl-C or SIGTERM: nothing more is taken, each run is let go after the
step it is at. A second one: the end, at once.

What happens is told on stderr; with --json as lines of JSON on stdout.

Examples:
  bridle worker --agent ./agent.mjs
  bridle worker --store postgres://bridle@db/bridle --agent ./agent.mjs --concurrency 20
  bridle worker --store "$BRIDLE_STORE" --agent ./reviewer.mjs --agent ./triage.mjs --lease 15s --json

Exit codes: 0 stopped as told · 2 wrong usage, or it cannot be started · 130, 143 ended by a second signal`,
  forPeople: true,
  load: async () => (await import('./worker-command.ts')).runWorker,
};
