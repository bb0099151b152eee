import { createInterface } from 'node:readline';
import { allow, arg, ask, createGuard, deny, onEvent, onToolError, preToolCall, recover, transform } from 'bridle';
import type { Approver, ToolHost } from 'bridle';
import { memoryJournal, verifyRecords } from 'bridle/journal';

const isInternal = (to: unknown) => typeof to === 'string' && to.endsWith('@example.com');

// The policy: what may run, what a person decides, what never runs.
const policy = [
  allow('get_weather'),
  allow('send_mail', { when: arg('to', isInternal) }),
  deny('send_mail', { when: arg('to', (to) => !isInternal(to)), reason: 'Mail only to @example.com' }),
  ask('run_command', { reason: 'Run this on your machine?' }),
  deny('*', { reason: 'Only weather, mail and commands are allowed here' }),
];

// Hooks: code of yours that sees and changes what happens.
const inCelsius = preToolCall(function inCelsius({ call }) {
  return call.tool === 'get_weather' ? transform({ ...call.args, unit: 'celsius' }) : undefined;
});
const mailFallback = onToolError(function mailFallback({ call, error }) {
  return call.tool === 'send_mail' ? recover({ queued: true, because: error.message }) : undefined;
});
const timeline = onEvent(function timeline(event) {
  if (event.type === 'tool_requested') console.log(`\n${event.tool} ${JSON.stringify(event.args)}`);
  if (event.type === 'tool_started') console.log(`  allowed by ${event.rule?.name}`);
  if (event.type === 'tool_denied') console.log(`  denied: ${event.reason}`);
  if (event.type === 'tool_settled') console.log(`  ${event.outcome}`);
});

// A person at the terminal. End of input means no.
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();
const approver: Approver = async ({ questions, shown }) => {
  console.log(`  ${questions[0]?.text}\n    ${shown.text.replaceAll('\n', '\n    ')}\n  [y/N]`);
  const line = await lines.next();
  return line.done !== true && /^y(es)?$/i.test(line.value.trim());
};

// Whatever runs your tools: your own loop, an SDK, an MCP client.
const host: ToolHost = {
  run({ tool, args }) {
    if (tool === 'get_weather') return { ...args, degrees: 12 };
    if (tool === 'run_command') return { pretended: args['command_line'] };
    throw new Error('mail server: connection refused');
  },
};

const journal = memoryJournal();
const guard = createGuard({
  tools: [
    { name: 'get_weather', tier: 'observe' },
    { name: 'send_mail' },
    { name: 'run_command', commands: ['command_line'] },
    { name: 'delete_account' },
  ],
  policy,
  hooks: [inCelsius, mailFallback, timeline],
  approver,
  journal,
});

const session = await guard.start();
const turn = session.turn();
for (const call of [
  { tool: 'get_weather', args: { city: 'Oslo' } },
  { tool: 'send_mail', args: { to: 'ann@example.com', text: 'Bring a coat.' } },
  { tool: 'send_mail', args: { to: 'eve@elsewhere.test', text: 'The keys, as promised.' } },
  { tool: 'run_command', args: { command_line: 'npm test' } },
  { tool: 'delete_account', args: { id: 7 } },
]) {
  const result = await turn.guard(call, host);
  console.log(`  the model sees: ${result.text}`);
}
await session.end();
terminal.close();

const verified = verifyRecords(journal.records);
console.log(`\n${journal.records.length} records in the journal, chain ${verified.ok ? 'intact' : 'broken'}`);
