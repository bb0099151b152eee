import {
  allow,
  allowAll,
  allowMcp,
  arg,
  ask,
  askMcp,
  BridleError,
  compilePolicy,
  confirmRunCommand,
  deny,
  denyAll,
  denyMcp,
  type Rules,
} from 'bridle';
import { workspaceOnly } from 'bridle/facts';
import { builtinTools } from 'bridle/tools';

const math = { name: 'math' };
const tools = [...builtinTools, ...['add', 'dangerous_calc', 'execute'].map((name) => ({ name, server: 'math' }))];

/** Compiling a policy is `enforce()`: it validates everything at once. */
async function decide(title: string, rules: Rules, calls: readonly (readonly [string, object?])[]): Promise<void> {
  const policy = compilePolicy(rules, { tools, servers: [math] });
  const decided = [];
  for (const [name, args] of calls) {
    const [server, tool = name] = name.includes('/') ? name.split('/') : [undefined, name];
    const { effect } = await policy.decide({ server, tool, args });
    decided.push(`${name} ${effect}`);
  }
  console.log(`${title}: ${decided.join(', ')}`);
}

export async function policiesStory(): Promise<void> {
  console.log('\n# Policies');
  const command = { command_line: 'ls' };
  const file = { file_path: '/elsewhere/notes.txt' };
  const both = [
    ['view_file', file],
    ['run_command', command],
  ] as const;
  await decide('one tool', [allow('read_file'), deny('run_command')], both);
  await decide('a person decides', [ask('run_command', { handler: () => true })], both);
  await decide('everything', allowAll(), both);
  await decide('nothing', denyAll(), both);
  await decide(
    'commands are confirmed',
    confirmRunCommand(() => true),
    both,
  );
  await decide('nobody to confirm', confirmRunCommand(), both);
  await decide('one folder', [workspaceOnly(['.']), allowAll()], [...both, ['view_file', { file_path: 'notes.txt' }]]);

  await decide(
    'a server',
    [allowMcp(math), denyMcp(math, ['dangerous_calc']), askMcp(math, ['execute'], { handler: () => true }), denyAll()],
    [['math/add'], ['math/dangerous_calc'], ['math/execute'], ['view_file', file]],
  );

  // A text is not what runs: "form" holds "rm", and r''m does not.
  const holdsRm = arg('CommandLine', (line) => typeof line === 'string' && line.includes('rm'));
  const lines = ['rm -rf build', 'ls'].map((line) => ['run_command', { CommandLine: line }] as const);
  await decide('a predicate', [deny('run_command', { when: holdsRm }), allowAll()], lines);

  refused('an ask nobody answers', ask('run_command'), { tools: builtinTools });
  refused('a server that is not there', allowMcp(math), { tools: builtinTools, servers: [] });
}

function refused(title: string, rules: Rules, options: Parameters<typeof compilePolicy>[1]): void {
  try {
    compilePolicy(rules, options);
    console.log(`${title}: accepted`);
  } catch (error) {
    console.log(`${title}: ${error instanceof BridleError ? error.code : String(error)}`);
  }
}
