/** Finds the commands of a Node.js project that a policy can allow by name: scripts, runners, installs. */

import { isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import type { FolderView } from './folder-view.ts';
import type { ProjectCommand } from './project.ts';
import { objectIn, readJsonc, textIn } from './read-jsonc.ts';

/** Names with a common meaning: test, build, lint, check or format. A policy allows no other names. */
export const usualScripts = (
  'test tests spec e2e coverage build compile lint check checks verify validate typecheck type-check check-types types ' +
  'tsc format fmt prettier eslint knip'
).split(' ');
/** Names of scripts that start the project or generate files for it. */
const startScripts =
  'start dev develop serve server watch preview storybook generate codegen demo bench benchmark docs';
/** Parts of names that suggest effects outside the project. */
const farReaching = /deploy|publish|release|upload|push|install|migrat|seed|prod|live|remote|docker/;
const longRunning = /watch|dev|serve|start/;

/** `test`, `test:unit`, `lint-fix`; not `build:deploy`. */
export function isUsualScript(name: string): boolean {
  const rest = suffixOf(name, usualScripts);
  return rest !== undefined && !longRunning.test(rest);
}

/** `start`, `dev`, `test:watch`; not `start:prod`. */
function isStartScript(name: string): boolean {
  return suffixOf(name, [...startScripts.split(' '), ...usualScripts]) !== undefined && !isUsualScript(name);
}

/**
 * The rest of a name after one of these words; undefined for any other name, or if the rest suggests effects outside
 * the project.
 */
function suffixOf(name: string, starts: readonly string[]): string | undefined {
  const first = starts.find((start) => name === start || name.startsWith(`${start}:`) || name.startsWith(`${start}-`));
  const isPlain = first !== undefined && /^[\w:-]{1,40}$/.test(name) && !farReaching.test(name.slice(first.length));
  return isPlain ? name.slice(first.length) : undefined;
}

interface Manager {
  /** How it runs a script. */
  readonly run: readonly string[];
  /** Its own commands that hide a script of the same name. */
  readonly hides?: string;
  /** How it starts a program of the project. A program on the PATH needs no prefix. */
  readonly start: readonly string[];
  /** Installs what the manifest and the lock file list. */
  readonly install: readonly string[];
  /** How to run a script of a part from the project folder. */
  readonly inPart: (folder: string, name: string) => readonly string[];
  /** How to run a script in every part that has it. */
  readonly inAllParts: readonly string[];
}

const managers = {
  npm: {
    run: ['npm run'],
    start: ['npx ', '', 'node_modules/.bin/'],
    install: ['npm ci', 'npm install'],
    inPart: (folder, name) => [`npm -w ${name} run`, `npm --prefix ${folder} run`],
    inAllParts: [],
  },
  pnpm: {
    run: ['pnpm run', 'pnpm'],
    start: ['pnpm exec ', 'pnpm ', 'npx ', ''],
    install: ['pnpm install'],
    inPart: (_, name) => [`pnpm --filter ${name}`],
    inAllParts: ['pnpm -r', 'pnpm -r run'],
  },
  yarn: {
    run: ['yarn run', 'yarn'],
    hides: 'check',
    start: ['yarn ', 'npx ', '', 'node_modules/.bin/'],
    install: ['yarn install'],
    inPart: (_, name) => [`yarn workspace ${name}`],
    inAllParts: ['yarn workspaces run'],
  },
  bun: {
    run: ['bun run'],
    start: ['bunx ', 'npx ', '', 'node_modules/.bin/'],
    install: ['bun install'],
    inPart: (_, name) => [`bun run --filter ${name}`],
    inAllParts: [],
  },
} as const satisfies Record<string, Manager>;

export type NodeManager = keyof typeof managers;

const locks: readonly (readonly [file: string, manager: NodeManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-workspace.yaml', 'pnpm'],
];

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
  '@biomejs/biome': ['check', 'check --write', 'lint', 'format', 'format --write', 'ci'].map((each) => `biome ${each}`),
  knip: ['knip'],
  vite: ['vite build'],
  next: ['next build', 'next lint'],
  astro: ['astro check', 'astro build'],
  tsup: ['tsup'],
  turbo: ['turbo run test', 'turbo run build', 'turbo run lint'],
};

export function packageManifest(view: FolderView): JsonObject | undefined {
  return readJsonc(view.text('package.json') ?? '');
}

/**
 * From the manifest of the project, else from its lock file, else npm. For a part of the project (`below`), its own lock
 * file counts if the project has none.
 */
export function nodeManager(view: FolderView, below?: FolderView): NodeManager {
  const [declared = ''] = (textIn(packageManifest(view), 'packageManager') ?? '').split('@');
  if (Object.hasOwn(managers, declared)) return declared as NodeManager;
  return locks.find(([file]) => view.has(file) || below?.has(file) === true)?.[1] ?? 'npm';
}

export function nodeCommands(view: FolderView, manager: NodeManager): readonly ProjectCommand[] {
  const manifest = packageManifest(view);
  const scripts = scriptsOf(manifest);
  const packages = ['devDependencies', 'dependencies'].flatMap((field) => Object.keys(objectIn(manifest, field) ?? {}));
  const isThere = (name: string): boolean => packages.includes(name) || view.has(`node_modules/${name}/package.json`);
  const programs = Object.entries(runners).flatMap(([name, lines]) => (isThere(name) ? lines : []));
  const started = managers[manager].start.flatMap((prefix) => programs.map((line) => prefix + line));
  const lines = [...started, ...directRunners(scripts, started), ...nodeTests(scripts)];
  const starts = [
    ...scriptsOf(manifest, isStartScript).flatMap((script) => scriptCommands(script, manager)),
    ...managers[manager].install.map((line) => ({ line })),
  ];
  return [
    ...scripts.flatMap((script) => scriptCommands(script, manager)),
    ...lines.map((line) => ({ line })),
    ...starts.map((command) => ({ ...command, starts: true as const })),
  ];
}

/** The command of a script, if it only runs a program of the project: `npx tsc -p tsconfig.build.json`. */
function directRunners(scripts: readonly Script[], started: readonly string[]): readonly string[] {
  return scripts.flatMap(({ runs }) => {
    const [program = '', ...words] = runs.split(' ');
    return words.length > 0 && started.includes(`npx ${program}`) ? [`npx ${runs}`] : [];
  });
}

/** The built-in test runner of Node.js, if a script uses it. */
function nodeTests(scripts: readonly Script[]): readonly string[] {
  const isUsed = scripts.some(({ runs }) => /(?:^|&& |; )node (?:--[\w=.-]+ )*--test(?: |$)/.test(runs));
  return isUsed ? ['node --test'] : [];
}

/** `test` and `start` need no `run`. */
function scriptCommands({ name, runs }: Script, manager: NodeManager): readonly ProjectCommand[] {
  const { run, hides }: Manager = managers[manager];
  const lines = [
    ...(name === 'test' || name === 'start' ? [`${manager} ${name}`] : []),
    ...(manager === 'npm' && name === 'test' ? ['npm t'] : []),
    ...run.filter((words) => words.includes(' ') || hides !== name).map((words) => `${words} ${name}`),
  ];
  return [...new Set(lines)].map((line) => ({ line, runs }));
}

/** Commands that run a script in all parts. */
export function allPartsCommands(
  manifests: readonly (JsonObject | undefined)[],
  manager: NodeManager,
): readonly ProjectCommand[] {
  const names = new Set(manifests.flatMap((manifest) => scriptsOf(manifest).map(({ name }) => name)));
  return [...names].flatMap((name) => managers[manager].inAllParts.map((words) => ({ line: `${words} ${name}` })));
}

/** Commands that run the scripts of a part from the project folder. */
export function partCommands(
  manifest: JsonObject | undefined,
  manager: NodeManager,
  folder: string,
): readonly ProjectCommand[] {
  const given = textIn(manifest, 'name') ?? '';
  const part = /^@?[\w.-]+(?:\/[\w.-]+)?$/.test(given) ? given : folder;
  return scriptsOf(manifest).flatMap(({ name, runs }) =>
    managers[manager].inPart(folder, part).map((words) => {
      const line = name === 'test' ? `${words.replace(/ run$/, '')} test` : `${words} ${name}`;
      return { line, runs };
    }),
  );
}

interface Script {
  readonly name: string;
  readonly runs: string;
}

/** In manifest order, `test` first. Includes the pre- and post-scripts that npm runs. */
export function scriptsOf(manifest: JsonObject | undefined, isWanted = isUsualScript): readonly Script[] {
  const scripts = objectIn(manifest, 'scripts') ?? {};
  const names = Object.keys(scripts).filter(isWanted);
  return [...names.filter((name) => name === 'test'), ...names.filter((name) => name !== 'test')].flatMap((name) => {
    if (scriptText(scripts, name) === undefined) return [];
    const steps = [`pre${name}`, name, `post${name}`].flatMap((each) => scriptText(scripts, each) ?? []);
    return [{ name, runs: steps.join(' && ') }];
  });
}

/** Composer scripts can be lists. */
function scriptText(scripts: JsonObject, name: string): string | undefined {
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof script === 'string') return script;
  if (typeof script !== 'object' || script === null || isJsonObject(script)) return undefined;
  const isText = script.length > 0 && script.every((part) => typeof part === 'string');
  return isText ? script.join(' && ') : undefined;
}
