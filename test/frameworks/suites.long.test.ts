/** The shared cases on the frameworks that install quickly. `npm run test:frameworks` runs all of them. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';

interface Row {
  readonly case: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
}

function runSuite(...args: readonly string[]): { readonly status: number | null; readonly rows: readonly Row[] } {
  const program = fileURLToPath(new URL('run.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [program, '--json', '--built', ...args], { encoding: 'utf8' });
  return { status, rows: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row])) };
}

describe.each(['ai-sdk', 'ai-sdk-6'])('the suite on %s', (framework) => {
  it(proves('B01', 'B02', 'B03', 'B04', 'B06', 'B07')('passes, except for cases whose limit is named'), () => {
    const { status, rows } = runSuite(framework);
    expect(rows.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(status).toBe(0);
    expect(rows.filter(({ result }) => result === 'passed').length).toBeGreaterThan(30);
    for (const { reason } of rows.filter(({ result }) => result === 'skipped')) expect(reason).toMatch(/\.$/);
  });
});

it.each([
  ['skip-tool', 'deny'],
  ['swallow-throw', 'tool-error'],
  ['lose-edit', 'rewrite'],
  ['any-answer', 'ask-restart'],
])(proves('B02')('an adapter that is broken on purpose (%s) does not pass'), (mutant, noticing) => {
  const { status, rows } = runSuite('ai-sdk', '--mutant', mutant, '--case', noticing);
  expect(rows).toMatchObject([{ case: noticing, result: 'failed' }]);
  expect(status).toBe(0);
});
