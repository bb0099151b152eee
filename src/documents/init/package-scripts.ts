/** Scripts of a manifest that a policy may allow by name. */

import { isJsonObject, type JsonObject } from '../../json.ts';
import type { ProjectCommand } from './project.ts';
import { objectIn, textIn } from './read-jsonc.ts';

/** Names that mean one thing everywhere: to test, build, lint, check or format. No other name gets into a policy. */
export const usualScripts = [
  'test',
  'test:unit',
  'test:integration',
  'test:coverage',
  'test:types',
  'coverage',
  'build',
  'compile',
  'lint',
  'lint:fix',
  'check',
  'typecheck',
  'type-check',
  'check-types',
  'types',
  'tsc',
  'format',
  'format:check',
  'fmt',
  'fmt:check',
];

/** How a package manager runs a script, by the words before its name. */
const spellings = {
  npm: ['npm run'],
  pnpm: ['pnpm run', 'pnpm'],
  yarn: ['yarn run', 'yarn'],
  bun: ['bun run'],
} as const;

export type NodeManager = keyof typeof spellings;

/** What these words of a manager mean is not the script of that name. */
const ownCommands: Readonly<Record<NodeManager, readonly string[]>> = {
  npm: [],
  pnpm: [],
  yarn: ['check'],
  bun: [],
};

const locks: readonly (readonly [file: string, manager: NodeManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-workspace.yaml', 'pnpm'],
];

/** By what the manifest says, else by the lock file, else npm. */
export function nodeManager(manifest: JsonObject | undefined, has: (file: string) => boolean): NodeManager {
  const [said = ''] = (textIn(manifest, 'packageManager') ?? '').split('@');
  if (Object.hasOwn(spellings, said)) return said as NodeManager;
  return locks.find(([file]) => has(file))?.[1] ?? 'npm';
}

export function nodeCommands(manifest: JsonObject | undefined, manager: NodeManager): ProjectCommand[] {
  return scriptsOf(manifest).flatMap(({ name, runs }) => {
    const short = name === 'test' ? [`${manager} test`] : [];
    const long = spellings[manager]
      .filter((words) => words.includes(' ') || !ownCommands[manager].includes(name))
      .map((words) => `${words} ${name}`);
    return [...new Set([...short, ...long])].map((line) => ({ line, runs }));
  });
}

/** Composer's scripts may be lists. */
export function composerCommands(manifest: JsonObject | undefined): ProjectCommand[] {
  const lines = scriptsOf(manifest).map(({ name, runs }) => ({ line: `composer run ${name}`, runs }));
  const test = lines.find(({ line }) => line === 'composer run test');
  return test === undefined ? lines : [{ ...test, line: 'composer test' }, ...lines];
}

/** In the order of {@link usualScripts}; with what npm runs before and after them. */
function scriptsOf(manifest: JsonObject | undefined): { name: string; runs: string }[] {
  const scripts = objectIn(manifest, 'scripts');
  if (scripts === undefined) return [];
  return usualScripts.flatMap((name) => {
    const own = scriptText(scripts, name);
    if (own === undefined) return [];
    const around = [scriptText(scripts, `pre${name}`), own, scriptText(scripts, `post${name}`)];
    return [{ name, runs: around.filter((text) => text !== undefined).join(' && ') }];
  });
}

function scriptText(scripts: JsonObject, name: string): string | undefined {
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof script === 'string') return script;
  if (script === undefined || script === null || typeof script !== 'object' || isJsonObject(script)) return undefined;
  const parts = script.filter((part) => typeof part === 'string');
  return parts.length === script.length && parts.length > 0 ? parts.join(' && ') : undefined;
}
