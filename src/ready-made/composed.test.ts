/** The composed example: a budget for the session, a loop detector for the turn, a timer for the call, and a policy. */

import { allow, arg, compilePolicy, createGuard, deny, type Session, type Turn } from 'bridle';
import { retryLoopDetector, type SlowCall, slowToolTimer, tokenBudget } from 'bridle/ready-made';
import { expectDecisions, fakeClock, scriptedHost } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { samplePayloads } from '../../test/rigs/sample-payloads.ts';

const policy = [
  allow('view_file'),
  allow('grep_search'),
  allow('run_command', { when: arg('CommandLine', (line) => typeof line === 'string' && line.startsWith('npm test')) }),
  allow('write_to_file', { when: arg('TargetFile', (path) => typeof path === 'string' && path.includes('/src/')) }),
  deny('*'),
];

async function composed() {
  const slow: SlowCall[] = [];
  const clock = fakeClock();
  const hooks = [
    tokenBudget({ max: 150_000 }),
    retryLoopDetector({ maxCalls: 25 }),
    slowToolTimer({ thresholdMs: 3000, report: (each) => void slow.push(each) }),
  ];
  const guard = createGuard({ tools: builtinTools, policy, hooks, clock });
  const host = scriptedHost({ view_file: 'text', run_command: () => clock.advance(4000) });
  return { guard, host, slow };
}

const view = (turn: Turn, host: ReturnType<typeof scriptedHost>) =>
  turn.guard({ tool: 'view_file', args: { file_path: '/a/src/x.ts' } }, host);

async function spend(session: Session, tokens: number): Promise<string> {
  const turn = session.turn();
  const entered = await turn.enter('go');
  if (entered.type === 'rejected') return entered.reason;
  const { output } = samplePayloads.postTurn;
  const usage = { ...output.usage, inputTokens: tokens, outputTokens: 0 };
  await turn.dispatch('postTurn', { input: entered.prompt, output: { ...output, usage } });
  return 'entered';
}

describe('the composed example', () => {
  it(proves('E15', 'P15')('has a policy that allows what it names, and nothing else'), async () => {
    await expectDecisions(compilePolicy(policy, { tools: builtinTools }), [
      [{ tool: 'view_file', args: { file_path: '/etc/passwd' } }, 'allow'],
      [{ tool: 'search_directory', args: { directory_path: '.', query: 'TODO' } }, 'allow'],
      [{ tool: 'grep_search', args: { SearchPath: '.', Query: 'TODO' } }, 'allow'],
      [{ tool: 'run_command', args: { CommandLine: 'npm test -- --watch' } }, 'allow'],
      [{ tool: 'run_command', args: { command_line: 'git push' } }, 'deny'],
      [{ tool: 'write_to_file', args: { TargetFile: '/a/src/x.ts', contents: '' } }, 'allow'],
      [{ tool: 'create_file', args: { file_path: '/a/lib/x.ts', contents: '' } }, 'deny'],
      [{ tool: 'list_directory', args: { directory_path: '.' } }, 'deny'],
      [{ tool: 'start_subagent', args: { agent: 'x', prompt: 'y' } }, 'deny'],
    ]);
  });

  it(
    proves('E15', 'E06')('counts denied and allowed calls of a turn together, and starts over in the next'),
    async () => {
      const { guard, host } = await composed();
      const session = await guard.start();
      const turn = session.turn();
      for (let n = 0; n < 20; n++) await turn.guard({ tool: 'finish', args: { result: 'x' } }, host);
      const results = await Promise.all(Array.from({ length: 10 }, () => view(turn, host)));
      expect(results.filter(({ type }) => type === 'ok')).toHaveLength(5);
      expect(results.at(-1)?.text).toBe('Retry loop detected: view_file called 10 times this turn. Breaking loop.');
      expect(await view(session.turn(), host)).toMatchObject({ type: 'ok' });
    },
  );

  it(proves('E15', 'E05', 'S06')('has a budget per session'), async () => {
    const { guard } = await composed();
    const [first, second] = [await guard.start(), await guard.start()];
    expect(await spend(first, 149_999)).toBe('entered');
    expect(await spend(first, 1)).toBe('entered');
    expect(await spend(first, 1)).toBe('Token budget exhausted: 150,000/150,000');
    expect(await spend(second, 1)).toBe('entered');
  });

  it(proves('E15', 'E07')('times each call separately'), async () => {
    const { guard, host, slow } = await composed();
    const turn = (await guard.start()).turn();
    await view(turn, host);
    await turn.guard({ tool: 'run_command', args: { command_line: 'npm test' } }, host);
    expect(slow.map(({ text }) => text)).toEqual(['Slow tool call: run_command took 4000ms (threshold: 3000ms)']);
  });
});
