import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };
import { filesUnder, read } from './test/source.ts';

/** Tests import public names by their public paths and get the source behind them. */
const entryPoints = Object.entries(manifest.exports).flatMap(([name, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts');
  const find = new RegExp(`^bridle${name.slice(1)}$`);
  return [{ find, replacement: fileURLToPath(new URL(source, import.meta.url)) }];
});

const long = '{src,test}/**/*.long.test.ts';
/** Run by `npm test` with some of their cases, and by the long run with all of them. */
const takesSamples = /import \{[^}]*\b(?:sample|someOf)\b[^}]*\} from '[^']*\/property-runs\.ts'/;

function sampled(): readonly string[] {
  const files = [...filesUnder('src'), ...filesUnder('test')];
  const found = files.filter((path) => /(?<!\.long)\.test\.ts$/.test(path) && takesSamples.test(read(path)));
  if (found.length === 0) throw new Error('No test takes samples: vitest.config.ts looks for the wrong import.');
  return found;
}

/** `--mode long` runs the tests that start processes or take long: commands, hooks, kills, damage, large samples. */
export default defineConfig(({ mode }) => ({
  resolve: { alias: entryPoints },
  test: {
    ...(mode === 'long'
      ? { include: [long, ...sampled()], env: { BRIDLE_LONG: '1' } }
      : { include: ['{src,test,examples}/**/*.test.ts'], exclude: ['**/node_modules/**', long] }),
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/postgres/shared-server.ts'],
    allowOnly: false,
    pool: 'threads',
    isolate: false,
    maxWorkers: '100%',
    // Against hanging only: a machine that is ten times slower passes too.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
}));
