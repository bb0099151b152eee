/**
 * Reads the reports of the tests. Files listed in test/flaky.md that failed run once more; any other failure is final.
 * The last line says how many tests passed and failed.
 *
 *     node .ci/verdict.mjs REPORT:STATUS[:MODE] …
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = new Set(
  [...readFileSync(resolve(root, 'test/flaky.md'), 'utf8').matchAll(/^- `([^`]+)`/gm)].map(([, path]) => path),
);

let [passed, failed] = [0, 0];
const notes = [];

for (const argument of process.argv.slice(2)) {
  const [path, status, mode] = argument.split(':');
  const report = readReport(path);
  const files = failedFiles(report);
  passed += report.numPassedTests;
  if (files.length > 0 && files.every((file) => listed.has(file)) && isOnlyTests(report)) {
    passed += runAgain(files, { report, mode });
  } else {
    // A run can fail without a failed test: a file that cannot be loaded, or an error outside of all tests.
    failed += report.numFailedTests || (report.success && status === '0' ? 0 : 1);
    for (const file of files) notes.push(`failed: ${file}`);
  }
}
for (const note of notes) console.log(note);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function readReport(path) {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  return { numPassedTests: 0, numFailedTests: 0, success: false, testResults: [] };
}

function failedFiles({ testResults }) {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
}

/** False if a file failed outside of its tests. */
function isOnlyTests({ testResults }) {
  return testResults.every(
    ({ status, assertionResults }) => status !== 'failed' || assertionResults.some((each) => each.status === 'failed'),
  );
}

/** Returns how many of the failed tests passed the second time. */
function runAgain(files, { report, mode }) {
  const words = ['vitest', 'run', ...(mode === undefined ? [] : ['--mode', mode]), ...files];
  const isPassed = spawnSync('npx', words, { cwd: root, stdio: 'inherit' }).status === 0;
  for (const file of files) {
    notes.push(`${isPassed ? 'passed' : 'failed'} when run once more (listed in test/flaky.md): ${file}`);
  }
  if (!isPassed) failed += report.numFailedTests;
  return isPassed ? report.numFailedTests : 0;
}
