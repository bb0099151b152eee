/** Programs that test, build, lint or format a Node.js project, by dependency. */

import type { JsonObject } from '../../../kernel/json.ts';
import type { NodeManager } from './node-manager.ts';
import { objectIn } from './read-jsonc.ts';

/** Commands that a package provides. */
const runners: Readonly<Record<string, readonly string[]>> = {
  vitest: ['vitest', 'vitest run'],
  jest: ['jest'],
  mocha: ['mocha'],
  ava: ['ava'],
  '@playwright/test': ['playwright test'],
  cypress: ['cypress run'],
  typescript: ['tsc', 'tsc -b', 'tsc --build'],
  'vue-tsc': ['vue-tsc'],
  'svelte-check': ['svelte-check'],
  eslint: ['eslint', 'eslint --fix'],
  oxlint: ['oxlint', 'oxlint --fix'],
  stylelint: ['stylelint'],
  prettier: ['prettier', 'prettier --write'],
  oxfmt: ['oxfmt'],
  '@biomejs/biome': [
    'biome check',
    'biome check --write',
    'biome lint',
    'biome format',
    'biome format --write',
    'biome ci',
  ],
  knip: ['knip'],
  vite: ['vite build'],
  next: ['next build', 'next lint'],
  astro: ['astro check', 'astro build'],
  tsup: ['tsup'],
  turbo: ['turbo run test', 'turbo run build', 'turbo run lint'],
};

/** How a package manager starts a program of the project. A program on the PATH needs no prefix. */
const prefixes: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: ['npx ', '', 'node_modules/.bin/'],
  pnpm: ['pnpm exec ', 'pnpm ', 'npx ', ''],
  yarn: ['yarn ', 'npx ', '', 'node_modules/.bin/'],
  bun: ['bunx ', 'npx ', '', 'node_modules/.bin/'],
};

const fields = ['devDependencies', 'dependencies'];

export function runnerLines(manifest: JsonObject | undefined, manager: NodeManager): readonly string[] {
  const packages = new Set(fields.flatMap((field) => Object.keys(objectIn(manifest, field) ?? {})));
  const found = Object.keys(runners).filter((name) => packages.has(name));
  const lines = found.flatMap((name) => runners[name] ?? []);
  return prefixes[manager].flatMap((prefix) => lines.map((line) => prefix + line));
}
