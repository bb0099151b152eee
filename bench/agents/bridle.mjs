/** Bridle with what makes it Bridle: a hook before and after every tool call, a policy, the journal in memory. */

import { languageModel } from '../turn/language-model.mjs';
import { description, instructions, schema } from '../turn/script.mjs';
import { load } from '../dist.mjs';

const { createAgent } = await load('agent/index.js');
const { allow, denyAll } = await load('index.js');
const { memoryJournal } = await load('journal/index.js');

export async function createHost({ script, run }) {
  const seen = { before: 0, after: 0 };
  const hook = { name: 'looks-on', preToolCall: () => void seen.before++, postToolCall: () => void seen.after++ };
  const journal = memoryJournal();
  const agent = createAgent({
    model: languageModel(script),
    instructions,
    tools: [{ name: 'lookup', description, schema, run }],
    hooks: [hook],
    policy: [allow('lookup'), denyAll()],
    journal,
    maxSteps: script.steps + 1,
    // The peers have no tools of their own either.
    capabilities: 'none',
    telemetry: false,
  });
  await agent.start();
  let sessions = 0;
  let checkpoint;
  return {
    async open() {
      const session = await agent.open({ id: `session-${sessions++}` });
      return {
        turn: async (prompt) => {
          const { text } = await session.chat(prompt);
          // The journal in memory computes its hash chain when it is read. It counts as part of the turn.
          checkpoint = journal.head;
          return text;
        },
      };
    },
    /** Hooks, policy and journal must have taken part, or Bridle is measured without itself. */
    check(calls) {
      const kept = journal.records.filter(({ text }) => text.includes('"lookup"')).length;
      if (seen.before !== calls || seen.after !== calls || kept < calls || checkpoint !== journal.head) {
        throw new Error(`bridle: ${calls} calls, hooks ran ${seen.before} and ${seen.after} times, ${kept} records`);
      }
    },
  };
}
