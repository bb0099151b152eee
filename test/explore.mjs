/**
 * Runs the tests that draw random cases with new seeds: `npm run explore`. A failure prints the command that repeats it.
 *
 *     npm run explore -- --seeds 20            twenty seeds
 *     npm run explore -- --runs 5 src/policy   five times as many cases, one folder
 */

import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const help = `Usage: npm run explore -- [--seeds N] [--first SEED] [--runs N] [--long] [path …]

  --seeds N     how many seeds to try (default 1)
  --first SEED  use SEED, SEED + 1, … instead of random seeds
  --runs N      draw N times as many cases per property (default 1)
  --long        the tests of npm run test:long instead of those of npm test
  path …        only test files under these paths
`;

/** Tests that draw random cases import fast-check or the seed. */
const drawsCases = /from '(?:fast-check|[./]+\/(?:property-runs|kill-rounds)\.ts)'/;

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seeds: { type: 'string', default: '1' },
        first: { type: 'string' },
        runs: { type: 'string', default: '1' },
        long: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const count = (name) => {
      if (values[name] === undefined || /^[1-9]\d{0,8}$/.test(values[name])) return Number(values[name]);
      throw new RangeError(`--${name} takes a positive number, not ${JSON.stringify(values[name])}`);
    };
    return { ...values, seeds: count('seeds'), runs: count('runs'), first: count('first'), paths: positionals };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${help}`);
    return process.exit(2);
  }
}

function randomTests({ long, paths }) {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))))
    .filter((path) => path.endsWith('.test.ts') && path.endsWith('.long.test.ts') === long)
    .filter((path) => paths.length === 0 || paths.some((part) => path.startsWith(part)))
    .filter((path) => drawsCases.test(readFileSync(join(root, path), 'utf8')));
}

function tryOut(seed, { files, runs, long }) {
  const words = ['vitest', 'run', ...(long ? ['--mode', 'long'] : []), '--reporter=dot', ...files];
  const env = { ...process.env, BRIDLE_SEED: String(seed), BRIDLE_RUNS: String(runs) };
  const { status } = spawnSync('npx', words, { cwd: root, env, stdio: 'inherit' });
  if (status === 0) return true;
  const mode = long ? '--mode long ' : '';
  console.log(
    `\nSeed ${seed} failed. Repeat it: BRIDLE_SEED=${seed} BRIDLE_RUNS=${runs} npx vitest run ${mode}<file>\n`,
  );
  return false;
}

const options = readOptions();
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
const files = randomTests(options);
if (files.length === 0) {
  process.stderr.write(`No test under ${options.paths.join(', ')} draws random cases.\n`);
  process.exit(2);
}
const failed = [];
for (let index = 0; index < options.seeds; index++) {
  const seed = Number.isNaN(options.first) ? randomInt(2 ** 31 - 1) : options.first + index;
  console.log(`seed ${seed} (${index + 1} of ${options.seeds}), ${files.length} test files`);
  if (!tryOut(seed, { ...options, files })) failed.push(seed);
}
console.log(failed.length === 0 ? 'No seed failed.' : `Seeds that failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
