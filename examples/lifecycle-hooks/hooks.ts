import { allowAll, deny, type Hook } from 'bridle';
import { type Agent, createAgent } from 'bridle/agent';
import { audit, errorRecovery, logging, turnLimit } from 'bridle/ready-made';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';

/** A hook of your own: a named object with methods for some points. */
const lifecycle: Hook = {
  name: 'lifecycle',
  onSessionStart: () => console.log('session started'),
  onSessionEnd: () => console.log('session ended'),
  preToolCall: ({ call }) => console.log(`calling tool: ${call.tool}`),
  postToolCall: ({ call }) => console.log(`tool ${call.tool} completed`),
  postTurn: ({ output }) => console.log(`response length: ${output.text.length} characters`),
};

const tools = [
  defineTool({ name: 'read_notes', tier: 'observe', run: () => 'Buy milk.' }),
  defineTool({
    name: 'fetch_rates',
    tier: 'observe',
    run: () => {
      throw new Error('connect: connection refused');
    },
  }),
];

const calling = (...names: string[]) => ({ toolCalls: names.map((tool) => ({ tool, args: { command_line: 'ls' } })) });

/** Points only; events have lines of their own. */
function write(line: string): void {
  if (!line.includes('onEvent')) console.log(line.replace(/in \d+ ms/, 'in some ms'));
}

export async function hooksStory(): Promise<void> {
  console.log('# A hook that logs');
  const model = scriptedModel([calling('read_notes'), 'You wanted milk.']);
  const agent = createAgent({ model, tools, capabilities: 'none', policy: allowAll(), hooks: [lifecycle] });
  await inside(agent, async () => console.log((await agent.chat('Hello!')).text));

  console.log('\n# The same, ready-made: a line for each point');
  const logged = createAgent({
    model: scriptedModel([calling('read_notes'), 'You wanted milk.']),
    tools,
    capabilities: 'none',
    session: { id: 'demo' },
    hooks: [logging({ write })],
  });
  await inside(logged, async () => console.log((await logged.chat('Hello!')).text));

  console.log('\n# A limit on turns');
  const talking = scriptedModel(['one', 'two'], { repeat: true });
  const limited = createAgent({ model: talking, capabilities: 'none', hooks: [turnLimit({ max: 2 })] });
  await inside(limited, async () => {
    for (const prompt of ['first', 'second', 'third']) {
      const { stopReason, text } = await limited.chat(prompt);
      console.log(`${stopReason}: ${text}`);
    }
  });

  console.log('\n# An audit of every call, and fallback values for failing tools');
  const cached = { error: 'network_unavailable', fallback: true, message: 'Service unavailable, using cached data' };
  const working = scriptedModel([calling('read_notes', 'fetch_rates', 'run_command'), 'Done.']);
  const audited = createAgent({
    model: working,
    tools,
    policy: [deny('run_command', { reason: 'No commands here' }), allowAll()],
    workspaces: [],
  });
  // Hooks can also be registered after construction, before the start.
  audited.register(errorRecovery([{ match: /timeout|connection refused/, value: cached }]));
  audited.register(
    audit({
      write: (record) => {
        if (record.type === 'denied') console.log(`${record.tool} denied: ${record.reason}`);
        if (record.type === 'settled') console.log(`${record.tool} ${record.outcome}, success: ${record.success}`);
      },
    }),
  );
  await inside(audited, async () => {
    await audited.chat('Look at everything');
    const seen = JSON.stringify(audited.history).includes('using cached data');
    console.log(`the model saw the fallback: ${seen}`);
  });
}

async function inside(agent: Agent, work: () => Promise<void>): Promise<void> {
  await agent.start();
  try {
    await work();
  } finally {
    await agent.stop();
  }
}
