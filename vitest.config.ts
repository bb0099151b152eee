import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };

/** Tests import public names by their public paths and get the source behind them. */
const doors = Object.keys(manifest.exports)
  .filter((door) => !door.endsWith('.json'))
  .map((door) => ({
    find: new RegExp(`^bridle${door.slice(1)}$`),
    replacement: fileURLToPath(new URL(`./src/${door.slice(2)}/index.ts`.replace('//', '/'), import.meta.url)),
  }));

export default defineConfig({
  resolve: { alias: doors },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/postgres/shared-server.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
