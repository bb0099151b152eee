/**
 * A chat with your own agent at the terminal: your tool, the built-in tools, and a person who approves calls. Try
 * `call weather with {"city": "Oslo"}` and `run date`. Without a terminal, every line of stdin is a prompt.
 */

import { safeDefaults } from 'bridle';
import { createAgent } from 'bridle/agent';
import { interactiveLoop, openTerminal } from 'bridle/terminal';
import { defineTool } from 'bridle/tools';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  tier: 'observe',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `It is sunny in ${city as string}.`,
});

const { approver } = openTerminal();
const agent = createAgent({ model: 'bridle/planner', tools: [weather], policy: safeDefaults(), approver });
await interactiveLoop(agent);
console.log('The chat has ended.');
