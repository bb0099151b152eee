import { openTerminal } from 'bridle/terminal';
import { createProjectAgent } from './agent.mjs';

// A real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and write 'anthropic/claude-opus-5' here.
const model = 'bridle/planner';

const [prompt = 'read bridle.yaml'] = process.argv.slice(2);
// You answer the questions of the policy. Without a terminal, such calls are denied.
const terminal = openTerminal();
const agent = createProjectAgent({ model, approver: terminal.approver, hooks: [terminal.hook] });
await agent.start();
const { text, toolCalls } = await agent.chat(prompt);
for (const { tool, outcome, reason = '' } of toolCalls) console.log(`${tool}: ${outcome} ${reason}`.trimEnd());
console.log(text);
await agent.stop();
terminal.close();
