/** Runs the stories in `examples` as a reader would and compares their output. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { run } from './rigs/child.ts';
import { proves } from './contract/cite.ts';
import { read, root } from './source.ts';

/** Runs `npm run example`, without a terminal. Without npm itself, which takes longer to start than most examples. */
function example(...args: readonly string[]): ReturnType<typeof run> {
  const [command = '', ...first] = manifest.scripts.example.split(' ');
  return run({ command, args: [...first, ...args], cwd: root });
}

/** The examples in a list that the command prints. */
function listed(text: string): ReadonlyMap<string | undefined, string | undefined> {
  return new Map(Array.from(text.matchAll(/^ {2}(\S+) +(\S.*)$/gm), ([, name, what]) => [name, what]));
}

async function runs(story: string): Promise<void> {
  const child = await example(story);
  expect(child.code, child.output).toBe(0);
  expect(child.stdout).toBe(read(`examples/${story}/output.txt`));
}

describe('the examples', () => {
  it(proves('E01', 'E02', 'E03', 'E04', 'S01', 'P07')('lifecycle-hooks: hooks, contexts, policies'), () =>
    runs('lifecycle-hooks'),
  );

  it(proves('P01', 'P02', 'P03', 'S10')('policy-precedence: who decides'), () => runs('policy-precedence'));

  it(proves('E05', 'E06', 'E07', 'E08', 'E15')('hook-contexts: three tiers, and all of them composed'), () =>
    runs('hook-contexts'),
  );

  it(
    proves('E09', 'E10', 'E11', 'E12', 'E13', 'E14', 'E16', 'H03')('guardrails: what goes in and what comes out'),
    () => runs('guardrails'),
  );

  it(proves('G03', 'G04', 'G05', 'G08')('own-loop: one guard around a loop of your own'), () => runs('own-loop'));

  it(proves('D02', 'D06', 'D12', 'X01', 'X02', 'X03')('policy-file: written, tested, in force, changed'), () =>
    runs('policy-file'),
  );

  it(proves('A24', 'A20', 'A25')('remote-agent: an agent in a child process as the loop'), () => runs('remote-agent'));

  it(proves('A26')('terminal: a chat with your own agent, here without a terminal'), () => runs('terminal'));

  it('are listed by the command, also if a name is wrong, and in the README with the same words', async () => {
    const all = await example();
    expect(all.code, all.output).toBe(0);
    const wrong = await example('turn');
    expect(wrong.code).toBe(2);
    expect(wrong.output).toContain('There is no example "turn".');
    expect(listed(wrong.output)).toEqual(listed(all.stdout));
    const rows = read('examples/README.md').matchAll(/^\| \[(\S+)\]\(\1\/main\.ts\) \| (.*) \|$/gm);
    expect(new Map(Array.from(rows, ([, name, what]) => [name, what]))).toEqual(listed(all.stdout));
  });

  it('are all run', () => {
    const stories = readdirSync(join(root, 'examples')).filter((story) =>
      existsSync(join(root, 'examples', story, 'output.txt')),
    );
    expect(stories).toEqual([
      'guardrails',
      'hook-contexts',
      'lifecycle-hooks',
      'own-loop',
      'policy-file',
      'policy-precedence',
      'remote-agent',
      'terminal',
    ]);
  });
});
