/** Finds the scripts of a manifest that a policy can allow by name. */

import { isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import type { NodeManager } from './node-manager.ts';
import { runnerLines } from './node-runners.ts';
import type { ProjectCommand } from './project.ts';
import { objectIn, textIn } from './read-jsonc.ts';

/** Names with a common meaning: test, build, lint, check or format. A policy allows no other names. */
export const usualScripts = [
  'test',
  'tests',
  'spec',
  'e2e',
  'coverage',
  'build',
  'compile',
  'lint',
  'check',
  'checks',
  'verify',
  'validate',
  'typecheck',
  'type-check',
  'check-types',
  'types',
  'tsc',
  'format',
  'fmt',
  'prettier',
  'eslint',
  'knip',
];
/** Names of scripts that start the project or generate files for it. */
const startScripts = words(
  `start dev develop serve server watch preview storybook generate codegen demo bench benchmark docs`,
);
/** Parts of names that suggest effects outside the project. */
const farReaching = /deploy|publish|release|upload|push|install|migrat|seed|prod|live|remote|docker/;
const longRunning = /watch|dev|serve|start/;
/** Scripts that a package manager runs without `run`. */
const shortScripts: readonly string[] = ['test', 'start'];

/** `test`, `test:unit`, `lint-fix`; not `build:deploy`. */
export function isUsualScript(name: string): boolean {
  const rest = suffixOf(name, usualScripts);
  return rest !== undefined && !longRunning.test(rest);
}

/** `start`, `dev`, `test:watch`; not `start:prod`. */
function isStartScript(name: string): boolean {
  return suffixOf(name, [...startScripts, ...usualScripts]) !== undefined && !isUsualScript(name);
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

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

/** How a package manager runs a script. */
const runCommands: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: ['npm run'],
  pnpm: ['pnpm run', 'pnpm'],
  yarn: ['yarn run', 'yarn'],
  bun: ['bun run'],
};

/** Built-in commands of a package manager that hide a script of the same name. */
const managerCommands: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: [],
  pnpm: [],
  yarn: ['check'],
  bun: [],
};

export function nodeCommands(manifest: JsonObject | undefined, manager: NodeManager): ProjectCommand[] {
  const scripts = scriptsOf(manifest);
  const found = runnerLines(manifest, manager);
  const runners = [...found, ...directRunners(scripts, found), ...nodeTests(scripts.map(({ runs }) => runs))];
  const starts = scriptsOf(manifest, isStartScript).flatMap((script) => scriptCommands(script, manager));
  return [
    ...scripts.flatMap((script) => scriptCommands(script, manager)),
    ...runners.map((line) => ({ line })),
    ...[...starts, ...installs[manager].map((line) => ({ line }))].map((command) => ({
      ...command,
      starts: true as const,
    })),
  ];
}

/** The command of a script, if it only runs a program of the project: `npx tsc -p tsconfig.build.json`. */
function directRunners(scripts: readonly Script[], runners: readonly string[]): readonly string[] {
  return scripts.flatMap(({ runs }) => {
    const [program = '', ...words] = runs.split(' ');
    return words.length > 0 && runners.includes(`npx ${program}`) ? [`npx ${runs}`] : [];
  });
}

/** Install what the manifest and the lock file list. */
const installs: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: ['npm ci', 'npm install'],
  pnpm: ['pnpm install'],
  yarn: ['yarn install'],
  bun: ['bun install'],
};

/** The built-in test runner of Node.js, if a script uses it. */
function nodeTests(scripts: readonly string[]): readonly string[] {
  return scripts.some((text) => /(?:^|&& |; )node (?:--[\w=.-]+ )*--test(?: |$)/.test(text)) ? ['node --test'] : [];
}

interface Script {
  readonly name: string;
  readonly runs: string;
}

function scriptCommands({ name, runs }: Script, manager: NodeManager): ProjectCommand[] {
  const short = shortScripts.includes(name) ? [`${manager} ${name}`] : [];
  if (manager === 'npm' && name === 'test') short.push('npm t');
  const long = runCommands[manager]
    .filter((words) => words.includes(' ') || !managerCommands[manager].includes(name))
    .map((words) => `${words} ${name}`);
  return [...new Set([...short, ...long])].map((line) => ({ line, runs }));
}

/** How to run a script of a part from the project folder. */
const fromProjectRoot: Readonly<Record<NodeManager, (part: { folder: string; name: string }) => readonly string[]>> = {
  npm: ({ folder, name }) => [`npm -w ${name} run`, `npm --prefix ${folder} run`],
  pnpm: ({ name }) => [`pnpm --filter ${name}`],
  yarn: ({ name }) => [`yarn workspace ${name}`],
  bun: ({ name }) => [`bun run --filter ${name}`],
};

/** How to run a script in every part that has it. */
const inAllParts: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: [],
  pnpm: ['pnpm -r', 'pnpm -r run'],
  yarn: ['yarn workspaces run'],
  bun: [],
};

/** Commands that run a script in all parts. */
export function allPartsCommands(
  manifests: readonly (JsonObject | undefined)[],
  manager: NodeManager,
): ProjectCommand[] {
  const names = new Set(manifests.flatMap((manifest) => scriptsOf(manifest).map(({ name }) => name)));
  return [...names].flatMap((name) => inAllParts[manager].map((words) => ({ line: `${words} ${name}` })));
}

/** Commands that run the scripts of a part from the project folder. */
export function partCommands(manifest: JsonObject | undefined, manager: NodeManager, folder: string): ProjectCommand[] {
  const given = textIn(manifest, 'name') ?? '';
  const name = /^@?[\w.-]+(?:\/[\w.-]+)?$/.test(given) ? given : folder;
  const words = [...new Set(fromProjectRoot[manager]({ folder, name }))];
  return scriptsOf(manifest).flatMap((script) =>
    words.flatMap((before) => {
      const line = script.name === 'test' ? `${before.replace(/ run$/, '')} test` : `${before} ${script.name}`;
      return [{ line, runs: script.runs }];
    }),
  );
}

/** Composer scripts can be lists. */
export function composerCommands(manifest: JsonObject | undefined): ProjectCommand[] {
  const lines = scriptsOf(manifest).map(({ name, runs }) => ({ line: `composer run ${name}`, runs }));
  const test = lines.find(({ line }) => line === 'composer run test');
  return test === undefined ? lines : [{ ...test, line: 'composer test' }, ...lines];
}

/** In manifest order, `test` first. Includes the pre- and post-scripts that npm runs. */
function scriptsOf(manifest: JsonObject | undefined, isWanted = isUsualScript): Script[] {
  const scripts = objectIn(manifest, 'scripts');
  if (scripts === undefined) return [];
  const names = Object.keys(scripts).filter(isWanted);
  return [...names.filter((name) => name === 'test'), ...names.filter((name) => name !== 'test')].flatMap((name) => {
    const own = scriptText(scripts, name);
    if (own === undefined) return [];
    const steps = [scriptText(scripts, `pre${name}`), own, scriptText(scripts, `post${name}`)];
    return [{ name, runs: steps.filter((text) => text !== undefined).join(' && ') }];
  });
}

function scriptText(scripts: JsonObject, name: string): string | undefined {
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof script === 'string') return script;
  if (script === undefined || script === null || typeof script !== 'object' || isJsonObject(script)) return undefined;
  const parts = script.filter((part) => typeof part === 'string');
  return parts.length === script.length && parts.length > 0 ? parts.join(' && ') : undefined;
}
