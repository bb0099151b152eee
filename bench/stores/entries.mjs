/** Entries as a guard makes them: of calls of an agent that works on files, runs commands and asks a service. */

import { load } from '../dist.mjs';

const { allowAll, createGuard } = await load('index.js');

const output = 'ok   src/store/journal.test.ts (12 tests) 341 ms\n'.repeat(8);

/** One call in twenty holds a secret, one of a few that an agent works with. */
const kinds = [
  (i) => ({ tool: 'view_file', args: { file_path: `src/part-${i}/file-${i % 37}.ts`, offset: i % 400, limit: 200 } }),
  (i) => ({ tool: 'run_command', args: { command_line: `npm test -- src/part-${i} --reporter=dot` } }),
  (i) => ({
    tool: 'edit_file',
    args: { file_path: `src/part-${i}.ts`, old_text: `const a = ${i};`, new_text: `const a = ${i + 1};` },
  }),
  (i) => ({
    tool: 'run_command',
    args: {
      command_line:
        i % 5 === 0
          ? `curl -H "Authorization: Bearer tok-${i % 3}-9f8e7d6c5b4a3921" https://api.example.com/items/${i}`
          : `git log --oneline -n ${i % 50} -- src/part-${i}.ts`,
    },
  }),
];

/** So many different entries, two for each call: the decision, and what came of it. */
export async function makeEntries(count) {
  const entries = [];
  const names = ['view_file', 'run_command', 'edit_file'];
  const guard = createGuard({
    tools: names.map((name) => ({ name })),
    policy: [allowAll()],
    journal: { append: (entry) => void entries.push(entry) },
  });
  const session = await guard.start();
  const turn = session.turn();
  for (let i = 0; i < count / 2; i++) {
    const call = { id: `call-${i}`, ...kinds[i % kinds.length](i) };
    await turn.guard(call, { run: async () => output.slice(0, 100 + (i % 300)) });
  }
  return entries;
}

/** One after the other, over and over. */
export function turning(entries) {
  let at = 0;
  return () => {
    at = (at + 1) % entries.length;
    return entries[at];
  };
}
