import { allow, allowAll, arg, ask, compilePolicy, deny, denyAll, stateKey, preTurn, type Rules } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';

const handler = () => true;
const run = (line: string) => ({ tool: 'run_command', args: { command_line: line } });

async function explain(title: string, rules: Rules, lines: readonly string[]): Promise<void> {
  const policy = compilePolicy(rules, { tools: builtinTools });
  for (const line of lines) {
    const { decision } = await policy.explain(run(line));
    const { effect, rule } = decision;
    console.log(`${title}: "${line}" ${effect} by ${rule?.name ?? 'default'}, bucket ${rule?.bucket ?? 'none'}`);
  }
}

console.log('# Specific before wildcard, then deny before ask before allow');
const everyKind = [
  allowAll(),
  ask('*', { name: 'ask_all', handler }),
  denyAll(),
  allow('run_command', { name: 'allow_run' }),
  ask('run_command', { name: 'ask_run', handler }),
  deny('run_command', { name: 'deny_run' }),
];
for (let left = everyKind.length; left > 0; left--) {
  const rules = [...everyKind.slice(3, left), ...everyKind.slice(0, Math.min(3, left))];
  await explain(`${left} rules`, rules, ['ls']);
}

console.log('\n# A specific deny with a condition over a wildcard allow');
// A text is not what runs: s''udo is not found, and a file named "sudoku" is.
const sudo = arg('CommandLine', (line) => typeof line === 'string' && line.includes('sudo'));
await explain('sudo', [deny('run_command', { name: 'no_sudo', when: sudo }), allowAll()], ['sudo reboot', 'ls']);

console.log('\n# Inside a bucket the first registered match decides; conditions may be asynchronous');
const slow = async () => Promise.resolve(true);
await explain(
  'first',
  [deny('run_command', { name: 'first', when: slow }), deny('run_command', { name: 'second' }), allowAll()],
  ['ls'],
);

console.log('\n# A hook that reads what the session knows');
const userId = stateKey<string>('user_id', 'nobody');
const auditLogPrompt = preTurn(function auditLogPrompt({ prompt }, ctx) {
  console.log(`User ${ctx.get(userId)} prompted: ${prompt.text}`);
});
const model = scriptedModel([
  ({ tools = [] }) => ({ text: `I see ${tools.map(({ name }) => name).join(', ')}.`, toolCalls: [run('ls')] }),
  'I was told why not.',
]);
const agent = createAgent({
  model,
  state: { [userId.name]: 'ann' },
  hooks: [auditLogPrompt],
  // What is disabled is not seen; what is denied is seen, and the model is told why.
  capabilities: { enabledTools: ['view_file', 'run_command'] },
  policy: [deny('run_command', { reason: 'Commands are off today' }), allowAll()],
});
await agent.start();
const stream = agent.stream('What can you do?');
for await (const event of stream) {
  if (event.type === 'text_delta') console.log(`model: ${event.text}`);
  if (event.type === 'tool_denied') console.log(`denied: ${event.reason}`);
}
await agent.stop();
