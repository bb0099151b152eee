import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };

/** Tests import public names by their public paths and get the source behind them. */
const entryPoints = Object.entries(manifest.exports).flatMap(([name, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts');
  const find = new RegExp(`^bridle${name.slice(1)}$`);
  return [{ find, replacement: fileURLToPath(new URL(source, import.meta.url)) }];
});

const long = '{src,test}/**/*.long.test.ts';
/** Tests of `npm test` that the long run repeats with ten times as many random cases. */
const sampled = '{src/hooks/flow,test/shell/{composition,laws,oracle,planted,words}}.test.ts';

/** `--mode long` runs the tests that take minutes: killed processes, damaged files, fleets, large random samples. */
export default defineConfig(({ mode }) => ({
  resolve: { alias: entryPoints },
  test: {
    ...(mode === 'long'
      ? { include: [long, sampled], env: { BRIDLE_SAMPLE: '10' } }
      : { include: ['{src,test,examples}/**/*.test.ts'], exclude: ['**/node_modules/**', long] }),
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/postgres/shared-server.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: '100%',
    // Against hanging only: a machine that is ten times slower passes too.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
}));
