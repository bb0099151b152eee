import { openTerminal } from 'bridle/terminal';
import { scriptedModel } from 'bridle/testing';
import { createProjectAgent } from './agent.mjs';

const [prompt = 'Buy milk'] = process.argv.slice(2);

// This script reads a file, then notes the prompt. A real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and
// write 'anthropic/claude-opus-5' here.
const model = scriptedModel([
  { toolCalls: [{ tool: 'view_file', args: { file_path: 'bridle.yaml' } }] },
  { toolCalls: [{ tool: 'add_note', args: { text: prompt } }] },
  'Done.',
]);

// You answer the questions of the policy. Without a terminal, such calls are denied.
const terminal = openTerminal();
const agent = createProjectAgent({ model, approver: terminal.approver, hooks: [terminal.hook] });
await agent.start();
const { text, toolCalls } = await agent.chat(prompt);
for (const { tool, outcome, reason = '' } of toolCalls) console.log(`${tool}: ${outcome} ${reason}`.trimEnd());
console.log(text);
await agent.stop();
terminal.close();
