import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, arg, deny, onEvent } from 'bridle';
import { createAgent } from 'bridle/agent';
import { retryLoopDetector, slowToolTimer, tokenBudget } from 'bridle/ready-made';
import { scriptedModel } from 'bridle/testing';

/** Session, turn and operation hooks in one agent, with the policy that goes with them. */
export async function composedStory(): Promise<void> {
  console.log('\n# All three levels, composed');
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'bridle-composed-')));
  const file = join(folder, 'src', 'cart.js');
  await mkdir(join(folder, 'src'));
  await writeFile(file, '// TODO: add up the prices\nexport const total = 0;\n');
  await writeFile(join(folder, 'package.json'), '{ "scripts": { "test": "node --check src/cart.js" } }');

  const calls = [
    { tool: 'grep_search', args: { SearchPath: join(folder, 'src'), Query: 'TODO' } },
    { tool: 'view_file', args: { AbsolutePath: file } },
    { tool: 'write_to_file', args: { TargetFile: file, contents: 'export const total = (prices) => sum(prices);\n' } },
    { tool: 'write_to_file', args: { TargetFile: join(folder, 'notes.txt'), contents: 'Fixed one.' } },
    { tool: 'run_command', args: { CommandLine: 'npm test' } },
    { tool: 'run_command', args: { CommandLine: 'git push' } },
    { tool: 'list_directory', args: { directory_path: folder } },
  ];
  const model = scriptedModel([...calls.map((call) => ({ toolCalls: [call] })), 'Fixed one TODO; the tests pass.']);
  const agent = createAgent({
    model,
    cwd: folder,
    capabilities: { subagents: false },
    policy: [
      allow('view_file'),
      allow('grep_search'),
      // A text is not what runs: "npm test && git push" begins like this too.
      allow('run_command', {
        when: arg('CommandLine', (line) => typeof line === 'string' && line.startsWith('npm test')),
      }),
      allow('write_to_file', { when: arg('TargetFile', (path) => typeof path === 'string' && path.includes('/src/')) }),
      deny('*'),
    ],
    hooks: [
      tokenBudget({ max: 150_000 }),
      retryLoopDetector({ maxCalls: 25 }),
      slowToolTimer({ thresholdMs: 3000, report: () => undefined }),
      onEvent(
        (event) => {
          if (event.type === 'tool_denied') console.log(`${event.tool}: ${event.reason}`);
          if (event.type === 'tool_settled') console.log(`${event.tool}: ${event.outcome}`);
        },
        { name: 'watch' },
      ),
    ],
  });
  await agent.start();
  console.log(`sees start_subagent: ${agent.tools.some(({ name }) => name === 'start_subagent')}`);
  const { text, steps } = await agent.chat('Find all TODO comments in src/ and fix the top 5 by priority.');
  await agent.stop();
  console.log(`${text} (${steps} steps)\n${(await readFile(file, 'utf8')).trim()}`);
  await rm(folder, { recursive: true });
}
