/**
 * A chat with your own agent at the terminal: your tool, the built-in tools, and a person who approves calls. A script
 * represents the model: it tells the weather, then runs a command. Without a terminal, every line of stdin is a prompt.
 */

import { safeDefaults } from 'bridle';
import { createAgent } from 'bridle/agent';
import { interactiveLoop, openTerminal } from 'bridle/terminal';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  tier: 'observe',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `It is sunny in ${city as string}.`,
});

// A real model: 'anthropic/<id>'
const model = scriptedModel([
  { toolCalls: [{ tool: 'weather', args: { city: 'Oslo' } }] },
  'It is sunny in Oslo. Now ask me for the date.',
  { toolCalls: [{ tool: 'run_command', args: { command_line: 'date' } }] },
  'That was all I can do.',
]);
const { approver } = openTerminal();
const agent = createAgent({ model, tools: [weather], policy: safeDefaults(), approver });
await interactiveLoop(agent);
console.log('The chat has ended.');
