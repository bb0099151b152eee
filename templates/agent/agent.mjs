import { appendFile } from 'node:fs/promises';
import { createAgent } from 'bridle/agent';
import { defineTool } from 'bridle/tools';

const addNote = defineTool({
  name: 'add_note',
  description: 'Adds a line to notes.txt.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => {
    await appendFile('notes.txt', `${text}\n`);
    return 'added';
  },
});

/** The agent of this project, for `main.mjs` and for the tests. */
export function createProjectAgent(options) {
  return createAgent({
    instructions: 'You help with the project in this folder. Answer in a few sentences.',
    capabilities: { enabledTools: ['view_file', 'list_directory', 'find_file', 'run_command', 'add_note'] },
    tools: [addNote],
    policy: 'bridle.yaml',
    ...options,
  });
}
