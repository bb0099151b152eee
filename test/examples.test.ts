/** Runs the stories in `examples` as a reader would and compares their output. */

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runNode } from './rigs/child.ts';
import { proves } from './contract/cite.ts';
import { read, root } from './source.ts';

const elsewhere = mkdtempSync(join(tmpdir(), 'bridle-examples-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

async function runs(story: string): Promise<void> {
  // No terminal.
  const child = await runNode([join(root, 'build/examples', story, 'main.js')], elsewhere);
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

  it(proves('G03', 'G04', 'G05', 'G08')('tour: one guard around a loop of your own'), () => runs('tour'));

  it(proves('D02', 'D06', 'D12', 'X01', 'X02', 'X03')('policy-file: written, tested, in force, changed'), () =>
    runs('policy-file'),
  );

  it(proves('A24', 'A20', 'A25')('remote-agent: an agent in a child process as the loop'), () => runs('remote-agent'));

  it('are all run', () => {
    const stories = readdirSync(join(root, 'examples')).filter((story) =>
      existsSync(join(root, 'examples', story, 'output.txt')),
    );
    expect(stories).toEqual([
      'guardrails',
      'hook-contexts',
      'lifecycle-hooks',
      'policy-file',
      'policy-precedence',
      'remote-agent',
      'tour',
    ]);
  });
});
