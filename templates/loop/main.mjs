import { openTerminal } from 'bridle/terminal';
import { guardTools } from './guard.mjs';

/** Your model. This script requests the same calls each time, then answers. */
async function askModel(messages) {
  const script = [
    { tool: 'find_order', args: { id: 'A1' } },
    { tool: 'refund', args: { id: 'A1', amount: 15 } },
    { tool: 'refund', args: { id: 'A1', amount: 9000 } },
  ];
  return script[messages.length - 1] ?? { text: 'A1 is refunded in part.' };
}

// You answer the questions of the policy. Without a terminal, such calls are denied.
const terminal = openTerminal();
const { guard, tools } = guardTools({ approver: terminal.approver });
const messages = ['Refund order A1'];
for (;;) {
  const { text, tool, args } = await askModel(messages);
  if (tool === undefined) {
    console.log(text);
    break;
  }
  const result = tools[tool] === undefined ? `There is no tool ${tool}.` : await tools[tool].execute(args);
  console.log(tool, JSON.stringify(args), '→', result);
  messages.push(result);
}
await guard.end();
terminal.close();
