/** The verdict of CI: nothing but a complete, successful report counts as passed. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runNode } from './rigs/child.ts';
import { root } from './source.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-verdict-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const failing = { status: 'failed', name: join(root, 'test/x.test.ts'), assertionResults: [{ status: 'failed' }] };
const broken = { ...failing, assertionResults: [] };
const reports = {
  good: { numPassedTests: 5, numFailedTests: 0, success: true, testResults: [] },
  empty: { numPassedTests: 0, numFailedTests: 0, success: true, testResults: [] },
  bad: { numPassedTests: 5, numFailedTests: 2, success: false, testResults: [failing] },
  unloadable: { numPassedTests: 5, numFailedTests: 0, success: false, testResults: [broken] },
};

it.each([
  ['a complete report', ['good:0'], '5 passed, 0 failed', 0],
  ['two of them', ['good:0', 'good:0:long'], '10 passed, 0 failed', 0],
  ['a report of a run that failed otherwise', ['good:1'], '5 passed, 1 failed', 1],
  ['a report without tests', ['empty:0'], '0 passed, 1 failed', 1],
  ['a missing report', ['missing:0'], '0 passed, 1 failed', 1],
  ['no report', [], '0 passed, 1 failed', 1],
  ['failed tests', ['good:0', 'bad:1'], '10 passed, 2 failed', 1],
  ['failed tests of a run that exits with 0', ['bad:0'], '5 passed, 2 failed', 1],
  ['a file that cannot be loaded', ['unloadable:1'], '5 passed, 1 failed', 1],
])('of %s', async (...[, given, last, code]) => {
  for (const [name, report] of Object.entries(reports)) writeFileSync(join(folder, name), JSON.stringify(report));
  const child = await runNode(['.ci/verdict.mjs', ...given.map((each) => join(folder, each))], root);
  expect(child.output.trimEnd().split('\n').at(-1)).toBe(last);
  expect(child.code).toBe(code);
});
