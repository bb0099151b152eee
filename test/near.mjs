/**
 * Runs the tests that belong to the changed files: `npm run test:near`. test/suites.json says which folders they are in.
 *
 *     npm run test:near                      what changed since the last commit
 *     npm run test:near -- --base main       what changed since a commit
 *     npm run test:near -- --quick           only those of npm test
 *     npm run test:near -- --list            print the suites, run nothing
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const help = `Usage: npm run test:near -- [--base COMMIT] [--quick] [--list]

  --base COMMIT  the files that changed since this commit (default: HEAD, so uncommitted changes)
  --quick        only the tests of npm test, not those of npm run test:long
  --list         print the suites and run nothing
`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        base: { type: 'string', default: 'HEAD' },
        quick: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    return stop(`${error.message}\n\n${help}`);
  }
}

function stop(message) {
  process.stderr.write(message);
  return process.exit(2);
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  } catch {
    return stop(`git ${args.join(' ')} failed, so the changed files are not known.\n`);
  }
}

/** The suites of a file: those of its folder in suites.json, or itself if it is a test. */
function suitesOf(file, folders) {
  if (file.endsWith('.test.ts')) return [file];
  return folders.filter(({ folder }) => file.startsWith(`${folder}/`)).flatMap(({ suites }) => suites);
}

const options = readOptions();
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
const changed = [
  ...git('diff', '--name-only', '-z', '--diff-filter=d', options.base),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
];
const folders = JSON.parse(readFileSync(join(root, 'test/suites.json'), 'utf8'));
const suites = [...new Set(changed.flatMap((file) => suitesOf(file, folders)))];
const rest = changed.filter((file) => suitesOf(file, folders).length === 0);
console.log(
  `${changed.length} changed files; ${suites.length === 0 ? 'no suite belongs to them' : `suites: ${suites.join(' ')}`}`,
);
if (rest.length > 0) console.log(`Only npm test covers: ${rest.join(' ')}`);
if (options.list || suites.length === 0) process.exit(0);
const modes = options.quick ? [[]] : [[], ['--mode', 'long']];
const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
const failed = modes.filter((mode) => {
  const words = ['vitest', 'run', ...mode, '--passWithNoTests', ...suites];
  return spawnSync('npx', words, { cwd: root, stdio: 'inherit' }).status !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);
